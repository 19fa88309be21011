// float_ssim and float_ms_ssim computed together: planes and means that several requests need are
// made once.
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

/// Pairs of planes that means are of, by number: scales 1..10, of which 1 is also level 0, then
/// levels 1..4.
inline constexpr std::size_t kSsimPlaces = kMaxSsimScale + kMsSsimLevels;
[[nodiscard]] constexpr std::size_t place_of_scale(int scale) {
  return static_cast<std::size_t>(scale);
}
[[nodiscard]] constexpr std::size_t place_of_level(std::size_t level) {
  return level == 0 ? 1 : kMaxSsimScale + level;
}

/// Means by place; those that no request needs have no meaning.
using SsimResult = std::array<SsimMeans, kSsimPlaces>;

/// The family's values for PairKernel::settle(): means by place and part.
[[nodiscard]] constexpr std::size_t ssim_value(std::size_t place, std::size_t part) {
  return place * kSsimParts.size() + part;
}

/// What requests of the family need of a pair of pictures, and the scores that come of it.
class SsimPlan {
 public:
  /// Requests are checked for the format.
  SsimPlan(const video::PictureFormat& format, std::span<const FeatureRequest> requests);

  /// Every scale from 2 on whose means are needed, ascending.
  [[nodiscard]] std::span<const int> decimated_scales() const { return decimated_scales_; }
  /// Whether the means of the pictures themselves are needed: scale 1, and level 0.
  [[nodiscard]] bool undecimated() const { return undecimated_; }
  /// Whether those of the five levels are.
  [[nodiscard]] bool levels() const { return levels_; }
  /// Whether a request needs decimated planes.
  [[nodiscard]] bool decimates() const { return levels_ || !decimated_scales_.empty(); }
  /// Which means scores are made of.
  [[nodiscard]] const SsimParts& parts(std::size_t place) const { return parts_[place]; }

  /// Writes the scores of each request, one request after the other.
  void write_scores(const SsimResult& result, std::span<double> scores) const;

 private:
  /// A request, options resolved.
  struct Planned {
    bool levels = false;
    FloatSsimOptions options = {};  // float_ms_ssim: all but the scale
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

/// The arithmetic of a backend. Owns its workspaces; one thread calls it at a time.
class SsimArithmetic {
 public:
  virtual ~SsimArithmetic() = default;
  virtual void decimate_box(ConstFloatView from, int factor, FloatView to, ThreadTeam& rows) = 0;
  virtual void halve(ConstFloatView from, FloatView to, ThreadTeam& rows) = 0;
  /// Means that are not needed have no meaning.
  [[nodiscard]] virtual SsimMeans means(ConstFloatView a, ConstFloatView b, const SsimParts& needed,
                                        ThreadTeam& rows) = 0;
  /// One mean, its terms added in the definition's order: for a mean that is known to be open.
  [[nodiscard]] virtual float mean_in_order(ConstFloatView a, ConstFloatView b, SsimPart part) = 0;
  /// Whether it measures 8-bit planes as they are, too.
  [[nodiscard]] virtual bool reads_bytes() const { return false; }
  /// means() of such planes, if reads_bytes().
  [[nodiscard]] virtual SsimMeans means_of_bytes(ConstByteView /*a*/, ConstByteView /*b*/,
                                                 const SsimParts& /*needed*/,
                                                 ThreadTeam& /*rows*/) {
    assert(false);
    return {};
  }
  /// mean_in_order() of such planes, if reads_bytes().
  [[nodiscard]] virtual float mean_of_bytes_in_order(ConstByteView /*a*/, ConstByteView /*b*/,
                                                     SsimPart /*part*/) {
    assert(false);
    return 0;
  }
};

/// The family's kernel on this machine's processor, with the arithmetic of one backend.
[[nodiscard]] std::unique_ptr<PairKernel> make_ssim_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::unique_ptr<SsimArithmetic> arithmetic);

}  // namespace sidecore::metrics
