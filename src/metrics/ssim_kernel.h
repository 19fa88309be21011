// Common computation of float_ssim and float_ms_ssim: planes and means that several requests need
// are computed once.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/pair_kernel.h"
#include "metrics/ssim.h"
#include "metrics/ssim_scores.h"

namespace sidecore::metrics {

/// Number of plane pairs that can have means. Indexes 1 to 10 are the scales; scale 1 is also level
/// 0. Indexes 11 to 14 are levels 1 to 4; index 0 is unused.
inline constexpr std::size_t kSsimPlaces = kMaxSsimScale + kMsSsimLevels;
[[nodiscard]] constexpr std::size_t place_of_scale(int scale) {
  return static_cast<std::size_t>(scale);
}
[[nodiscard]] constexpr std::size_t place_of_level(std::size_t level) {
  return level == 0 ? 1 : kMaxSsimScale + level;
}

/// Means by plane pair. Means that no request needs are undefined.
using SsimResult = std::array<SsimMeans, kSsimPlaces>;

/// Returns the number of a value for PairKernel::recompute_exactly(): one of the means of a plane
/// pair.
[[nodiscard]] constexpr std::size_t ssim_value(std::size_t place, std::size_t part) {
  return place * kSsimParts.size() + part;
}

/// Values that the family's requests need for a pair of pictures, and the scores from these values.
class SsimPlan {
 public:
  /// Creates a plan; `requests` must have been checked for `format`.
  SsimPlan(const video::PictureFormat& format, std::span<const FeatureRequest> requests);

  /// Returns the scales of 2 and more whose means are needed, ascending.
  [[nodiscard]] std::span<const int> decimated_scales() const { return decimated_scales_; }
  /// Returns true if the means of the undecimated pictures are needed, for scale 1 or level 0.
  [[nodiscard]] bool undecimated() const { return undecimated_; }
  /// Returns true if the means of the five levels are needed.
  [[nodiscard]] bool levels() const { return levels_; }
  /// Returns true if a request needs decimated planes.
  [[nodiscard]] bool decimates() const { return levels_ || !decimated_scales_.empty(); }
  /// Returns the means of a plane pair that scores depend on.
  [[nodiscard]] const SsimParts& parts(std::size_t place) const { return parts_[place]; }

  /// Writes the scores of each request, request by request.
  void write_scores(const SsimResult& result, std::span<double> scores) const;

 private:
  /// A request with resolved options.
  struct Planned {
    bool levels = false;
    FloatSsimOptions options = {};  // options of the request; float_ms_ssim uses all but the scale
    std::size_t outputs = 0;
  };

  video::PictureFormat format_;
  std::vector<Planned> planned_;
  std::vector<int> decimated_scales_;
  std::array<SsimParts, kSsimPlaces> parts_;
  bool undecimated_ = false;
  bool levels_ = false;
};

using ConstByteView = video::PlaneView<const std::uint8_t>;

/// Arithmetic of one implementation. Owns its working memory, so only one thread at a time may call
/// it.
class SsimArithmetic {
 public:
  virtual ~SsimArithmetic() = default;
  virtual void decimate_box(ConstFloatView from, int factor, FloatView to, ThreadTeam& rows) = 0;
  virtual void halve(ConstFloatView from, FloatView to, ThreadTeam& rows) = 0;
  /// Returns the means of two planes. Means that are not needed are undefined.
  [[nodiscard]] virtual SsimMeans means(ConstFloatView a, ConstFloatView b, const SsimParts& needed,
                                        ThreadTeam& rows) = 0;
  /// Returns one mean, adding its terms in the scalar definition's order. Used for an undecided
  /// mean.
  [[nodiscard]] virtual float mean_in_order(ConstFloatView a, ConstFloatView b, SsimPart part) = 0;
  /// Returns true if the arithmetic can also measure 8-bit planes directly.
  [[nodiscard]] virtual bool reads_bytes() const { return false; }
  /// Returns means() of 8-bit planes. Must be called only if reads_bytes() is true.
  [[nodiscard]] virtual SsimMeans means_of_bytes(ConstByteView /*a*/, ConstByteView /*b*/,
                                                 const SsimParts& /*needed*/,
                                                 ThreadTeam& /*rows*/) {
    assert(false);
    return {};
  }
  /// Returns mean_in_order() of 8-bit planes. Must be called only if reads_bytes() is true.
  [[nodiscard]] virtual float mean_of_bytes_in_order(ConstByteView /*a*/, ConstByteView /*b*/,
                                                     SsimPart /*part*/) {
    assert(false);
    return 0;
  }
};

/// Makes the family's kernel for the host CPU, with the arithmetic of one implementation.
[[nodiscard]] std::unique_ptr<PairKernel> make_ssim_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::unique_ptr<SsimArithmetic> arithmetic);

}  // namespace sidecore::metrics
