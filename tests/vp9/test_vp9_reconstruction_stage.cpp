// Whole streams of which the decoder only parses: somebody else reconstructs their frames, all
// inter prediction first, then all residual, then all intra blocks.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "neon/vp9/dsp.h"
#include "vp9/loop_filter_stage.h"
#include "vp9/reconstruction.h"
#include "vp9/reconstruction_stage.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

class OneAfterAnother final : public vp9::ReconstructionStage {
 public:
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override {
    ++frames_;
    const vp9::Reconstruction reconstruction(context.dsp, parsed.header, parsed.picture,
                                             parsed.frame, parsed.references);
    using Parts = vp9::ReconstructionParts;
    for (const Parts& parts :
         {Parts{true, false, false}, Parts{false, true, false}, Parts{false, false, true}}) {
      for (int row = 0; row < parsed.picture.superblock_rows(); ++row) {
        for (int column = 0; column < parsed.picture.superblock_columns(); ++column) {
          reconstruction.superblock(row, column, parts, context.clock);
        }
      }
    }
  }
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override {
    filter_->filter(frame, edges, sharpness, context);
  }
  void finish(const vp9::FrameBuffer& frame) override { finished_.insert(&frame); }

  [[nodiscard]] int frames() const { return frames_; }
  [[nodiscard]] std::size_t finished() const { return finished_.size(); }

 private:
  std::unique_ptr<vp9::LoopFilterStage> filter_ = vp9::make_cpu_loop_filter();
  std::set<const vp9::FrameBuffer*> finished_;
  int frames_ = 0;
};

TEST(ReconstructionStage, MakesTheFramesThatTheDecoderMakes) {
  for (const int threads : {1, 3}) {
    const auto stage = std::make_shared<OneAfterAnother>();
    const vp9::DecoderOptions options{
        .threads = threads, .dsp = &neon::vp9_dsp(), .reconstruction = stage};
    test::expect_agreement(test::kBytes, 66, options);
    test::expect_agreement(test::kHighBitDepth, 7, options);
    EXPECT_GT(stage->frames(), 100);
    EXPECT_EQ(stage->finished(), 0U);
  }
}

TEST(ReconstructionStage, IsAskedForSamplesThatACallerWantsBeforeTheFilter) {
  const auto stage = std::make_shared<OneAfterAnother>();
  int seen = 0;
  vp9::DecoderOptions options{.reconstruction = stage};
  options.before_filter = [&](const vp9::FrameBuffer& /*frame*/, const auto& /*edges*/, int) {
    ++seen;
    EXPECT_GT(stage->finished(), 0U);
  };
  test::expect_agreement({"alt-ref"}, 1, options);
  EXPECT_EQ(seen, stage->frames());
}

}  // namespace
}  // namespace sidecore
