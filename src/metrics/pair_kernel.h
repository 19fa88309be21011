// Kernels that score a pair of pictures on the host CPU.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>

#include "base/thread_team.h"
#include "metrics/feature.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Scores pairs of pictures for some requests of one family. Owns its working memory, so scoring a
/// picture allocates nothing. Only one thread at a time may call it.
class PairKernel {
 public:
  virtual ~PairKernel() = default;

  /// Writes the scores of each request, request by request. Scores depend on the pictures alone.
  /// Both pictures must have the kernel's format. `rows` must have at most the kernel's number of
  /// threads.
  virtual void score(const video::Picture& reference, const video::Picture& distorted,
                     ThreadTeam& rows, std::span<double> scores) = 0;

  /// Writes the values of a picture for a family of temporal features (Feature::finish). `earlier`
  /// are the references of the pictures before this one, the nearest first: as many as the
  /// requests' history(), fewer at the start of a clip. For a clip's first picture it equals
  /// score().
  virtual void score_in_clip(const video::Picture& reference, const video::Picture& distorted,
                             std::span<const video::Picture* const> /*earlier*/, ThreadTeam& rows,
                             std::span<double> scores) {
    score(reference, distorted, rows, scores);
  }

  /// Writes the scores from values that a device computed; the family's header describes these
  /// values. Only families whose device code leaves part of every score to the host implement it.
  virtual void finish(std::span<const std::byte> /*values*/, ThreadTeam& /*rows*/,
                      std::span<double> /*scores*/) {
    assert(false);
  }

  /// Recomputes exactly the values that a device could not decide, and nothing else. The family's
  /// header numbers the values; `numbers` must be ascending, and the results go to `values`.
  /// Families whose device code decides every value do not implement it.
  virtual void recompute_exactly(const video::Picture& /*reference*/,
                                 const video::Picture& /*distorted*/, ThreadTeam& /*rows*/,
                                 std::span<const std::size_t> /*numbers*/,
                                 std::span<double> /*values*/) {
    assert(false);
  }
};

/// Makes a kernel for distinct requests of one family, all checked for the format. `threads` is the
/// exclusive limit of thread numbers in the ThreadTeam that the kernel receives.
using KernelMaker = std::unique_ptr<PairKernel> (*)(const video::PictureFormat& format,
                                                    std::span<const FeatureRequest> requests,
                                                    std::size_t threads);

}  // namespace sidecore::metrics
