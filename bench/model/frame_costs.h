// What frames cost, from what is known of them before they are decoded: their kind and their bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/cost_line.h"

namespace sidecore::model {

/// Seconds; low <= expected <= high.
struct Estimate {
  double low = 0;
  double expected = 0;
  double high = 0;
  bool operator==(const Estimate&) const = default;
};

/// Frames of a kind resemble one another: populations that are predicted apart.
enum class FrameKind : std::uint8_t {
  intra,       ///< key frames, and frames of intra blocks only
  hidden,      ///< predicted from others, and not shown itself
  inter,       ///< predicted from others, and shown
  unfiltered,  ///< as inter, its loop filter off
};
inline constexpr std::array kFrameKinds{FrameKind::intra, FrameKind::hidden, FrameKind::inter,
                                        FrameKind::unfiltered};
/// "intra", "hidden", "inter", "unfiltered".
[[nodiscard]] const char* to_string(FrameKind kind);

/// Known of a frame without decoding it.
struct FrameWork {
  FrameKind kind = FrameKind::inter;
  double bytes = 0;
  bool shown = true;
  bool repeated = false;  ///< an earlier frame is shown once more: nothing is decoded
};

/// What is known of several frames together.
struct FrameTotals {
  /// By FrameKind: the frames that are decoded, and their bytes.
  std::array<Load, kFrameKinds.size()> kinds{};
  double shown = 0;  ///< pictures that come out

  [[nodiscard]] const Load& of(FrameKind kind) const {
    return kinds[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double frames() const;
};
[[nodiscard]] FrameTotals totals_of(std::span<const FrameWork> frames);

/// What a cost follows from frame to frame where a kind has too few of them for a line.
enum class Follows : std::uint8_t {
  pictures,  ///< every frame costs the same
  bytes,
};

/// A kind with fewer frames in the sample has no line of its own.
inline constexpr std::size_t kFewestForALine = 4;

/// One line a kind. For a kind that the sample lacks, the line through all of its frames.
class FrameCosts {
 public:
  FrameCosts() = default;
  /// As many seconds as frames (asserted).
  FrameCosts(std::span<const FrameWork> sample, std::span<const double> seconds, Follows follows);
  [[nodiscard]] double seconds(const FrameTotals& totals) const;

 private:
  std::array<CostLine, kFrameKinds.size()> lines_{};
};

/// How far the sum of `rest`, which follows the sample, may lie from what FrameCosts foretells of
/// it: between 1 / (1 + error) and 1 + error times that, with a probability of 95 %. Of a kind:
///   - the variance of frames about their line, times how far a sum of so many frames, and a line
///     through so few, scatter; more where neighbours resemble each other;
///   - with fewer frames than a line takes, a deviation of kFewDeviation from frame to frame, or
///     the other kinds' where that is greater; without any, kUnknownDeviation of all its cost.
/// All that times Student's t for as many degrees of freedom as lines have. Then scenes, which
/// begin with intra frames: those of the rest deviate from those of the sample by kSceneDeviation
/// where there is one of each, which no sample of one scene can tell: that is the root mean square
/// of what five clips missed by (docs/split-model.md).
[[nodiscard]] double relative_error(std::span<const FrameWork> sample,
                                    std::span<const double> seconds,
                                    std::span<const FrameWork> rest);
inline constexpr double kFewDeviation = 0.25;
inline constexpr double kUnknownDeviation = 0.5;
inline constexpr double kSceneDeviation = 0.10;

}  // namespace sidecore::model
