// QPU implementation of metrics/adm.h: host side.
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

/// Records the sums of a pair of luma planes that lie in device-visible buffers. Owns the buffers
/// between the dispatches: lists with it must not run at the same time.
class Adm {
 public:
  static constexpr std::size_t kResultBytes = sizeof(metrics::IntegerAdmTotals);

  /// For pictures that the feature takes.
  Adm(Device& device, const video::PictureFormat& format);

  /// Where the rows' sums lie: metrics::IntegerAdmSums, one a row.
  [[nodiscard]] const AdmRowPlaces& row_places() const { return row_places_; }

  /// The wavelets of both pictures. Planes are bound as ranges whose first byte is the first
  /// sample; strides are in bytes, multiples of 16. Throws Error (usage) for a stride or a range
  /// that does not hold the rows.
  void record_transform(CommandList& list, const BufferRange& reference,
                        std::size_t reference_stride, const BufferRange& distorted,
                        std::size_t distorted_stride) const;
  /// Of those the sums. `rows` receives the rows' sums, `totals` kResultBytes.
  void record_sums(CommandList& list, const metrics::IntegerAdmRequest& request,
                   const BufferRange& rows, const BufferRange& totals) const;

 private:
  /// Where a scale's planes begin in the buffers.
  struct Place {
    metrics::AdmScale geometry;
    std::uint32_t pitch = 0;
    std::uint32_t plane = 0;  ///< numbers
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
  std::array<std::shared_ptr<Program>, 2> detail_programs_;  ///< of scale 0, and of the others
  std::array<std::shared_ptr<Program>, 2> row_programs_;
  std::shared_ptr<Program> total_;
};

}  // namespace sidecore::qpu
