// Host side of the QPU implementation of metrics/adm.h.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "metrics/adm.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/metrics/float_adm.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Records the dispatches that compute adm's sums for a pair of luma planes. The planes and the
/// results are in device-visible buffers. The class owns the buffers between the dispatches, so
/// command lists that use one object must not run at the same time.
class Adm {
 public:
  static constexpr std::size_t kResultBytes = sizeof(metrics::IntegerAdmTotals);

  /// Creates the recorder; `format` must be one that the feature adm accepts.
  Adm(Device& device, const video::PictureFormat& format);

  /// Returns the layout of the row sums: one metrics::IntegerAdmSums per row.
  [[nodiscard]] const AdmRowPlaces& row_places() const { return row_places_; }

  /// Records the wavelets of both pictures. A plane's range must begin with its first sample;
  /// strides are in bytes, multiples of 16. Throws Error (usage) if a stride or a range is too
  /// small for the rows.
  void record_transform(CommandList& list, const BufferRange& reference,
                        std::size_t reference_stride, const BufferRange& distorted,
                        std::size_t distorted_stride) const;
  /// Records the sums over the wavelets of record_transform(). `rows` receives the sums of each
  /// row, `totals` receives kResultBytes bytes.
  void record_sums(CommandList& list, const metrics::IntegerAdmRequest& request,
                   const BufferRange& rows, const BufferRange& totals) const;

 private:
  /// Positions at which a scale's planes begin in the buffers.
  struct Place {
    metrics::AdmScale geometry;
    std::uint32_t pitch = 0;
    std::uint32_t plane = 0;  ///< 32-bit numbers per plane
    BufferRange wavelets;
    BufferRange details;
  };

  void record_details(CommandList& list, const metrics::IntegerAdmRequest& request,
                      std::size_t k) const;
  void record_rows(CommandList& list, const metrics::IntegerAdmScale& scale,
                   const BufferRange& rows) const;

  video::PictureFormat format_;
  AdmRowPlaces row_places_;
  std::shared_ptr<Buffer> wavelets_;
  std::shared_ptr<Buffer> details_;
  std::array<Place, metrics::kAdmScales> places_;
  std::array<std::shared_ptr<Program>, metrics::kAdmScales> transforms_;
  std::array<std::shared_ptr<Program>, 2>
      detail_programs_;  ///< the programs of scale 0 and of the other scales
  std::array<std::shared_ptr<Program>, 2> row_programs_;
  std::shared_ptr<Program> total_;
};

}  // namespace sidecore::qpu
