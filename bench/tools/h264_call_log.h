// Derives macroblocks to deblock from the calls that FFmpeg's H.264 decoder makes of its filters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "h264/deblocking.h"
#include "h264/deblocking_work.h"

namespace sidecore::bench {

/// One call of a filter.
struct DeblockingCall {
  static constexpr int kStrong = 99;  ///< tc0 of a bS of 4

  int alpha = 0;
  int beta = 0;
  std::array<int, h264::kEdges> tc0{};  ///< tC0 of each segment; -1 for a bS of 0
};

/// Returns the macroblocks' strengths and indices that explain the calls of one picture.
class H264CallLog {
 public:
  /// Keeps the pictures of these numbers, counted from 0 in decoding order.
  explicit H264CallLog(std::vector<std::size_t> wanted) : wanted_(std::move(wanted)) {}

  /// Begins the next picture, whose planes lie in the decoder's memory: finishes the previous one.
  void begin(const video::PictureFormat& format, const std::array<std::uint8_t*, 3>& planes,
             const std::array<int, 3>& strides);
  /// Notes a call before the decoder makes it. `q0` is the first sample after the edge.
  void add(const std::uint8_t* q0, h264::EdgeDirection direction, const DeblockingCall& call);
  /// Finishes the last picture. Deblocks the samples that the decoder had before its calls, and
  /// throws Error (failed) if the result of the scalar definition or of NEON differs from the
  /// decoder's, or if no strengths and indices explain the calls.
  void finish();
  /// Returns the kept pictures by their numbers.
  [[nodiscard]] std::map<std::size_t, h264::DeblockingWork> take() { return std::move(kept_); }

 private:
  /// Calls of a macroblock: by plane, direction and edge.
  using Calls =
      std::array<std::array<std::array<std::optional<DeblockingCall>, h264::kEdges>, 2>, 3>;

  void copy_rows(int last);
  void check(const h264::DeblockingWork& work) const;
  [[nodiscard]] h264::Macroblock macroblock_of(const Calls& calls) const;

  std::vector<std::size_t> wanted_;
  std::map<std::size_t, h264::DeblockingWork> kept_;
  std::size_t number_ = 0;  ///< number of the present picture, plus 1
  std::array<std::uint8_t*, 3> planes_{};
  std::array<int, 3> strides_{};
  video::Picture before_;  ///< the present picture before deblocking
  int copied_ = 0;         ///< number of rows of macroblocks in before_
  std::vector<Calls> calls_;
};

}  // namespace sidecore::bench
