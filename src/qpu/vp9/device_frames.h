// The memory of a decoder's frames on a device, and which side has their samples.
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

/// Which copies of a frame's samples are up to date, where memory is staged. Where host and device
/// share memory nothing is copied, whatever this says.
enum class Residency : std::uint8_t { host, device, both };

/// A picture's part of a buffer, and what the device has to do with the frame in it.
struct DeviceFrame {
  std::shared_ptr<Buffer> buffer;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::weak_ptr<void> user;  ///< gone when the picture is
  PicturePlanes planes;
  std::unique_ptr<LoopFilter> filter;
  /// The last submission that filters this frame alone, until a wait for it has succeeded: whatever
  /// is thrown meanwhile, the device may still use the memory.
  std::optional<Ticket> in_flight;
  std::atomic<Residency> residency = Residency::host;
  std::array<std::size_t, 3> row_bytes{};  ///< from a row of superblocks to the next, by plane

  [[nodiscard]] bool holds(const vp9::FrameBuffer& frame) const {
    return buffer->bytes().data() + offset == frame.memory.bytes().data();
  }
  [[nodiscard]] bool on_device() const { return residency != Residency::host; }
  [[nodiscard]] bool on_host() const { return residency != Residency::device; }
  [[nodiscard]] BufferRange whole() const { return {buffer.get(), offset, bytes}; }
  /// Calls visit(range) for the planes' parts from a row of superblocks on.
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

/// All frames of a decoder. place_of() may be called on any thread at any time; the other functions
/// by one thread at a time, as the device is.
class DeviceFrames {
 public:
  /// With `luma_only` the frames' filters have no chroma, which the CPU filters.
  DeviceFrames(Device& device, bool luma_only) : device_(device), luma_only_(luma_only) {}

  /// Memory that both the decoder and the device see. Nothing of frames whose pictures are gone may
  /// be in flight. Throws Error (usage) for samples of a depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);
  /// Throws Error (usage) unless the frame is in memory that allocate() made.
  [[nodiscard]] DeviceFrame& of(const vp9::FrameBuffer& frame);
  /// Null unless the frame is in memory that allocate() made.
  [[nodiscard]] DeviceFrame* find(const vp9::FrameBuffer& frame);
  /// Calls visit(frame) for the frames whose pictures are gone.
  template <class Visit>
  void for_each_unused(const Visit& visit) {
    for (const auto& frame : frames_) {
      if (frame->user.expired()) visit(*frame);
    }
  }
  /// As DeviceBackEnd::place_of().
  [[nodiscard]] PicturePlace place_of(const vp9::FrameBuffer& frame);
  /// Whether host and device have memory of their own.
  [[nodiscard]] bool staged() const { return staged_; }

 private:
  /// A buffer of several pictures of one size: references that share one share dispatches
  /// (InterPrediction).
  struct Block {
    std::shared_ptr<Buffer> buffer;
    std::size_t picture_bytes = 0;
    std::vector<std::weak_ptr<void>> users;  ///< a picture each; gone when the picture is
  };
  /// A block with room for a picture of so many bytes.
  [[nodiscard]] Block& block_for(std::size_t bytes);

  Device& device_;
  bool luma_only_;
  std::atomic<bool> staged_ = false;
  std::vector<Block> blocks_;
  std::mutex mutex_;  ///< of `frames_`; never held while the device is called
  std::vector<std::unique_ptr<DeviceFrame>> frames_;
};

}  // namespace sidecore::qpu
