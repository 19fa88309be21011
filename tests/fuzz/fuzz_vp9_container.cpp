// Any bytes as a file: packets come out, or an Error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "libav/open.h"
#include "video/packet_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int kFile = ::memfd_create("input", 0);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  if (::ftruncate(kFile, 0) != 0 || ::pwrite(kFile, bytes, size, 0) != static_cast<ssize_t>(size)) {
    return -1;
  }
  try {
    const auto source = sidecore::libav::open_packets(kPath);
    sidecore::video::Packet packet;
    while (source->read(packet)) {
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
