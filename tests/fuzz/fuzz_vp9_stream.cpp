// Fuzzes the decoder with any bytes as the body of an IVF file. The result must be frames or an
// Error that names one, and the same on several threads as on one. Seeds are real streams.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/thread_pool.h"
#include "vp9/decoder.h"

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kFileHeader = 32;
constexpr std::size_t kPacketHeader = 12;

/// Result of decoding a stream.
struct Outcome {
  std::uint64_t frames = 0;
  std::uint64_t samples = 0xcbf29ce484222325;  ///< FNV-1a hash of all rows
  /// Text "frame N"; if several tile columns are faulty, either may be reported.
  std::string failed{};
  bool operator==(const Outcome&) const = default;
};

void add(Outcome& outcome, const sidecore::vp9::FrameBuffer& frame) {
  ++outcome.frames;
  for (int plane = 0; plane < 3; ++plane) {
    const bool bytes = frame.format().pixel.bits == 8;
    const auto add_rows = [&](const auto& view) {
      for (int y = 0; y < view.height; ++y) {
        for (int x = 0; x < view.width; ++x) {
          outcome.samples = (outcome.samples ^ view.row(y)[x]) * 0x100000001b3;
        }
      }
    };
    bytes ? add_rows(frame.visible<std::uint8_t>(plane))
          : add_rows(frame.visible<std::uint16_t>(plane));
  }
}

Outcome decode(Bytes file, sidecore::ThreadPool& pool, bool low_delay) {
  sidecore::vp9::DecoderOptions options;
  options.pool = &pool;
  options.threads = static_cast<int>(pool.threads());
  options.low_delay = low_delay;
  // Limit of a frame's samples, so that each execution is short.
  options.max_luma_samples = 1 << 14;
  Outcome outcome;
  const auto show = [&](const std::shared_ptr<const sidecore::vp9::FrameBuffer>& frame) {
    add(outcome, *frame);
  };
  try {
    sidecore::vp9::Decoder decoder(options);
    while (file.size() > kPacketHeader) {
      const std::size_t claimed = file[0] | std::size_t{file[1]} << 8;
      file = file.subspan(kPacketHeader);
      const std::size_t size = std::min(claimed, file.size());
      decoder.decode(file.first(size), show);
      file = file.subspan(size);
    }
    decoder.flush(show);
  } catch (const sidecore::Error& error) {
    const std::string_view text = error.what();
    if (!text.starts_with("frame ")) std::abort();
    outcome.failed = text.substr(0, text.find(':'));
  }
  return outcome;
}

}  // namespace

// The last bytes of the file header, which are unused in IVF, select the options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < kFileHeader) return -1;
  const Bytes file = std::span(bytes, size).subspan(kFileHeader);
  const bool low_delay = (bytes[30] & 1) != 0;
  // The pools are started only once, because starting threads takes longer than an execution.
  static sidecore::ThreadPool alone(0);
  static sidecore::ThreadPool two(1);
  static sidecore::ThreadPool three(2);
  static sidecore::ThreadPool four(3);
  const std::array pools{&three, &two, &four};
  if (decode(file, *pools[bytes[31] % pools.size()], low_delay) != decode(file, alone, false)) {
    std::abort();
  }
  return 0;
}
