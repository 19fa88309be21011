// Costs of frames, predicted from their kind and their bytes, which are known before decoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/cost_line.h"

namespace sidecore::model {

/// An estimate in seconds, or another unit where the member says so; low <= expected <= high.
struct Estimate {
  double low = 0;
  double expected = 0;
  double high = 0;
  bool operator==(const Estimate&) const = default;
};

/// Kinds of frames whose costs are predicted separately.
enum class FrameKind : std::uint8_t {
  intra,       ///< key frames and intra-only frames
  hidden,      ///< predicted from other frames and not shown
  inter,       ///< predicted from other frames and shown
  unfiltered,  ///< inter frame with the loop filter off
};
inline constexpr std::array kFrameKinds{FrameKind::intra, FrameKind::hidden, FrameKind::inter,
                                        FrameKind::unfiltered};
/// Returns "intra", "hidden", "inter" or "unfiltered".
[[nodiscard]] const char* to_string(FrameKind kind);

/// Properties of a frame that are known without decoding it.
struct FrameWork {
  FrameKind kind = FrameKind::inter;
  double bytes = 0;
  bool shown = true;
  bool repeated = false;  ///< true: an earlier frame is shown again, and nothing is decoded
};

/// Numbers of frames and bytes, summed over several frames.
struct FrameTotals {
  /// Number of decoded frames and their bytes, by FrameKind.
  std::array<Load, kFrameKinds.size()> kinds{};
  double shown = 0;  ///< number of pictures shown

  [[nodiscard]] const Load& of(FrameKind kind) const {
    return kinds[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double frames() const;
};
[[nodiscard]] FrameTotals totals_of(std::span<const FrameWork> frames);

/// Quantity to which a cost is proportional if a kind has too few frames for a line.
enum class ScalesWith : std::uint8_t {
  pictures,  ///< the number of frames: every frame costs the same
  bytes,
};

/// Smallest number of measured frames of a kind for which a line is fitted.
inline constexpr std::size_t kMinFramesForLine = 4;

/// One cost line per kind of frame. A kind without measured frames has the line through the
/// measured frames of all kinds.
class FrameCosts {
 public:
  FrameCosts() = default;
  /// Fits the lines. seconds[i] is the time of sample[i]; both must have the same length
  /// (asserted).
  FrameCosts(std::span<const FrameWork> sample, std::span<const double> seconds,
             ScalesWith follows);
  [[nodiscard]] double seconds(const FrameTotals& totals) const;

 private:
  std::array<CostLine, kFrameKinds.size()> lines_{};
};

/// Returns the error of the prediction that FrameCosts makes for the sum of `rest`, the frames
/// after the measured ones. The sum lies between 1 / (1 + error) and 1 + error times the prediction
/// with a probability of 95 %. Each kind of frame contributes
///   - the variance of its frames about their line, carried to the sum of its frames in `rest`,
///   plus
///     the error of the line itself; more if neighbouring frames deviate alike;
///   - with fewer than kMinFramesForLine frames, a deviation of kFewDeviation per frame, or that of
///     the other kinds if it is greater; with no frame, kUnknownDeviation of the kind's cost.
/// The root of the sum is multiplied by Student's t for the degrees of freedom of the lines.
/// Scenes, which begin with intra frames, come on top: with one scene in each part, those of the
/// rest deviate by kSceneDeviation. One scene cannot show this; it is the root mean square error of
/// five clips (docs/split-model.md).
[[nodiscard]] double relative_error(std::span<const FrameWork> sample,
                                    std::span<const double> seconds,
                                    std::span<const FrameWork> rest);
inline constexpr double kFewDeviation = 0.25;
inline constexpr double kUnknownDeviation = 0.5;
inline constexpr double kSceneDeviation = 0.10;

}  // namespace sidecore::model
