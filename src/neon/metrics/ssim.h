// NEON implementation of metrics/ssim.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_team.h"
#include "metrics/certified_mean.h"
#include "metrics/ssim.h"
#include "neon/metrics/ssim_similarity.h"
#include "neon/metrics/ssim_strip.h"
#include "video/picture.h"

namespace sidecore::neon {

/// Computes the same means as metrics::Ssim, bit for bit. One thread processes each vertical strip
/// of windows, and the sums are certified (metrics/certified_mean.h). For an undecided mean the
/// windows are processed again and added in the scalar definition's order.
class Ssim {
 public:
  /// Prepares for planes of up to `max_width` samples per row, and ThreadTeams of up to `threads`
  /// threads.
  Ssim(int max_width, std::size_t threads);

  /// Computes the needed means; other means are undefined. Both planes, of bytes or floats, must
  /// have the same size, at least 11 x 11 (asserted).
  template <class Sample>
  [[nodiscard]] metrics::SsimMeans operator()(video::PlaneView<const Sample> a,
                                              video::PlaneView<const Sample> b,
                                              const metrics::SsimParts& needed, ThreadTeam& rows);

  /// Returns one mean, summed in the scalar definition's order.
  template <class Sample>
  [[nodiscard]] float in_raster_order(video::PlaneView<const Sample> a,
                                      video::PlaneView<const Sample> b, metrics::SsimPart part);

  /// Returns the number of undecided means that were recomputed in the scalar definition's order.
  [[nodiscard]] std::uint64_t undecided_means() const { return undecided_means_; }

 private:
  /// Sums one strip, and finds its largest structure.
  template <Similarities Kind, class Sample>
  [[nodiscard]] static metrics::SimilaritySums visit_strip(SsimStrip& strip,
                                                           video::PlaneView<const Sample> a,
                                                           video::PlaneView<const Sample> b,
                                                           std::size_t number);

  std::vector<SsimStrip> strips_;  // strips; at least one per thread and one per strip of a plane
  std::vector<metrics::SimilaritySums> sums_;  // sums of each strip
  /// Returns one mean, adding the terms of eleven rows of windows at a time in raster order.
  template <metrics::SsimPart Part, class Sample>
  [[nodiscard]] float mean_in_raster_order(video::PlaneView<const Sample> a,
                                           video::PlaneView<const Sample> b);

  // Terms of eleven rows of windows, for sums in raster order. Empty until needed.
  std::array<std::vector<double>, SsimStrip::kRows> terms_;
  std::uint64_t undecided_means_ = 0;
};

}  // namespace sidecore::neon
