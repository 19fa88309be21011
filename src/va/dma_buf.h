// Memory that other devices can import: dma-bufs from a heap of the kernel.
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

/// A file descriptor that the destructor closes; -1: none.
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

/// A dma-buf heap of the kernel (linux/dma-heap.h).
class DmaHeap {
 public:
  /// Opens the heap `path`. If it is empty, opens the first usable heap of a list whose memory
  /// displays can show. Returns null and sets `why` if no heap exists that may be opened and gives
  /// memory.
  [[nodiscard]] static std::unique_ptr<DmaHeap> open(const std::string& path, std::string& why);

  /// Allocates a dma-buf of `bytes` bytes. Throws Error (environment, out of memory).
  [[nodiscard]] FileDescriptor allocate(std::size_t bytes) const;

 private:
  DmaHeap(std::string path, FileDescriptor heap);

  std::string path_;
  FileDescriptor heap_;
};

/// A surface's picture in a dma-buf, in the surface's native format. Each descriptor keeps the
/// memory alive, which holds the picture that was written last.
class ExportedImage {
 public:
  /// Creates a black image. Throws Error (environment, out of memory).
  ExportedImage(const DmaHeap& heap, const ImageFormat& format, int width, int height);
  ~ExportedImage();
  ExportedImage(const ExportedImage&) = delete;
  ExportedImage& operator=(const ExportedImage&) = delete;

  [[nodiscard]] const ImageFormat& format() const { return format_; }
  [[nodiscard]] const ImageLayout& layout() const { return layout_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  /// Returns a new descriptor of the memory, which the caller must close. Throws Error
  /// (environment).
  [[nodiscard]] int share() const;

  /// Writes a frame, or black if it is null, unless a picture with a higher `number`
  /// (Picture::number()) was written before. Any thread may call it.
  void write(std::uint64_t number, const vp9::FrameBuffer* frame) noexcept;

 private:
  const ImageFormat& format_;
  int width_;
  int height_;
  ImageLayout layout_;
  FileDescriptor memory_;
  std::span<std::byte> bytes_;  ///< mapped memory of the dma-buf
  std::mutex mutex_;            ///< guards the samples and newest_
  std::uint64_t newest_ = 0;    ///< number of the newest picture that was written
};

}  // namespace sidecore::va
