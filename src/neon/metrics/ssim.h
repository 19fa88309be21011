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

/// The same means as metrics::Ssim, bit for bit. Windows are visited in vertical strips, each by
/// one thread, and the sums are certified (metrics/certified_mean.h); for a mean that this leaves
/// open, the picture's windows are visited again and added in the definition's order.
class Ssim {
 public:
  /// For planes of up to this width, and ThreadTeams of up to `threads` threads.
  Ssim(int max_width, std::size_t threads);

  /// Planes of bytes or floats have one size, at least 11 x 11 (asserted). Means that are not
  /// needed have no meaning.
  template <class Sample>
  [[nodiscard]] metrics::SsimMeans operator()(video::PlaneView<const Sample> a,
                                              video::PlaneView<const Sample> b,
                                              const metrics::SsimParts& needed, ThreadTeam& rows);

  /// One of the means, its sum in the definition's order from the start.
  template <class Sample>
  [[nodiscard]] float in_raster_order(video::PlaneView<const Sample> a,
                                      video::PlaneView<const Sample> b, metrics::SsimPart part);

  /// How many means were summed in the definition's order because they were open.
  [[nodiscard]] std::uint64_t open_means() const { return open_means_; }

 private:
  /// Of one strip: sums and the largest structure.
  template <Similarities Kind, class Sample>
  [[nodiscard]] static metrics::SimilaritySums visit_strip(SsimStrip& strip,
                                                           video::PlaneView<const Sample> a,
                                                           video::PlaneView<const Sample> b,
                                                           std::size_t number);

  std::vector<SsimStrip> strips_;  // one a thread at least, and one for each strip of a plane
  std::vector<metrics::SimilaritySums> sums_;  // of each strip
  /// The terms of one mean in eleven rows' windows, which are added one after the other.
  template <metrics::SsimPart Part, class Sample>
  [[nodiscard]] float mean_in_raster_order(video::PlaneView<const Sample> a,
                                           video::PlaneView<const Sample> b);

  // For sums in raster order: terms of eleven rows of windows. Empty until they are needed.
  std::array<std::vector<double>, SsimStrip::kRows> terms_;
  std::uint64_t open_means_ = 0;
};

}  // namespace sidecore::neon
