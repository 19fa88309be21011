// What clients hold ids of.
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

/// The render target format of surfaces of 8, 10 or 12 bits.
[[nodiscard]] constexpr unsigned rt_format_of(int bits) {
  return bits == 8    ? VA_RT_FORMAT_YUV420
         : bits == 10 ? VA_RT_FORMAT_YUV420_10
                      : VA_RT_FORMAT_YUV420_12;
}

struct Config {
  VAProfile profile = VAProfileVP9Profile0;
  unsigned rt_formats = VA_RT_FORMAT_YUV420;  ///< of its surfaces, one or more
  /// Returns true if surfaces of 8, 10 or 12 bits are of it. Profile 2 has the latter two, and who
  /// asks for a config without a format does not know which.
  [[nodiscard]] bool takes(int bits) const { return (rt_formats & rt_format_of(bits)) != 0; }
};

/// A picture with its stream, which goes on decoding it as long as somebody has both. Null: none.
struct HeldPicture {
  std::shared_ptr<Stream> stream;  ///< outlives the picture here
  std::shared_ptr<Picture> picture;

  /// Waits until it is there. Null without samples.
  [[nodiscard]] const vp9::FrameBuffer* wait() const {
    return picture == nullptr ? nullptr : picture->wait();
  }
};

/// Has no samples of its own, unless it was exported: it holds a picture, whose frame is the
/// decoder's.
class Surface {
 public:
  Surface(int width, int height, int bits) : width_(width), height_(height), bits_(bits) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int bits() const { return bits_; }

  // Images are written outside of the lock, for which others wait that only ask.

  void hold(HeldPicture other) {
    const std::shared_ptr<Picture> picture = other.picture;
    std::shared_ptr<ExportedImage> exported = exchange(std::move(other));
    if (exported != nullptr && picture != nullptr) picture->export_to(std::move(exported));
  }
  /// Holds nothing in place of a picture of that number.
  void lose(std::uint64_t number) {
    const std::shared_ptr<ExportedImage> exported = exchange({});
    if (exported != nullptr) exported->write(number, nullptr);
  }
  /// What has been decoded to it, or is being. Whoever reads the picture has both meanwhile.
  [[nodiscard]] HeldPicture held() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

  /// Memory that gets each picture that the surface holds, also the one of now, before it is done.
  /// The same at each call. Throws as ExportedImage does.
  [[nodiscard]] std::shared_ptr<ExportedImage> exported(const DmaHeap& heap) {
    {
      const std::lock_guard lock(mutex_);
      if (exported_ != nullptr) return exported_;
    }
    auto made = std::make_shared<ExportedImage>(heap, native_format(bits_), width_, height_);
    std::shared_ptr<Picture> picture;
    {
      const std::lock_guard lock(mutex_);
      if (exported_ != nullptr) return exported_;  // another thread's
      exported_ = made;
      picture = held_.picture;
    }
    if (picture != nullptr) picture->export_to(made);
    return made;
  }

  /// What vaQuerySurfaceError() gives, for as long as the surface lives and nobody asks anew: all
  /// of the picture is damaged, or nothing.
  [[nodiscard]] VASurfaceDecodeMBErrors* describe_errors(bool damaged) {
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
  /// Takes a picture, or nothing, for what it held, which ends outside of the lock. Returns the
  /// image that it has to be written to.
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
  std::shared_ptr<ExportedImage> exported_;  ///< null: nobody has asked for it
};

/// Bytes that a client may map.
struct Buffer {
  VABufferType type = VABufferTypeMax;
  std::size_t element_bytes = 0;
  std::mutex mutex;  ///< of what follows
  std::size_t elements = 0;
  std::vector<std::byte> bytes;
  /// Of a derived image: whose picture is written to the bytes when they are mapped.
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
  std::mutex mutex;  ///< of what follows; for calls of one picture, from several threads
  std::shared_ptr<Stream> stream;  ///< null before the first picture
  bool told_of_lost_bits = false;  ///< once is enough
  // Between BeginPicture and EndPicture:
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

/// Objects of a kind by id. Of a display, under its mutex.
template <class Object>
class Table {
 public:
  /// The ids of all tables come from one counter: none is two objects'.
  VAGenericID add(std::shared_ptr<Object> object, VAGenericID& next) {
    while (next == VA_INVALID_ID || objects_.contains(next)) ++next;
    objects_.emplace(next, std::move(object));
    return next++;
  }
  /// Null for an id that there is not.
  [[nodiscard]] std::shared_ptr<Object> find(VAGenericID id) const {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second;
  }
  /// Returns what the id stood for.
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
