// What clients hold ids of.
#pragma once

#include <va/va.h>
#include <va/va_dec_vp9.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "va/image.h"
#include "va/picture.h"
#include "va/refusal.h"
#include "va/stream.h"

namespace sidecore::va {

struct Config {
  VAProfile profile = VAProfileVP9Profile0;
  /// 8, or 10 of profile 2.
  [[nodiscard]] int bits() const { return profile == VAProfileVP9Profile2 ? 10 : 8; }
};

/// Has no samples of its own: it holds a picture, whose frame is the decoder's.
class Surface {
 public:
  Surface(int width, int height, int bits) : width_(width), height_(height), bits_(bits) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int bits() const { return bits_; }

  void hold(std::shared_ptr<Stream> stream, std::shared_ptr<Picture> picture) {
    const std::lock_guard lock(mutex_);
    stream_.swap(stream);
    picture_.swap(picture);
  }
  /// Null: nothing has been decoded to it.
  [[nodiscard]] std::shared_ptr<Picture> picture() const {
    const std::lock_guard lock(mutex_);
    return picture_;
  }
  /// The stream of its picture.
  [[nodiscard]] std::shared_ptr<Stream> stream() const {
    const std::lock_guard lock(mutex_);
    return stream_;
  }

 private:
  int width_;
  int height_;
  int bits_;
  mutable std::mutex mutex_;
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<Picture> picture_;
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
