// Host side of the QPU implementation of metrics/psnr_hvs.h.
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

/// How invocations divide the work on a block; both variants give the same results.
enum class HvsVariant : std::uint8_t {
  lanes,  ///< eight invocations per block, for GPUs
  block,  ///< one invocation per block, for devices with enough registers for a whole block: CPUs
};
[[nodiscard]] HvsVariant default_hvs_variant(const DeviceInfo& device);

/// Records six dispatches that compute the sums of metrics::hvs_sum() for two pictures in
/// device-visible buffers. Over all planes they compute the textures of each picture, the terms, an
/// estimate of each plane's sum, what each run of blocks adds to it, and the sums. Its command
/// lists share intermediate buffers, so they must run one after the other.
class PsnrHvs {
 public:
  /// Creates the recorder. Pictures must have the layout of video::PictureLayout. With Chroma::c400
  /// only luma is summed.
  PsnrHvs(Device& device, const video::PictureFormat& format, HvsVariant variant);

  /// Returns the bytes of all terms. A run of up to 16 neighbouring blocks has 64 vectors of 16
  /// floats: one vector per coefficient, one lane per block. Runs are stored row by row, plane by
  /// plane.
  [[nodiscard]] std::size_t terms_bytes() const;
  /// Returns the number of runs in all planes. A run is up to 16 neighbouring blocks.
  [[nodiscard]] std::size_t runs() const { return runs_; }

  /// Records the dispatches. The pictures' ranges must begin with the first sample. `terms`
  /// receives terms_bytes() bytes, `results` one float per plane.
  void record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
              const BufferRange& terms, const BufferRange& results) const;

  /// Records the last three dispatches, which add up, in order, terms that are finite and not
  /// negative. `run_sums` holds an estimate of the sum of each run's terms; it must be 0 exactly if
  /// all terms are 0. A bad estimate only makes the dispatches slow; results stay right.
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
  std::uint32_t rows_ = 0;  ///< number of rows of blocks in all planes
  std::uint32_t runs_ = 0;  ///< number of runs of blocks in all planes
  std::uint32_t runs_in_a_row_ = 0;
  std::shared_ptr<Program> texture_program_;
  /// Programs for the terms: one, or one per plane.
  std::vector<std::shared_ptr<Program>> terms_programs_;
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

/// A number of the tables of psnr_hvs_terms.comp, with the parts that its quotients need.
struct HvsDivisor {
  float value = 0;
  float reciprocal_high = 0;  ///< leading 12 bits
  float reciprocal_low = 0;   ///< bits of the reciprocal below reciprocal_high, rounded
};
[[nodiscard]] HvsDivisor hvs_divisor(float value);

}  // namespace sidecore::qpu
