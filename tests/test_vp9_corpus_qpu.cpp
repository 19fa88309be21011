// Whole streams whose loop filter runs on the QPU, or is split between it and NEON: every frame has
// the checksums of the corpus.
#include <gtest/gtest.h>

#include <memory>

#include "neon/loop_filter.h"
#include "qpu/frame_filter.h"
#include "qpu_test_device.h"
#include "vp9_streams.h"

namespace sidecore {
namespace {

class Vp9CorpusQpu : public test::QpuTest {
 protected:
  vp9::DecoderOptions options(const qpu::FrameFilterDivision& division) {
    filter_ = std::make_shared<qpu::FrameFilter>(device(), division, neon::filter_edges_in_order);
    vp9::DecoderOptions options;
    options.filter = filter_;
    options.allocator = [filter = filter_](const video::PictureFormat& format) {
      return filter->allocate(format);
    };
    return options;
  }

  std::shared_ptr<qpu::FrameFilter> filter_;
};

TEST_F(Vp9CorpusQpu, FilteringOnTheQpuGivesTheSameFrames) {
  test::expect_agreement({"size-", "resize-odd", "tile-rows", "profile-1"}, 28, options({}));
}

TEST_F(Vp9CorpusQpu, EveryDivisionOfTheEdgesGivesTheSameFrames) {
  for (const std::size_t least_edges : {1U, 60U, 100000U}) {
    test::expect_agreement({"resize-tiny", "tile-rows-columns", "size-66x66"}, 3,
                           options({true, least_edges}));
  }
  test::expect_agreement({"tile-rows-columns", "size-35x66"}, 2, options({false, 60}));
}

TEST_F(Vp9CorpusQpu, AFrameIsOneSubmissionAndOneDispatchAStep) {
  vp9::Decoder decoder(options({}));
  const auto edges_so_far = [&] {
    std::uint64_t sum = 0;
    for (const auto& direction : decoder.statistics().edges) {
      for (const std::uint64_t count : direction) sum += count;
    }
    return sum;
  };
  const auto before = device()->counters();
  std::uint64_t frames_with_edges = 0;
  for (const test::Bytes& frame : test::frames_of(test::corpus_packets("resize-half"))) {
    const std::uint64_t edges = edges_so_far();
    decoder.decode(frame, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    if (edges_so_far() > edges) ++frames_with_edges;
  }
  const vp9::FilterStatistics statistics = decoder.filter_statistics();
  EXPECT_GT(frames_with_edges, 10U);
  EXPECT_EQ(statistics.submissions, frames_with_edges);
  EXPECT_EQ(device()->counters().submits - before.submits, statistics.submissions);
  EXPECT_EQ(statistics.dispatches, statistics.steps);
  EXPECT_EQ(device()->counters().dispatches - before.dispatches, statistics.dispatches);
  EXPECT_EQ(statistics.edges_on_gpu, edges_so_far());
}

}  // namespace
}  // namespace sidecore
