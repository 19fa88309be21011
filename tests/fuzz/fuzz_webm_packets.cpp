// Fuzzes WebM files that are read without libavformat: the result must be packets, an Error, or
// that libavformat should open the file.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "video/byte_stream.h"
#include "video/packet_source.h"
#include "webm/open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sidecore::fuzz::MemoryFile kFile;
  if (size == 0 || !kFile.fill(bytes, size)) return -1;
  try {
    auto stream = std::make_unique<sidecore::video::ByteStream>(kFile.path());
    const auto source = sidecore::webm::open_vp9_packets(stream);
    if (source == nullptr) return 0;
    sidecore::video::Packet packet;
    while (source->read(packet)) {
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
