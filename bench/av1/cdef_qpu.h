// CDEF on the QPU: one dispatch finds the directions of a picture's blocks, one filters its planes.
#pragma once

#include <memory>
#include <vector>

#include "av1/cdef.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "video/picture.h"

namespace sidecore::av1 {

/// Dispatches of cdef_direction.comp and cdef_filter.comp for pictures of one format. Must not
/// outlive the device. Recorded lists keep its buffers alive.
class CdefQpu {
 public:
  /// Throws Error (usage) as check_cdef_format() does.
  CdefQpu(qpu::Device& device, const video::PictureFormat& format);

  /// Returns the shaders for a bit depth of 8 or 10.
  [[nodiscard]] static std::vector<qpu::Shader> shaders(int bits);

  /// Packs what the dispatches read of a frame. Must not be called while a submission is in flight.
  /// Throws Error (usage) as check_cdef_frame() does.
  void set_frame(const CdefFrame& frame);

  /// Records the upload of the frame and both dispatches. `from` and `to` hold pictures in the
  /// layout video::PictureLayout of the format; every sample of `to` is written. set_frame() may
  /// be called again between submissions of the list if the frames have the same damping.
  void record(qpu::CommandList& list, const qpu::BufferRange& from,
              const qpu::BufferRange& to) const;

 private:
  void fill_steps();

  video::PictureFormat format_;
  video::PictureLayout layout_;
  CdefGrid grid_;
  std::uint32_t damping_ = 3;
  std::shared_ptr<qpu::Program> direction_;
  std::shared_ptr<qpu::Program> filter_;
  std::shared_ptr<qpu::Buffer> filter_blocks_;
  std::shared_ptr<qpu::Buffer> blocks_;
  std::shared_ptr<qpu::Buffer> steps_;
};

}  // namespace sidecore::av1
