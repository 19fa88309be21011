// Fuzzes video files of the metrics with any bytes: the result must be pictures of one format or an
// Error.
#include <sched.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "libav/open.h"
#include "video/planar_reader.h"

extern "C" {
#include <libavutil/mem.h>
}

namespace {

// Limit of a picture's size; larger pictures are slow.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr int kMaxPictures = 16;

/// Restricts the process to one CPU, different for each process, because libavcodec starts a thread
/// for each available CPU.
void keep_to_one_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int skip = static_cast<int>(::getpid() % CPU_COUNT(&allowed));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- > 0) continue;
    CPU_ZERO(&allowed);
    CPU_SET(cpu, &allowed);
    static_cast<void>(::sched_setaffinity(0, sizeof allowed, &allowed));
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  keep_to_one_cpu();
  // Limits memory, because libavcodec trusts the sizes in a stream.
  av_max_alloc(std::size_t{64} << 20);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sidecore::fuzz::MemoryFile kFile;
  if (!kFile.fill(bytes, size)) return -1;
  try {
    const auto source = sidecore::libav::open_source(kFile.path());
    if (sidecore::video::planar_bytes(source->format()) > kMaxBytes) return 0;
    sidecore::video::Picture picture(source->format());
    for (int count = 0; count < kMaxPictures && source->read(picture); ++count) {
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
