// Fuzzes Y4M files with any bytes: the result must be pictures whose samples fit the header's bit
// depth, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "video/planar_reader.h"
#include "video/source.h"

namespace {

using namespace sidecore::video;

void require_depth(const Picture& picture) {
  const PictureFormat& format = picture.format();
  if (format.pixel.bits == 8) return;
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const auto view = picture.plane<std::uint16_t>(plane);
    for (int y = 0; y < view.height; ++y) {
      for (const std::uint16_t sample :
           std::span(view.row(y), static_cast<std::size_t>(view.width))) {
        if (sample >> format.pixel.bits != 0) std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sidecore::fuzz::MemoryFile kFile;
  if (!kFile.fill(bytes, size)) return -1;
  try {
    auto stream = std::make_unique<ByteStream>(kFile.path());
    if (stream->peek(kY4mSignature.size()) != kY4mSignature) return -1;
    const auto source = open_y4m(std::move(stream));
    // The header of a file without pictures may state any size, so files that are too short are
    // skipped.
    if (planar_bytes(source->format()) > size) return 0;
    Picture picture(source->format());
    while (source->read(picture)) require_depth(picture);
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
