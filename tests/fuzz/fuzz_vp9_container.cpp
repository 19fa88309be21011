// Fuzzes container files with any bytes: the result must be packets or an Error.
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "libav/open.h"
#include "video/packet_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sidecore::fuzz::MemoryFile kFile;
  if (!kFile.fill(bytes, size)) return -1;
  try {
    const auto source = sidecore::libav::open_packets(kFile.path());
    sidecore::video::Packet packet;
    while (source->read(packet)) {
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
