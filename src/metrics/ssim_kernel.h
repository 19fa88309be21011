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

/// Means by scale (index 1..10) and by level; those that no request needs have no meaning.
struct SsimResult {
  std::array<SsimMeans, kMaxSsimScale + 1> scales;
  std::array<SsimMeans, kMsSsimLevels> levels;
};

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
  /// Which means scores are made of, at a scale and on a level. The same for scale 1 and level 0.
  [[nodiscard]] const SsimParts& parts_at_scale(int scale) const {
    return scale_parts_[static_cast<std::size_t>(scale)];
  }
  [[nodiscard]] const SsimParts& parts_on_level(std::size_t level) const {
    return level == 0 ? scale_parts_[1] : level_parts_[level];
  }

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
  std::array<SsimParts, kMaxSsimScale + 1> scale_parts_;
  std::array<SsimParts, kMsSsimLevels> level_parts_;
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
  /// Whether it measures 8-bit planes as they are, too.
  [[nodiscard]] virtual bool reads_bytes() const { return false; }
  /// means() of such planes, if reads_bytes().
  [[nodiscard]] virtual SsimMeans means_of_bytes(ConstByteView /*a*/, ConstByteView /*b*/,
                                                 const SsimParts& /*needed*/,
                                                 ThreadTeam& /*rows*/) {
    assert(false);
    return {};
  }
};

/// The family's kernel on this machine's processor, with the arithmetic of one backend.
[[nodiscard]] std::unique_ptr<PairKernel> make_ssim_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::unique_ptr<SsimArithmetic> arithmetic);

}  // namespace sidecore::metrics
