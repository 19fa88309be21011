// Fuzzes WebM and MP4 input with any bytes: the result must be packets or an Error. An odd number
// of bytes is read through a pipe, for which libavformat uses sidecore's read functions.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "libav/open.h"
#include "video/packet_source.h"

extern "C" {
#include <libavutil/mem.h>
}

namespace {

constexpr std::size_t kPipeBytes = 65536;  // capacity of a pipe without a reader

void read_all(const std::string& path) {
  try {
    const auto source = sidecore::libav::open_packets(path);
    sidecore::video::Packet packet;
    while (source->read(packet)) {
    }
  } catch (const sidecore::Error&) {
    return;
  }
}

void read_pipe(const std::uint8_t* bytes, std::size_t size) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const bool written = ::write(ends[1], bytes, size) == static_cast<ssize_t>(size);
  ::close(ends[1]);
  if (written) read_all("/proc/self/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  // Limits memory, because libavformat trusts the sizes in a container.
  av_max_alloc(std::size_t{64} << 20);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sidecore::fuzz::MemoryFile kFile;
  if (size % 2 != 0 && size <= kPipeBytes) {
    read_pipe(bytes, size);
  } else if (kFile.fill(bytes, size)) {
    read_all(kFile.path());
  }
  return 0;
}
