// Objects whose ids players hold: configs, surfaces, buffers, images and contexts.
#pragma once

#include <va/va.h>
#include <va/va_dec_vp9.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "va/dma_buf.h"
#include "va/image.h"
#include "va/picture.h"
#include "va/refusal.h"
#include "va/stream.h"

namespace sidecore::va {

/// Returns the render target format of surfaces with 8, 10 or 12 bits per sample.
[[nodiscard]] constexpr unsigned rt_format_of(int bits) {
  return bits == 8    ? VA_RT_FORMAT_YUV420
         : bits == 10 ? VA_RT_FORMAT_YUV420_10
                      : VA_RT_FORMAT_YUV420_12;
}

struct Config {
  VAProfile profile = VAProfileVP9Profile0;
  unsigned rt_formats = VA_RT_FORMAT_YUV420;  ///< set of render target formats, one bit each
  /// Returns true if surfaces with `bits` bits per sample suit the config. A config of profile 2
  /// without a requested format accepts both 10 and 12 bits.
  [[nodiscard]] bool takes(int bits) const { return (rt_formats & rt_format_of(bits)) != 0; }
};

/// A picture together with the stream that decodes it. Holding the stream keeps the decoding going.
/// Both are null if there is no picture.
struct HeldPicture {
  std::shared_ptr<Stream> stream;  ///< declared first, so that it outlives the picture
  std::shared_ptr<Picture> picture;

  /// Waits until the picture is decoded. Returns null if there are no samples.
  [[nodiscard]] const vp9::FrameBuffer* wait() const {
    return picture == nullptr ? nullptr : picture->wait();
  }
};

/// A surface of a player. It has no samples of its own unless it was exported: it holds a picture,
/// whose frame belongs to the decoder.
class Surface {
 public:
  Surface(int width, int height, int bits) : width_(width), height_(height), bits_(bits) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int bits() const { return bits_; }

  // Members for exported images, which are written without the lock, so that other calls do not
  // wait for the copy.

  /// Replaces the held picture. An exported image gets the new picture when it is decoded.
  void hold(HeldPicture other) {
    const std::shared_ptr<Picture> picture = other.picture;
    std::shared_ptr<ExportedImage> exported = exchange(std::move(other));
    if (exported != nullptr && picture != nullptr) picture->export_to(std::move(exported));
  }
  /// Releases the held picture, because picture `number`, which was to replace it, is lost. An
  /// exported image becomes black.
  void lose(std::uint64_t number) {
    const std::shared_ptr<ExportedImage> exported = exchange({});
    if (exported != nullptr) exported->write(number, nullptr);
  }
  /// Returns the picture that is or will be decoded to the surface. A reader must keep the result
  /// while it reads.
  [[nodiscard]] HeldPicture held() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

  /// Returns the exported image; the first call makes it. Every picture of the surface, including
  /// the current one, is written to the image before the picture counts as done. Throws as
  /// ExportedImage does.
  [[nodiscard]] std::shared_ptr<ExportedImage> exported(const DmaHeap& heap) {
    {
      const std::lock_guard lock(mutex_);
      if (exported_ != nullptr) return exported_;
    }
    auto made = std::make_shared<ExportedImage>(heap, native_format(bits_), width_, height_);
    std::shared_ptr<Picture> picture;
    {
      const std::lock_guard lock(mutex_);
      // Another thread has exported the surface meanwhile.
      if (exported_ != nullptr) return exported_;
      exported_ = made;
      picture = held_.picture;
    }
    if (picture != nullptr) picture->export_to(made);
    return made;
  }

  /// Returns the list for vaQuerySurfaceError(): all blocks of the picture are damaged, or none. It
  /// is valid until the next call, and as long as the surface.
  [[nodiscard]] VASurfaceDecodeMBErrors* make_error_list(bool damaged) {
    const std::lock_guard lock(mutex_);
    const auto blocks = [](int size) { return static_cast<std::uint32_t>(size + 15) / 16; };
    errors_ = {};
    errors_[0].status = damaged ? 1 : -1;
    errors_[0].num_mb = blocks(width_) * blocks(height_);
    errors_[0].end_mb = errors_[0].num_mb - 1;
    errors_[0].decode_error_type = VADecodeMBError;
    errors_[1].status = -1;
    return errors_.data();
  }

 private:
  /// Replaces the held picture by `other`, which may be empty; the old picture is released after
  /// the lock. Returns the exported image, to which the caller must write the new picture, or null.
  std::shared_ptr<ExportedImage> exchange(HeldPicture other) {
    const std::lock_guard lock(mutex_);
    std::swap(held_, other);
    return exported_;
  }

  int width_;
  int height_;
  int bits_;
  mutable std::mutex mutex_;
  HeldPicture held_;
  std::array<VASurfaceDecodeMBErrors, 2> errors_{};
  /// Exported image; null until the player exports the surface.
  std::shared_ptr<ExportedImage> exported_;
};

/// Memory that a player may map.
struct Buffer {
  VABufferType type = VABufferTypeMax;
  std::size_t element_bytes = 0;
  std::mutex mutex;  ///< guards `elements` and `bytes`
  std::size_t elements = 0;
  std::vector<std::byte> bytes;
  /// For a derived image: the surface whose picture is written to `bytes` when they are mapped.
  std::shared_ptr<Surface> surface;
};

struct Image {
  const ImageFormat* format = nullptr;
  int width = 0;
  int height = 0;
  VABufferID buffer_id = VA_INVALID_ID;
  std::shared_ptr<Buffer> buffer;
};

struct Context {
  Config config;
  /// Guards the members below, because a picture's calls may come from several threads.
  std::mutex mutex;
  /// Stream of the context's pictures; null before the first picture.
  std::shared_ptr<Stream> stream;
  bool told_of_lost_bits = false;  ///< true if the log has the line about lost bits
  // Members that are set from BeginPicture to EndPicture.
  std::shared_ptr<Surface> target;
  std::optional<VADecPictureParameterBufferVP9> picture;
  std::optional<VASliceParameterBufferVP9> slice;
  std::optional<Bytes> data;

  void forget_picture() {
    target = nullptr;
    picture.reset();
    slice.reset();
    data.reset();
  }
};

/// Table of objects of one type, by id. The display's mutex guards it.
template <class Object>
class Table {
 public:
  /// Adds an object and returns its id. All tables share the counter `next`, so that each id means
  /// one object.
  VAGenericID add(std::shared_ptr<Object> object, VAGenericID& next) {
    while (next == VA_INVALID_ID || objects_.contains(next)) ++next;
    objects_.emplace(next, std::move(object));
    return next++;
  }
  /// Returns the object with this id; null if the id is unknown.
  [[nodiscard]] std::shared_ptr<Object> find(VAGenericID id) const {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second;
  }
  /// Removes and returns the object with this id; null if the id is unknown.
  std::shared_ptr<Object> remove(VAGenericID id) {
    const auto found = objects_.find(id);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  std::map<VAGenericID, std::shared_ptr<Object>> objects_;
};

}  // namespace sidecore::va
