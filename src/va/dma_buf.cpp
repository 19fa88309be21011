#include "va/dma_buf.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace sidecore::va {
namespace {

/// Heaps whose memory a display can read; the CPU caches all of them. Raspberry Pi OS names the
/// first one, which suits the board: contiguous memory on a Pi 4, whose display uses physical
/// addresses, and any memory on a Pi 5. The other heaps are contiguous memory. The kernel names
/// such a heap after the device tree or the command line; since Linux 6.17 the name is
/// default_cma_region.
constexpr std::array kHeaps{"/dev/dma_heap/vidbuf_cached", "/dev/dma_heap/linux,cma",
                            "/dev/dma_heap/reserved", "/dev/dma_heap/default_cma_region"};

std::string text_of(int error) {
  return std::generic_category().message(error);
}

/// Calls ioctl() again if a signal interrupts it.
template <class Argument>
int control(const FileDescriptor& of, unsigned long request, Argument& argument) {
  int result = 0;
  do result = ::ioctl(of.number(), request, &argument);
  while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result;
}

/// Allows the CPU to write to a dma-buf while the object exists: the kernel syncs the cache at
/// begin and end. Errors are ignored, because a kernel without this call has no cache to sync.
class WriteAccess {
 public:
  explicit WriteAccess(const FileDescriptor& memory) : memory_(memory) { tell(DMA_BUF_SYNC_START); }
  ~WriteAccess() { tell(DMA_BUF_SYNC_END); }
  WriteAccess(const WriteAccess&) = delete;
  WriteAccess& operator=(const WriteAccess&) = delete;

 private:
  void tell(std::uint64_t end) const {
    dma_buf_sync sync{.flags = end | DMA_BUF_SYNC_WRITE};
    static_cast<void>(control(memory_, DMA_BUF_IOCTL_SYNC, sync));
  }
  const FileDescriptor& memory_;
};

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

DmaHeap::DmaHeap(std::string path, FileDescriptor heap)
    : path_(std::move(path)), heap_(std::move(heap)) {}

std::unique_ptr<DmaHeap> DmaHeap::open(const std::string& path, std::string& why) {
  why.clear();
  const auto attempt = [&why](const char* name) -> std::unique_ptr<DmaHeap> {
    FileDescriptor file(::open(name, O_RDWR | O_CLOEXEC));
    if (file.number() < 0) {
      // The reason of the last existing heap is kept; a missing heap is reported only if none
      // exists.
      if (errno != ENOENT || why.empty()) why = fmt::format("{}: {}", name, text_of(errno));
      return nullptr;
    }
    std::unique_ptr<DmaHeap> heap(new DmaHeap(name, std::move(file)));
    try {
      static_cast<void>(heap->allocate(1));
    } catch (const Error& error) {
      why = error.what();
      return nullptr;
    }
    return heap;
  };
  if (!path.empty()) return attempt(path.c_str());
  for (const char* const name : kHeaps) {
    if (std::unique_ptr<DmaHeap> heap = attempt(name)) return heap;
  }
  return nullptr;
}

FileDescriptor DmaHeap::allocate(std::size_t bytes) const {
  dma_heap_allocation_data request{};
  request.len = bytes;
  request.fd_flags = O_RDWR | O_CLOEXEC;
  if (control(heap_, DMA_HEAP_IOCTL_ALLOC, request) != 0) {
    throw Error::of_memory("{} cannot provide {} bytes: {}", path_, bytes, text_of(errno));
  }
  return FileDescriptor(static_cast<int>(request.fd));
}

ExportedImage::ExportedImage(const DmaHeap& heap, const ImageFormat& format, int width, int height)
    : format_(format),
      width_(width),
      height_(height),
      layout_(format, width, height),
      memory_(heap.allocate(layout_.bytes)) {
  void* const mapped =
      ::mmap(nullptr, layout_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.number(), 0);
  if (mapped == MAP_FAILED) {
    throw Error::of_memory("cannot map a dma-buf of {} bytes: {}", layout_.bytes, text_of(errno));
  }
  bytes_ = {static_cast<std::byte*>(mapped), layout_.bytes};
  write(0, nullptr);
}

ExportedImage::~ExportedImage() {
  ::munmap(bytes_.data(), bytes_.size());
}

int ExportedImage::share() const {
  const int shared = ::fcntl(memory_.number(), F_DUPFD_CLOEXEC, 0);
  if (shared < 0) throw environment_error("cannot share a dma-buf: {}", text_of(errno));
  return shared;
}

void ExportedImage::write(std::uint64_t number, const vp9::FrameBuffer* frame) noexcept {
  const std::lock_guard lock(mutex_);
  if (number < newest_) return;
  newest_ = number;
  const WriteAccess access(memory_);
  write_image(frame, {0, 0, width_, height_}, format_, layout_, bytes_);
}

}  // namespace sidecore::va
