// What scores a pair of pictures on this machine's processor.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>

#include "base/thread_team.h"
#include "metrics/feature.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Scores pairs of pictures for some requests of one family. Owns all memory it works in, so that a
/// picture allocates nothing. One thread calls it at a time.
class PairKernel {
 public:
  virtual ~PairKernel() = default;

  /// Both pictures have the format it was made for. `rows` has at most the number of threads it was
  /// made for. Writes the scores of each request, one request after the other; they depend on the
  /// pictures alone.
  virtual void score(const video::Picture& reference, const video::Picture& distorted,
                     ThreadTeam& rows, std::span<double> scores) = 0;

  /// The same for a family of temporal features (Feature::finish): `earlier` are the references of
  /// the pictures before this one, the nearest first, as many as the requests' history() says or,
  /// at the start of a clip, as there are. score() is this of a clip's first picture.
  virtual void score_in_clip(const video::Picture& reference, const video::Picture& distorted,
                             std::span<const video::Picture* const> /*earlier*/, ThreadTeam& rows,
                             std::span<double> scores) {
    score(reference, distorted, rows, scores);
  }

  /// The scores from values that a device made of the pictures, which the family's header
  /// describes. Only of families whose device code leaves the host a part of every score.
  virtual void finish(std::span<const std::byte> /*values*/, ThreadTeam& /*rows*/,
                      std::span<double> /*scores*/) {
    assert(false);
  }

  /// Computes some of the values that scores are made of, and nothing else: those that a device
  /// could not settle. The family's header numbers them; `numbers` are ascending, and their values
  /// go to `values`. Families whose device code settles everything have none.
  virtual void settle(const video::Picture& /*reference*/, const video::Picture& /*distorted*/,
                      ThreadTeam& /*rows*/, std::span<const std::size_t> /*numbers*/,
                      std::span<double> /*values*/) {
    assert(false);
  }
};

/// Makes a kernel for requests of one family, all checked for the format, none twice.
/// `threads` bounds the thread numbers of the ThreadTeam it will be given.
using KernelMaker = std::unique_ptr<PairKernel> (*)(const video::PictureFormat& format,
                                                    std::span<const FeatureRequest> requests,
                                                    std::size_t threads);

}  // namespace sidecore::metrics
