// Host side of the QPU implementation of metrics/float_adm_sums.h.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "metrics/float_adm.h"
#include "metrics/float_adm.interface.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Returns why the shaders cannot compute these options, as a sentence without full stop; empty if
/// they can.
[[nodiscard]] std::string float_adm_refusal(const metrics::AdmOptions& options);

/// Position of the sums of a scale's rows: one metrics::AdmSums::Scale per row.
struct AdmRowPlaces {
  std::array<std::uint32_t, metrics::kAdmScales> first{};
  std::uint32_t rows = 0;  ///< number of rows in all scales, gaps between the scales included
};
[[nodiscard]] AdmRowPlaces adm_row_places(const metrics::AdmScales& scales);

/// Records the dispatches that compute float_adm's sums for a pair of luma planes. The planes and
/// the results are in device-visible buffers. The class owns the buffers between the dispatches, so
/// command lists that use one object must not run at the same time.
class FloatAdm {
 public:
  /// Bytes of the sums that the device writes: those of metrics::AdmSums, scale by scale.
  static constexpr std::size_t kResultBytes =
      metrics::kAdmScales * 3 * metrics::kAdmBands * sizeof(float);

  /// Creates the recorder. Throws Error (usage) as metrics::FloatAdm does, and with the text of
  /// float_adm_refusal().
  FloatAdm(Device& device, const video::PictureFormat& format, const metrics::AdmOptions& options);

  [[nodiscard]] std::size_t row_bytes() const {
    return row_places_.rows * sizeof(metrics::AdmSums::Scale);
  }

  /// Records the dispatches. A plane's range must begin with its first sample; strides are in
  /// bytes, multiples of 4. `rows` receives the row sums, row_bytes() bytes in the layout of
  /// adm_row_places(). `totals` receives kResultBytes bytes.
  void record(CommandList& list, const BufferRange& reference, std::size_t reference_stride,
              const BufferRange& distorted, std::size_t distorted_stride, const BufferRange& rows,
              const BufferRange& totals) const;

  [[nodiscard]] static metrics::AdmSums sums(std::span<const std::byte> totals);

 private:
  /// Positions at which a scale's planes begin in the buffers.
  struct Place {
    std::uint32_t pitch = 0;
    std::uint32_t plane = 0;  ///< 32-bit numbers per plane
    /// Approximations: the reference's planes, then the distorted picture's.
    BufferRange approximations;
    BufferRange details;
    BufferRange thresholds;
  };

  void record_bands(CommandList& list, std::size_t k, const BufferRange& reference,
                    std::uint32_t reference_stride, const BufferRange& distorted,
                    std::uint32_t distorted_stride) const;
  [[nodiscard]] static shader::AdmMaskingPush masking_push(const metrics::AdmScale& scale,
                                                           const Place& place);
  void record_masking(CommandList& list, std::size_t k) const;
  void record_recomputation(CommandList& list, std::size_t k) const;
  void record_rows(CommandList& list, std::size_t k, const BufferRange& rows) const;
  void record_total(CommandList& list, const BufferRange& rows, const BufferRange& totals) const;

  video::PictureFormat format_;
  metrics::AdmOptions options_;
  metrics::AdmScales scales_;
  AdmRowPlaces row_places_;
  std::shared_ptr<Buffer> approximations_;
  std::shared_ptr<Buffer> details_;
  std::shared_ptr<Buffer> thresholds_;
  std::array<Place, metrics::kAdmScales> places_;
  std::shared_ptr<Program> luma_;
  std::shared_ptr<Program> bands_;
  std::shared_ptr<Program> masking_;
  std::shared_ptr<Program> recompute_;
  std::shared_ptr<Program> row_sums_;
  std::shared_ptr<Program> total_;
};

}  // namespace sidecore::qpu
