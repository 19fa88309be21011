// Where a decoder's frames lie on the device that some of its stages run on.
#pragma once

#include <cstddef>

#include "qpu/buffer.h"
#include "vp9/frame_buffer.h"

namespace sidecore::qpu {

/// Of a frame, as long as it is held.
struct PicturePlace {
  const Buffer* buffer = nullptr;
  std::size_t offset = 0;  ///< of the frame's PictureLayout, in bytes
  bool is_current = true;  ///< false: of staged memory the host's side alone has the samples
};

/// Stages that keep a decoder's frames in a device's memory.
class DevicePictures {
 public:
  virtual ~DevicePictures() = default;
  /// Of a frame that was shown. Throws Error (usage) unless it is in memory that these stages
  /// allocate. Waits for nothing.
  [[nodiscard]] virtual PicturePlace place_of(const vp9::FrameBuffer& frame) = 0;
};

}  // namespace sidecore::qpu
