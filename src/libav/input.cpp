#include "libav/input.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "libav/open.h"

namespace sidecore::libav {
namespace {

thread_local std::string t_first_error;
thread_local bool t_unknown_encoding = false;
thread_local std::optional<std::int64_t> t_damage;

/// Returns the position in the data if the object that logs is the Matroska demuxer.
std::optional<std::int64_t> matroska_position(const void* object) {
  if (object == nullptr) return std::nullopt;
  const AVClass* const kind = *static_cast<const AVClass* const*>(object);
  if (kind == nullptr || std::string_view(kind->class_name) != "AVFormatContext")
    return std::nullopt;
  const auto& input = *static_cast<const AVFormatContext*>(object);
  if (input.pb == nullptr || input.iformat == nullptr ||
      !std::string_view(input.iformat->name).starts_with("matroska")) {
    return std::nullopt;
  }
  return input.pb->pos - (input.pb->buf_end - input.pb->buf_ptr);
}

void keep_error(void* object, int level, const char* format, std::va_list arguments) {
  // The Matroska demuxer reports an encryption without a key's name only by this message and then
  // continues as if the data were plain.
  if (std::string_view(format).starts_with("Unsupported encoding type")) t_unknown_encoding = true;
  if (level > AV_LOG_ERROR) return;
  if (!t_damage) t_damage = matroska_position(object);
  if (!t_first_error.empty()) return;
  std::array<char, 512> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  t_first_error = line.data();
  while (!t_first_error.empty() && (t_first_error.back() == '\n' || t_first_error.back() == '.')) {
    t_first_error.pop_back();
  }
}

/// Makes libav print nothing from now on. Its first error is kept for the thread on which it
/// occurs.
void capture_libav_errors() {
  av_log_set_callback(keep_error);
}

/// Returns the first error that libav logged on this thread since the last call, as one line. Empty
/// if there was none.
std::string take_libav_error() {
  return std::exchange(t_first_error, {});
}

/// Returns true if an error is about MP4's decryption data. FFmpeg's muxer writes fragments with
/// such data that its own demuxer rejects.
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
  // Protocols are restricted to files, because a playlist must not access the network.
  AVDictionary* options = nullptr;
  t_unknown_encoding = false;
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  // Packets need only what the container states. No decoder has the name "none", so libav opens no
  // decoder to find the pixel format.
  if (!need_decoder) av_dict_set(&options, "codec_whitelist", "none", 0);
  int status = avformat_open_input(&input, url.c_str(), nullptr, &options);
  av_dict_free(&options);
  if (status >= 0) {
    input_.reset(input);
    t_damage.reset();  // errors in the file's header lose no packet
    status = avformat_find_stream_info(input, nullptr);
    damage_ = std::exchange(t_damage, std::nullopt);
  }
  if (status < 0) {
    throw usage_error("{}: it is no video file that libavformat can read: {}", name(),
                      describe_libav(status));
  }
}

// Throws EncryptedError for an encrypted stream. Encrypted packets look like damaged ones, and
// their codec may be unnamed.
void Input::refuse_encrypted() const {
  const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0) return;
  const AVStream& stream = *input_->streams[index];
  if (av_dict_get(stream.metadata, "enc_key_id", nullptr, 0) != nullptr ||
      stream.codecpar->codec_tag == MKTAG('e', 'n', 'c', 'v')) {
    throw EncryptedError(name() + ": the video stream is encrypted");
  }
  if (std::exchange(t_unknown_encoding, false)) {
    throw EncryptedError(name() + ": it is encrypted, or its compression is unknown");
  }
}

void Input::refuse_guess() const {
  if (input_->probe_score > AVPROBE_SCORE_RETRY) return;
  throw usage_error("{}: its container format was not recognised", name());
}

void Input::choose_stream(bool need_decoder) {
  refuse_encrypted();
  const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1,
                                        need_decoder ? &codec_ : nullptr, 0);
  if (index == AVERROR_DECODER_NOT_FOUND) {
    throw usage_error("{}: there is no decoder for its video stream", name());
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
    if (const auto damage = std::exchange(t_damage, std::nullopt); !damage_) damage_ = damage;
  } while (status >= 0 && packet.stream_index != video_->index);
  if (status == AVERROR_EOF) {
    // The log is checked, because some demuxers (Matroska) report truncated data as the end of the
    // stream and only log the error.
    std::string damage = take_libav_error();
    if (damage.empty() && input_->pb != nullptr && input_->pb->error < 0) {
      damage = describe_libav(input_->pb->error);
    }
    return {true, damage};
  }
  if (status < 0) {
    if (is_about_encryption(take_libav_error())) {
      throw EncryptedError(name() + ": the video stream is encrypted");
    }
    return {true, describe_libav(status)};
  }
  // MP4 marks each packet separately, so the first ones may be plain.
  if (av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr) {
    throw EncryptedError(name() + ": the video stream is encrypted");
  }
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0) return {false, "its data is cut short"};
  // The Matroska demuxer passes over damage, and does not say how many packets it lost.
  if (damage_ && packet.pos > *damage_) {
    return {false, fmt::format("the container is damaged at byte {}", *damage_)};
  }
  return {};
}

}  // namespace sidecore::libav
