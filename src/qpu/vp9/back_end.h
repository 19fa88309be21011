// Back ends of a VP9 decoder that run pixel stages on a device.
#pragma once

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "base/own_process.h"
#include "qpu/buffer.h"
#include "qpu/device.h"
#include "vp9/back_end.h"
#include "vp9/plan.h"
#include "vp9/returned_frames.h"

namespace sidecore::qpu {

/// Location of a frame in device memory, valid while the frame is held.
struct DevicePictureLocation {
  const Buffer* buffer = nullptr;
  std::size_t offset = 0;  ///< start of the frame's PictureLayout in `buffer`, in bytes
  /// False if memory is staged and only the host's copy has the current samples.
  bool is_current = true;
};

/// Runs the stages of a plan on a device. The decoder's frames are in the device's memory.
class DeviceBackEnd : public vp9::BackEnd {
 public:
  /// Returns the location of a shown frame without waiting. Throws Error (usage) unless this back
  /// end allocated the frame's memory.
  [[nodiscard]] virtual DevicePictureLocation location_of(const vp9::FrameBuffer& frame) = 0;
};

/// Resources of a decoder that its pictures need after it is closed.
struct SharedPictureResources {
  std::unique_ptr<Device> device;  ///< device of the decoder; null unless frames are in its memory
  /// Back end of the decoder; null unless pictures need location_of().
  std::shared_ptr<DeviceBackEnd> back_end;
  vp9::ReturnedFrames returned;
  OwnProcess process;
};

/// Makes the back end for a plan that uses the QPU. If the QPU runs only the loop filter, threads
/// reconstruct frames as without a device, and the filter works in the background
/// (LoopFilterStage). Otherwise the stages of one frame run in sequence (PictureReconstruction).
/// The device must outlive the decoder and its frames. Throws Error (usage) as vp9::Plan::check().
[[nodiscard]] std::shared_ptr<DeviceBackEnd> make_back_end(Device& device, const vp9::Plan& plan);

/// Returns true if `error`, thrown by a decoder with this plan, means that its device is lost or
/// cannot do the work. False if memory ran out, because a decoder that needs less memory may still
/// work.
[[nodiscard]] bool is_failed_device(const vp9::Plan& plan, const Error& error);
/// Log message for a failed device, whose work the CPU takes over.
inline constexpr const char* kCpuTakesOverMessage =
    "the device failed: the CPU runs all stages from the next key frame on";

}  // namespace sidecore::qpu
