// Any bytes as a WebM or MP4 file: packets come out, or an Error. An odd number of bytes comes
// through a pipe, which libavformat reads by functions of ours.
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

constexpr std::size_t kPipeBytes = 65536;  // that a pipe holds while nobody reads

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
  av_max_alloc(std::size_t{64} << 20);  // what a container claims is libavformat's to believe
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
