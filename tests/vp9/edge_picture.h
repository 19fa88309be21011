// Pictures with random edges, for tests of schedules and of the code that runs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/vp9/loop_filter_picture.h"
#include "qpu/vp9/loop_filter.h"
#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::test {

/// Returns edges for a 4:2:0 picture of `width` x `height` luma samples.
inline std::vector<vp9::LoopFilterEdge> random_edges(int width, int height,
                                                     const bench::EdgeMix& mix,
                                                     std::uint64_t seed) {
  return bench::random_edges({width, height, {video::Chroma::c420, 8}}, mix, seed);
}

/// Samples of a 4:2:0 picture in the layout of video::PictureLayout.
template <class Sample>
class EdgePicture {
 public:
  EdgePicture(int width, int height, int bits = 8)
      : format_{width, height, {video::Chroma::c420, bits}},
        samples_(video::PictureLayout(format_).bytes / sizeof(Sample)) {}

  /// Fills the picture with samples that take every branch of the filters.
  void fill(std::uint64_t seed) {
    video::Picture picture(format_);
    bench::fill_picture(gates::Content::high_variance, picture, seed);
    std::ranges::copy(picture.bytes(), std::as_writable_bytes(std::span(samples_)).begin());
  }

  [[nodiscard]] vp9::LoopFilterPlanes<Sample> view() { return view_of(samples_); }
  [[nodiscard]] vp9::LoopFilterPlanes<Sample> view_of(std::span<Sample> samples) const {
    return planes().template in<Sample>(std::as_writable_bytes(samples));
  }
  [[nodiscard]] std::vector<Sample>& samples() { return samples_; }
  [[nodiscard]] qpu::PicturePlanes planes() const { return qpu::PicturePlanes::of(format_); }

 private:
  video::PictureFormat format_;
  std::vector<Sample> samples_;
};

}  // namespace sidecore::test
