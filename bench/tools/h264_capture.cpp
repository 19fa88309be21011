// Decodes an H.264 stream with FFmpeg's decoder from its static library, and writes pictures before
// deblocking, each with its macroblocks' strengths and indices, for h264_deblocking_captures.
// Compares every picture of the stream, deblocked by the scalar definition and by NEON, with the
// decoder's.
//
// h264_capture STREAM PREFIX PICTURE...
//
// STREAM has access unit delimiters (x264's option aud=1), is progressive, and has 8 bits and
// 4:2:0. PICTURE is the number of a picture in decoding order; it is written to
// PREFIX-PICTURE.capture.
extern "C" {
#include <libavcodec/avcodec.h>
}
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text_file.h"
#include "h264/deblocking.h"
#include "h264/deblocking_work.h"
#include "tools/h264_call_log.h"
#include "tools/h264_dsp.h"

extern "C" {
extern const AVCodec ff_h264_decoder;
using sidecore::bench::FfmpegH264Dsp;
// The linker's --wrap replaces calls of ff_h264dsp_init() by calls of the second function.
void __real_ff_h264dsp_init(FfmpegH264Dsp* dsp, int bits, int chroma);  // NOLINT: the linker's name
void __wrap_ff_h264dsp_init(FfmpegH264Dsp* dsp, int bits, int chroma);  // NOLINT
}

namespace sidecore::bench {
namespace {

using h264::EdgeDirection;

// The table's functions have no context, so the present picture and the decoder's own functions are
// global.
H264CallLog* g_log = nullptr;
FfmpegH264Dsp g_own{};

template <bool chroma, EdgeDirection direction, auto own>
void filter(std::uint8_t* q0, std::ptrdiff_t stride, int alpha, int beta, std::int8_t* tc0) {
  DeblockingCall call{alpha, beta, {}};
  for (std::size_t segment = 0; segment < call.tc0.size(); ++segment) {
    call.tc0[segment] = tc0[segment] - (chroma ? 1 : 0);
  }
  g_log->add(q0, direction, call);
  (g_own.*own)(q0, stride, alpha, beta, tc0);
}

template <EdgeDirection direction, auto own>
void filter_strongly(std::uint8_t* q0, std::ptrdiff_t stride, int alpha, int beta) {
  DeblockingCall call{alpha, beta, {}};
  call.tc0.fill(DeblockingCall::kStrong);
  g_log->add(q0, direction, call);
  (g_own.*own)(q0, stride, alpha, beta);
}

/// Returns the decoder's new picture, and makes it the log's.
int get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const int status = avcodec_default_get_buffer2(decoder, frame, flags);
  if (status < 0) return status;
  g_log->begin({decoder->coded_width, decoder->coded_height, {}},
               {frame->data[0], frame->data[1], frame->data[2]},
               {frame->linesize[0], frame->linesize[1], frame->linesize[2]});
  return 0;
}

/// Sends an access unit, or the stream's end if it is empty, and drops the decoded pictures.
void decode(AVCodecContext* decoder, AVPacket* packet, AVFrame* frame, std::string_view unit) {
  // FFmpeg reads beyond the end of a packet.
  std::vector<std::uint8_t> padded(unit.begin(), unit.end());
  padded.resize(unit.size() + AV_INPUT_BUFFER_PADDING_SIZE);
  packet->data = padded.data();
  packet->size = static_cast<int>(unit.size());
  if (avcodec_send_packet(decoder, unit.empty() ? nullptr : packet) < 0) {
    throw usage_error("the stream is damaged");
  }
  while (avcodec_receive_frame(decoder, frame) >= 0) {
    if (frame->format != AV_PIX_FMT_YUV420P) throw usage_error("the stream is not 4:2:0 of 8 bits");
    av_frame_unref(frame);
  }
}

std::map<std::size_t, h264::DeblockingWork> capture(const std::string& stream,
                                                    const std::vector<std::size_t>& wanted) {
  H264CallLog log(wanted);
  g_log = &log;
  AVCodecContext* const decoder = avcodec_alloc_context3(&ff_h264_decoder);
  decoder->thread_count = 1;
  decoder->thread_type = FF_THREAD_SLICE;
  decoder->get_buffer2 = get_buffer;
  if (avcodec_open2(decoder, &ff_h264_decoder, nullptr) < 0) {
    throw environment_error("FFmpeg's decoder cannot be opened");
  }
  AVPacket* const packet = av_packet_alloc();
  AVFrame* const frame = av_frame_alloc();
  constexpr std::string_view kDelimiter("\0\0\0\1\t", 5);
  std::size_t at = stream.find(kDelimiter);
  if (at == std::string::npos) throw usage_error("the stream has no access unit delimiter");
  while (at != std::string::npos) {
    const std::size_t next = stream.find(kDelimiter, at + 1);
    decode(decoder, packet, frame, std::string_view(stream).substr(at, next - at));
    at = next;
  }
  log.finish();  // before the decoder frees the picture
  decode(decoder, packet, frame, {});
  return log.take();
}

}  // namespace
}  // namespace sidecore::bench

void __wrap_ff_h264dsp_init(FfmpegH264Dsp* dsp, int bits, int chroma) {
  using namespace sidecore::bench;
  using enum EdgeDirection;
  __real_ff_h264dsp_init(dsp, bits, chroma);
  g_own = *dsp;
  dsp->v_luma = filter<false, horizontal, &FfmpegH264Dsp::v_luma>;
  dsp->h_luma = filter<false, vertical, &FfmpegH264Dsp::h_luma>;
  dsp->v_chroma = filter<true, horizontal, &FfmpegH264Dsp::v_chroma>;
  dsp->h_chroma = filter<true, vertical, &FfmpegH264Dsp::h_chroma>;
  dsp->v_luma_strong = filter_strongly<horizontal, &FfmpegH264Dsp::v_luma_strong>;
  dsp->h_luma_strong = filter_strongly<vertical, &FfmpegH264Dsp::h_luma_strong>;
  dsp->v_chroma_strong = filter_strongly<horizontal, &FfmpegH264Dsp::v_chroma_strong>;
  dsp->h_chroma_strong = filter_strongly<vertical, &FfmpegH264Dsp::h_chroma_strong>;
}

int main(int argc, char** argv) {
  using namespace sidecore;
  if (argc < 4) {
    std::fputs("usage: h264_capture STREAM PREFIX PICTURE...\n", stderr);
    return 2;
  }
  try {
    std::vector<std::size_t> wanted;
    for (int index = 3; index < argc; ++index) {
      wanted.push_back(std::strtoul(argv[index], nullptr, 10));
    }
    const auto pictures = bench::capture(read_text_file(argv[1]), wanted);
    for (const std::size_t number : wanted) {
      const auto found = pictures.find(number);
      if (found == pictures.end()) throw usage_error("{} has no picture {}", argv[1], number);
      h264::write_capture(fmt::format("{}-{}.capture", argv[2], number), found->second);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "h264_capture: {}\n", error.what());
    return 2;
  }
  return 0;
}
