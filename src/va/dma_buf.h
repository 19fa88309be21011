// Memory that other devices can import: dma-bufs from one of the kernel's heaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "va/image.h"
#include "vp9/frame_buffer.h"

namespace sidecore::va {

/// A file descriptor that is closed in the end; -1: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A heap of the kernel's (linux/dma-heap.h).
class DmaHeap {
 public:
  /// Opens `path`, or without one the first heap that there is of those whose memory a display can
  /// show. Null where there is none, it is not the user's to open, or it gives no memory; then
  /// `why` says so.
  [[nodiscard]] static std::unique_ptr<DmaHeap> open(const std::string& path, std::string& why);

  /// Throws Error (environment, out of memory).
  [[nodiscard]] FileDescriptor allocate(std::size_t bytes) const;

 private:
  DmaHeap(std::string path, FileDescriptor heap);

  std::string path_;
  FileDescriptor heap_;
};

/// A surface's picture in memory that others import, in its native format. Whoever has a descriptor
/// keeps the memory, and finds there what was written last.
class ExportedImage {
 public:
  /// Black. Throws Error (environment, out of memory).
  ExportedImage(const DmaHeap& heap, const ImageFormat& format, int width, int height);
  ~ExportedImage();
  ExportedImage(const ExportedImage&) = delete;
  ExportedImage& operator=(const ExportedImage&) = delete;

  [[nodiscard]] const ImageFormat& format() const { return format_; }
  [[nodiscard]] const ImageLayout& layout() const { return layout_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  /// One more descriptor of the memory, the caller's to close. Throws Error (environment).
  [[nodiscard]] int share() const;

  /// Writes a frame, black without one; unless a later picture has been written: `number` is
  /// Picture::number(). Any threads.
  void write(std::uint64_t number, const vp9::FrameBuffer* frame) noexcept;

 private:
  const ImageFormat& format_;
  int width_;
  int height_;
  ImageLayout layout_;
  FileDescriptor memory_;
  std::span<std::byte> bytes_;  ///< mapped
  std::mutex mutex_;            ///< of the samples, and of what follows
  std::uint64_t newest_ = 0;    ///< written
};

}  // namespace sidecore::va
