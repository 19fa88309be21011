#include "libav/input.h"

extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "libav/open.h"

namespace sidecore::libav {
namespace {

thread_local std::string t_first_error;
thread_local bool t_unknown_encoding = false;

void keep_error(void* /*context*/, int level, const char* format, std::va_list arguments) {
  // All that the Matroska demuxer has for an encryption without a key's name; it goes on as if the
  // data were plain.
  if (std::string_view(format).starts_with("Unsupported encoding type")) t_unknown_encoding = true;
  if (level > AV_LOG_ERROR || !t_first_error.empty()) return;
  std::array<char, 512> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  t_first_error = line.data();
  while (!t_first_error.empty() && (t_first_error.back() == '\n' || t_first_error.back() == '.')) {
    t_first_error.pop_back();
  }
}

/// From the first call on, libav prints nothing; what it logs as an error is kept for the thread
/// that it runs on.
void capture_libav_errors() {
  av_log_set_callback(keep_error);
}

/// The first error logged on this thread since the last call, on one line; empty when there was
/// none.
std::string take_libav_error() {
  return std::exchange(t_first_error, {});
}

/// Returns true if an error names what MP4 keeps for decryption. FFmpeg's own muxer writes that so
/// into fragments that its demuxer refuses them.
bool is_about_encryption(const std::string& error) {
  constexpr std::array<std::string_view, 5> kWords{"encrypt", "Encrypt", "senc", "saio", "saiz"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return error.find(word) != std::string::npos; });
}

int read_stream(void* opaque, std::uint8_t* buffer, int size) {
  try {
    const std::size_t got = static_cast<video::ByteStream*>(opaque)->read_some(
        std::as_writable_bytes(std::span(buffer, static_cast<std::size_t>(size))));
    return got > 0 ? static_cast<int>(got) : AVERROR_EOF;
  } catch (const Error&) {
    return AVERROR(EIO);
  }
}

AVIOContext* make_io(video::ByteStream& stream) {
  constexpr int kBufferBytes = 1 << 16;
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  return avio_alloc_context(buffer, kBufferBytes, 0, &stream, read_stream, nullptr, nullptr);
}

video::ChromaSiting siting_of(AVChromaLocation location) {
  switch (location) {
    case AVCHROMA_LOC_LEFT:
      return video::ChromaSiting::left;
    case AVCHROMA_LOC_CENTER:
      return video::ChromaSiting::center;
    case AVCHROMA_LOC_TOPLEFT:
      return video::ChromaSiting::top_left;
    default:
      return video::ChromaSiting::unknown;
  }
}

video::Description described(AVFormatContext& input, AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  video::Description description;
  if (parameters.color_range == AVCOL_RANGE_MPEG) description.range = video::SampleRange::limited;
  if (parameters.color_range == AVCOL_RANGE_JPEG) description.range = video::SampleRange::full;
  const AVRational aspect = av_guess_sample_aspect_ratio(&input, &stream, nullptr);
  if (aspect.num > 0 && aspect.den > 0) description.aspect = {aspect.num, aspect.den};
  description.siting = siting_of(parameters.chroma_location);
  return description;
}

}  // namespace

std::string describe_libav(int status) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(status, text.data(), text.size());
  return text.data();
}

void Input::FreeIo::operator()(AVIOContext* io) const {
  av_freep(static_cast<void*>(&io->buffer));
  avio_context_free(&io);
}

Input::Input(std::unique_ptr<video::ByteStream> stream, const std::string& path, bool need_decoder)
    : stream_(std::move(stream)) {
  capture_libav_errors();
  open(path, need_decoder);
  choose_stream(need_decoder);
}

void Input::open(const std::string& path, bool need_decoder) {
  AVFormatContext* input = avformat_alloc_context();
  std::string url = "file:" + path;
  if (!stream_->reopenable()) {
    io_.reset(make_io(*stream_));
    input->pb = io_.get();
    url.clear();
  }
  // A playlist must not reach for the network.
  AVDictionary* options = nullptr;
  t_unknown_encoding = false;
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  // For packets, what containers say is enough: no decoder has this name, so none opens to find the
  // pixel format.
  if (!need_decoder) av_dict_set(&options, "codec_whitelist", "none", 0);
  int status = avformat_open_input(&input, url.c_str(), nullptr, &options);
  av_dict_free(&options);
  if (status >= 0) {
    input_.reset(input);
    status = avformat_find_stream_info(input, nullptr);
  }
  if (status < 0) {
    throw usage_error("{}: it is no video file that can be read: {}", name(),
                      describe_libav(status));
  }
}

// Encrypted packets look like damaged ones, and their codec may have no name.
void Input::refuse_encrypted() const {
  const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0) return;
  const AVStream& stream = *input_->streams[index];
  if (av_dict_get(stream.metadata, "enc_key_id", nullptr, 0) != nullptr ||
      stream.codecpar->codec_tag == MKTAG('e', 'n', 'c', 'v')) {
    throw EncryptedError(name() + ": its video stream is encrypted");
  }
  if (std::exchange(t_unknown_encoding, false)) {
    throw EncryptedError(name() + ": it is encrypted, or compressed in a way that is not known");
  }
}

void Input::refuse_guess() const {
  if (input_->probe_score > AVPROBE_SCORE_RETRY) return;
  throw usage_error("{}: no container was recognised in it", name());
}

void Input::choose_stream(bool need_decoder) {
  refuse_encrypted();
  const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1,
                                        need_decoder ? &codec_ : nullptr, 0);
  if (index == AVERROR_DECODER_NOT_FOUND) {
    throw usage_error("{}: no decoder for its video stream", name());
  }
  if (index < 0) {
    refuse_guess();
    throw usage_error("{}: there is no video stream in it", name());
  }
  for (unsigned other = 0; other < input_->nb_streams; ++other) {
    if (static_cast<int>(other) != index) input_->streams[other]->discard = AVDISCARD_ALL;
  }
  video_ = input_->streams[index];
  const AVRational rate = av_guess_frame_rate(input_.get(), video_, nullptr);
  frame_rate_ = {rate.num, rate.den};
  description_ = described(*input_, *video_);
}

Input::ReadResult Input::read(AVPacket& packet) {
  static_cast<void>(take_libav_error());
  int status = 0;
  do {
    av_packet_unref(&packet);
    status = av_read_frame(input_.get(), &packet);
  } while (status >= 0 && packet.stream_index != video_->index);
  if (status == AVERROR_EOF) {
    // Some demuxers (Matroska) report data that is cut short as its end, and only log the error.
    std::string damage = take_libav_error();
    if (damage.empty() && input_->pb != nullptr && input_->pb->error < 0) {
      damage = describe_libav(input_->pb->error);
    }
    return {true, damage};
  }
  if (status < 0) {
    if (is_about_encryption(take_libav_error())) {
      throw EncryptedError(name() + ": its video stream is encrypted");
    }
    return {true, describe_libav(status)};
  }
  // MP4 says it of each packet; the first ones may be plain.
  if (av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr) {
    throw EncryptedError(name() + ": its video stream is encrypted");
  }
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0) return {false, "its data is cut short"};
  return {};
}

}  // namespace sidecore::libav
