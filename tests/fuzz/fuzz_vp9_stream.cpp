// Any bytes as the body of an IVF file: frames come out, or an Error that names one. Its seeds are
// real streams.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.h"
#include "vp9/decoder.h"

namespace {

constexpr std::size_t kFileHeader = 32;
constexpr std::size_t kPacketHeader = 12;

void decode(std::span<const std::uint8_t> file) {
  sidecore::vp9::DecoderOptions options;
  options.max_luma_samples = 1 << 14;  // so that an execution stays short
  sidecore::vp9::Decoder decoder(options);
  while (file.size() > kPacketHeader) {
    const std::size_t claimed = file[0] | std::size_t{file[1]} << 8;
    file = file.subspan(kPacketHeader);
    const std::size_t size = std::min(claimed, file.size());
    decoder.decode(file.first(size),
                   [](const std::shared_ptr<const sidecore::vp9::FrameBuffer>&) {});
    file = file.subspan(size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < kFileHeader) return -1;
  try {
    decode(std::span(bytes, size).subspan(kFileHeader));
  } catch (const sidecore::Error& error) {
    if (!std::string_view(error.what()).starts_with("frame ")) std::abort();
  }
  return 0;
}
