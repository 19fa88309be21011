// Device memory of a decoder's frames, and which copy of their samples is current.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/device.h"
#include "qpu/vp9/back_end.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/picture_planes.h"
#include "video/picture.h"
#include "vp9/frame_buffer.h"

namespace sidecore::qpu {

/// Copies of a frame's samples that are up to date if memory is staged. Without staging nothing is
/// copied, and this value has no effect.
enum class Residency : std::uint8_t { host, device, both };

/// Part of a buffer that holds one picture, with the objects that the device needs for its frame.
struct DeviceFrame {
  std::shared_ptr<Buffer> buffer;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::weak_ptr<void> user;  ///< pointer that expires when the picture is destroyed
  PicturePlanes planes;
  std::unique_ptr<LoopFilter> filter;
  /// Last submission that only filters this frame, kept until a wait for it has succeeded. After an
  /// exception the device may still use the memory.
  std::optional<Ticket> in_flight;
  std::atomic<Residency> residency = Residency::host;
  /// Number of bytes from one superblock row to the next, by plane.
  std::array<std::size_t, 3> row_bytes{};

  [[nodiscard]] bool holds(const vp9::FrameBuffer& frame) const {
    return buffer->bytes().data() + offset == frame.memory.bytes().data();
  }
  [[nodiscard]] bool on_device() const { return residency != Residency::host; }
  [[nodiscard]] bool on_host() const { return residency != Residency::device; }
  [[nodiscard]] BufferRange whole() const { return {buffer.get(), offset, bytes}; }
  /// Calls visit(range) for the part of each plane from superblock row `first_row` on.
  template <class Visit>
  void for_each_range(int first_row, const Visit& visit) const {
    if (first_row == 0) return visit(whole());
    for (std::size_t index = 0; index < planes.planes.size(); ++index) {
      const PicturePlanes::Plane& plane = planes.planes[index];
      const std::size_t before = static_cast<std::size_t>(first_row) * row_bytes[index];
      const std::size_t all = plane.stride * plane.rows;
      if (before < all) visit(BufferRange{buffer.get(), plane.offset + before, all - before});
    }
  }
};

/// All frames of a decoder. location_of() may be called on any thread at any time. Only one thread
/// at a time may call the other functions, because they use the device.
class DeviceFrames {
 public:
  /// Creates an empty set of frames. If `luma_only` is true, the CPU filters chroma, so the device
  /// gets only luma.
  DeviceFrames(Device& device, bool luma_only) : device_(device), luma_only_(luma_only) {}

  /// Allocates a picture that both the decoder and the device access. No frame whose picture is
  /// gone may be in flight. Throws Error (usage) for a bit depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);
  /// Returns the frame's entry. Throws Error (usage) unless allocate() made its memory.
  [[nodiscard]] DeviceFrame& of(const vp9::FrameBuffer& frame);
  /// Returns the frame's entry, or null unless allocate() made its memory.
  [[nodiscard]] DeviceFrame* find(const vp9::FrameBuffer& frame);
  /// Calls visit(frame) for each frame whose picture is gone.
  template <class Visit>
  void for_each_unused(const Visit& visit) {
    for (const auto& frame : frames_) {
      if (frame->user.expired()) visit(*frame);
    }
  }
  /// Implements DeviceBackEnd::location_of().
  [[nodiscard]] DevicePictureLocation location_of(const vp9::FrameBuffer& frame);
  /// Returns true if host and device have separate copies of the frames.
  [[nodiscard]] bool staged() const { return staged_; }

 private:
  /// Buffer for several pictures of one size. References that share a buffer share dispatches
  /// (InterPrediction).
  struct Block {
    std::shared_ptr<Buffer> buffer;
    std::size_t picture_bytes = 0;
    /// Pointers for the pictures in the buffer; each expires when its picture is destroyed.
    std::vector<std::weak_ptr<void>> users;
  };
  /// Returns a block with room for a picture of `bytes` bytes; allocates one if necessary.
  [[nodiscard]] Block& block_for(std::size_t bytes);

  Device& device_;
  bool luma_only_;
  std::atomic<bool> staged_ = false;
  std::vector<Block> blocks_;
  std::mutex mutex_;  ///< guards `frames_`; never held while the device is called
  std::vector<std::unique_ptr<DeviceFrame>> frames_;
};

}  // namespace sidecore::qpu
