// A substitute for the kernel's dma-buf heaps (linux/dma-heap.h), for machines without one. The
// heap /dev/null gives ordinary memory; /dev/full never has memory. It is linked into a test, or
// preloaded into a player, where SIDECORE_DMA_HEAP chooses the heap.
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "va/dma_heap.h"

namespace sidecore::test {
namespace {

std::atomic<int> writes_begun;
std::atomic<int> writes_ended;

int allocate(int heap, dma_heap_allocation_data& request) {
  constexpr unsigned kMinorOfFull = 7;
  struct stat status {};
  if (::fstat(heap, &status) != 0) return -1;
  if (minor(status.st_rdev) == kMinorOfFull) {
    errno = ENOMEM;
    return -1;
  }
  const int memory = ::memfd_create("dma-buf", MFD_CLOEXEC);
  if (memory < 0) return -1;
  if (::ftruncate(memory, static_cast<off_t>(request.len)) != 0) {
    ::close(memory);
    return -1;
  }
  request.fd = static_cast<__u32>(memory);
  return 0;
}

int synchronise(const dma_buf_sync& sync) {
  if ((sync.flags & DMA_BUF_SYNC_WRITE) != 0) {
    ++((sync.flags & DMA_BUF_SYNC_END) != 0 ? writes_ended : writes_begun);
  }
  return 0;
}

}  // namespace

DmaWrites dma_writes() {
  return {writes_begun, writes_ended};
}

}  // namespace sidecore::test

extern "C" int ioctl(int file, unsigned long request, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == DMA_HEAP_IOCTL_ALLOC) {
    return sidecore::test::allocate(file, *static_cast<dma_heap_allocation_data*>(argument));
  }
  if (request == DMA_BUF_IOCTL_SYNC) {
    return sidecore::test::synchronise(*static_cast<const dma_buf_sync*>(argument));
  }
  return static_cast<int>(::syscall(SYS_ioctl, file, request, argument));
}
