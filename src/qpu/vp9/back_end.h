// The back ends of a VP9 decoder that run stages on a device.
#pragma once

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "qpu/buffer.h"
#include "qpu/device.h"
#include "vp9/back_end.h"
#include "vp9/plan.h"

namespace sidecore::qpu {

/// Where a frame lies, as long as it is held.
struct PicturePlace {
  const Buffer* buffer = nullptr;
  std::size_t offset = 0;  ///< of the frame's PictureLayout, in bytes
  bool is_current = true;  ///< false: of staged memory the host's side alone has the samples
};

/// Runs a plan's stages on a device, in whose memory a decoder's frames live.
class DeviceBackEnd : public vp9::BackEnd {
 public:
  /// The place of a frame that was shown. Throws Error (usage) unless it is in memory that this
  /// back end allocated. Waits for nothing.
  [[nodiscard]] virtual PicturePlace place_of(const vp9::FrameBuffer& frame) = 0;
};

/// Makes the back end of a plan that uses the QPU. With the loop filter alone there, threads
/// reconstruct frames as without a device, and the filter works in the background
/// (LoopFilterStage); otherwise a frame's stages follow one another (PictureReconstruction). The
/// device outlives the decoder and its frames. Throws Error (usage) as vp9::Plan::check().
[[nodiscard]] std::shared_ptr<DeviceBackEnd> make_back_end(Device& device, const vp9::Plan& plan);

/// Returns true if `error`, of a decoder with such a plan, is of its device: lost, or it cannot do
/// what is asked of it. Where memory ran out, less may do.
[[nodiscard]] bool is_failed_device(const vp9::Plan& plan, const Error& error);
/// What a log says when the CPU goes on.
inline constexpr const char* kGoesOnWithoutQpu =
    "the device failed: the CPU goes on with all stages, at the next key frame";

}  // namespace sidecore::qpu
