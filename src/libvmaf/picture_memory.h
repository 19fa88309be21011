// Memory of the pictures of libvmaf's interface, and the pool of preallocated pictures.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "libvmaf/picture.h"
#include "video/picture.h"

namespace sidecore::libvmaf {

/// Returns the format of pictures. Throws Error (usage) for unknown formats and sizes.
[[nodiscard]] video::PictureFormat picture_format(VmafPixelFormat pixel_format, unsigned bits,
                                                  unsigned width, unsigned height);

/// Returns the format of a caller's picture. Throws Error (usage) if its members contradict each
/// other.
[[nodiscard]] video::PictureFormat picture_format(const VmafPicture& picture);

/// Pictures of one format that are used again and again. Pictures keep their pool alive, so that
/// its owner can drop it at any time.
class PicturePool : public std::enable_shared_from_this<PicturePool> {
 public:
  /// Allocates `count` pictures. Throws std::bad_alloc.
  PicturePool(VmafPixelFormat pixel_format, const video::PictureFormat& format, unsigned count);

  /// Waits until a picture is free and returns it with one reference.
  [[nodiscard]] VmafPicture fetch();

  /// Takes back the memory of a picture. It never allocates.
  void give_back(video::Picture memory) noexcept;

 private:
  VmafPixelFormat pixel_format_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<video::Picture> free_;
};

}  // namespace sidecore::libvmaf

/// Reference count of a picture, and its memory.
struct VmafRef {
  std::atomic<long> references{1};
  sidecore::video::Picture memory;
  std::shared_ptr<sidecore::libvmaf::PicturePool> pool;  ///< null: the memory is freed
};
