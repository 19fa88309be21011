// float_ssim and float_ms_ssim as plans: which planes they compare, and how scores come of the
// means. What computes the means (scalar, NEON, QPU) computes those that several features need
// once.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "metrics/ssim.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Scores in dB: -10*log10(1 - score).
struct DecibelOptions {
  bool enable_db = false;
  /// Caps what identical pictures get at a value that depends on the picture's size and depth;
  /// without it they get infinity.
  bool clip_db = false;
};

struct FloatSsimOptions {
  bool enable_lcs = false;  ///< also the three means
  DecibelOptions decibel = {};
  int scale = 0;  ///< decimation 1..10; 0 chooses, so that the shorter side is about 256
};

struct FloatMsSsimOptions {
  bool enable_lcs = false;  ///< also the three means of every level
  DecibelOptions decibel = {};
};

inline constexpr int kMaxSsimScale = 10;
inline constexpr int kMsSsimLevels = 5;

/// What option scale=0 comes to.
[[nodiscard]] int automatic_ssim_scale(int width, int height);

/// `scale`, or what 0 comes to. Throws Error (usage) unless the scale is 0..10, the depth is 8, 10,
/// 12 or 16, and the decimated planes are at least 11 x 11.
[[nodiscard]] int float_ssim_scale(int scale, const video::PictureFormat& format);

/// Throws Error (usage) unless the depth is 8, 10, 12 or 16 and both sides are at least 176: the
/// window must fit into the smallest of five levels.
void check_float_ms_ssim(const video::PictureFormat& format);

/// Writes float_ssim, and with enable_lcs float_ssim_l, _c and _s.
void score_float_ssim(const SsimMeans& means, const FloatSsimOptions& options,
                      const video::PictureFormat& format, std::span<double> scores);

/// Writes float_ms_ssim: Wang, Simoncelli and Bovik, "Multiscale structural similarity for image
/// quality assessment", 2003. With enable_lcs also float_ms_ssim_l_scale0..4, _c_scale0..4 and
/// _s_scale0..4. NaN when a level's mean structure is negative, as libvmaf's.
void score_float_ms_ssim(std::span<const SsimMeans, kMsSsimLevels> levels,
                         const FloatMsSsimOptions& options, const video::PictureFormat& format,
                         std::span<double> scores);

/// What is to be computed of a pair of pictures.
struct SsimPlan {
  std::vector<int> scales;  ///< 1..10, each once
  bool levels = false;      ///< those of float_ms_ssim; level 0 is scale 1
};

/// Means by scale (index 1..10) and by level, where the plan asks for them.
struct SsimResult {
  std::array<SsimMeans, kMaxSsimScale + 1> scales;
  std::array<SsimMeans, kMsSsimLevels> levels;
};

/// The arithmetic of a backend. One thread uses an object; workspaces are its own.
class SsimArithmetic {
 public:
  virtual ~SsimArithmetic() = default;
  virtual void to_float(const video::Picture& picture, FloatView luma) = 0;
  virtual void decimate_box(ConstFloatView from, int factor, FloatView to) = 0;
  virtual void halve(ConstFloatView from, FloatView to) = 0;
  [[nodiscard]] virtual SsimMeans means(ConstFloatView a, ConstFloatView b) = 0;
};

/// The definition's, for pictures of up to this size.
[[nodiscard]] std::unique_ptr<SsimArithmetic> scalar_ssim_arithmetic(int width, int height);

/// Carries a plan out on this machine's processor. Owns the planes; allocates nothing per picture.
class HostSsim {
 public:
  HostSsim(const video::PictureFormat& format, SsimPlan plan,
           std::unique_ptr<SsimArithmetic> arithmetic);

  /// Pictures have the format. The result is valid until the next call.
  [[nodiscard]] const SsimResult& measure(const video::Picture& reference,
                                          const video::Picture& distorted);

 private:
  struct PlanePair {
    FloatPlane reference, distorted;
  };
  [[nodiscard]] SsimMeans means(const PlanePair& pair);

  SsimPlan plan_;
  std::unique_ptr<SsimArithmetic> arithmetic_;
  PlanePair luma_;
  std::vector<PlanePair> scaled_;  // one a scale; empty for scale 1
  std::array<PlanePair, kMsSsimLevels - 1> levels_;
  SsimResult result_;
};

}  // namespace sidecore::metrics
