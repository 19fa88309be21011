// QPU implementation of metrics/psnr_hvs.h: host side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "metrics/psnr_hvs.h"
#include "metrics/psnr_hvs.interface.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// How invocations share out the work on a block; results are the same.
enum class HvsVariant : std::uint8_t {
  lanes,  ///< eight invocations a block, for GPUs
  block,  ///< one a block, for devices with registers for all of it: CPUs
};
[[nodiscard]] HvsVariant default_hvs_variant(const DeviceInfo& device);

/// Records the sums of metrics::hvs_sum() of two pictures that lie in device-visible buffers, as
/// six dispatches over all planes: the textures of either picture, the terms, where each plane's
/// sum will probably be, what runs of blocks then add to it, and the sums. Lists that it has
/// recorded run one after the other: they share its intermediate buffers.
class PsnrHvs {
 public:
  /// Pictures are laid out as video::PictureLayout says. With Chroma::c400 luma alone is summed.
  PsnrHvs(Device& device, const video::PictureFormat& format, HvsVariant variant);

  /// Bytes of all terms: for each run of up to 16 neighbouring blocks, 64 vectors of 16 floats, a
  /// vector a coefficient, a lane a block; runs follow each other row after row, plane after plane.
  [[nodiscard]] std::size_t terms_bytes() const;
  /// Runs of all planes.
  [[nodiscard]] std::size_t runs() const { return runs_; }

  /// The pictures' ranges start with the first sample. `terms` receives terms_bytes(), `results` a
  /// float a plane.
  void record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
              const BufferRange& terms, const BufferRange& results) const;

  /// The last three of the dispatches: adds up, in order, terms that are finite and not negative.
  /// `run_sums` holds, for each run, about the sum of its terms: 0 where they are all 0 and only
  /// there. However wrong it is otherwise, the results are right; it makes them slow.
  void record_sum(CommandList& list, const BufferRange& terms, const BufferRange& run_sums,
                  const BufferRange& results) const;

 private:
  void record_textures(CommandList& list, const BufferRange& picture, Buffer& textures) const;
  void record_terms_by_lanes(CommandList& list, const BufferRange& reference,
                             const BufferRange& distorted, const BufferRange& terms) const;
  void record_terms_by_block(CommandList& list, const BufferRange& reference,
                             const BufferRange& distorted, const BufferRange& terms) const;

  shader::HvsPush push_{};
  HvsVariant variant_;
  std::uint32_t planes_ = 0;
  std::uint32_t rows_ = 0;  ///< of blocks, of all planes
  std::uint32_t runs_ = 0;  ///< of all planes
  std::uint32_t runs_in_a_row_ = 0;
  std::shared_ptr<Program> texture_program_;
  std::vector<std::shared_ptr<Program>> terms_programs_;  ///< one, or one a plane
  std::shared_ptr<Program> binades_program_;
  std::shared_ptr<Program> steps_program_;
  std::shared_ptr<Program> sum_program_;
  std::shared_ptr<Buffer> tables_;
  std::shared_ptr<Buffer> reference_textures_;
  std::shared_ptr<Buffer> distorted_textures_;
  std::shared_ptr<Buffer> run_sums_;
  std::shared_ptr<Buffer> binades_;
  std::shared_ptr<Buffer> steps_;
};

/// A number of a table of psnr_hvs_terms.comp, and how its quotients are made.
struct HvsDivisor {
  float value = 0;
  float reciprocal_high = 0;  ///< leading 12 bits
  float reciprocal_low = 0;   ///< the rest, rounded
};
[[nodiscard]] HvsDivisor hvs_divisor(float value);

}  // namespace sidecore::qpu
