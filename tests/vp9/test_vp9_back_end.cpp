// Decodes whole streams with a back end that reconstructs the frames: first all inter prediction,
// then all residual, then all intra blocks.
// ctest: streams, threads
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "neon/vp9/dsp.h"
#include "vp9/back_end.h"
#include "vp9/reconstruction.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_back_end {
namespace {

class OneAfterAnother : public vp9::BackEnd {
 public:
  [[nodiscard]] bool reconstructs() const override { return true; }
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override {
    ++frames_;
    const vp9::Reconstruction reconstruction(context.dsp, parsed.header, parsed.picture,
                                             parsed.frame, parsed.references);
    using Parts = vp9::PerStage<bool>;
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
  void wait(const vp9::FrameBuffer& frame) override { finished_.insert(&frame); }

  [[nodiscard]] int frames() const { return frames_; }
  [[nodiscard]] std::size_t finished() const { return finished_.size(); }

 private:
  std::unique_ptr<vp9::BackEnd> filter_ = vp9::make_cpu_loop_filter();
  std::set<const vp9::FrameBuffer*> finished_;
  int frames_ = 0;
};

/// A back end that provides memory for the residual, filled with noise, and reads the residual from
/// that memory.
class WithItsOwnMemory final : public OneAfterAnother {
 public:
  vp9::ResidualMemory residual_memory(std::size_t coefficient_bytes,
                                      std::size_t transforms) override {
    if (fails_.exchange(false)) throw environment_error("no memory is left");
    struct Owner {
      std::vector<std::byte> coefficients;
      std::vector<vp9::TransformBlock> transforms;
    };
    const auto owner = std::make_shared<Owner>();
    owner->coefficients.assign(coefficient_bytes, std::byte{0xa5});
    owner->transforms.assign(transforms, {.first_coefficient = ~0U});
    return {owner->coefficients, owner->transforms, owner};
  }
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override {
    const vp9::PictureData& picture = parsed.picture;
    const vp9::ResidualMemory& memory = picture.residual_memory();
    EXPECT_EQ(static_cast<const void*>(picture.coefficients<std::int16_t>()),
              memory.coefficients.data());
    for (const vp9::TileColumn& tile : picture.tile_columns) {
      for (std::uint32_t index = tile.transforms.begin; index < tile.transforms.end; ++index) {
        blocks_ += 1;
        differing_ += std::memcmp(&memory.transforms[index], &picture.transforms[index],
                                  sizeof(vp9::TransformBlock)) == 0
                          ? 0
                          : 1;
      }
    }
    OneAfterAnother::reconstruct(parsed, context);
  }
  void fail_once() { fails_ = true; }
  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] int differing() const { return differing_; }

 private:
  std::atomic<bool> fails_ = false;
  int blocks_ = 0;
  int differing_ = 0;
};

TEST(BackEnd, GetsTheResidualInItsOwnMemory) {
  for (const int threads : {1, 3}) {
    const auto stage = std::make_shared<WithItsOwnMemory>();
    const vp9::DecoderOptions options{.threads = threads, .back_end = stage};
    test::expect_agreement({"tile", "size-", "lossless", "profile-"}, 20, options);
    EXPECT_GT(stage->blocks(), 1000);
    EXPECT_EQ(stage->differing(), 0);
  }
}

TEST(BackEnd, WithoutMemoryForAResidualTheFrameIsRefusedAndAKeyFrameDecoded) {
  constexpr std::size_t kKeyFrameDistance = 5;  // the stream's distance of key frames, in packets
  const std::vector<test::Bytes> packets = test::corpus_packets("key-frames");
  const std::vector<std::string> expected = test::decoded_checksums(packets);
  for (const int threads : {1, 3}) {
    for (const std::size_t which : {std::size_t{0}, std::size_t{7}}) {
      const auto stage = std::make_shared<WithItsOwnMemory>();
      vp9::Decoder decoder({.threads = threads, .back_end = stage});
      std::vector<std::string> shown;
      const auto show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
        shown.push_back(test::checksum(*frame));
      };
      for (std::size_t packet = 0; packet < which; ++packet) decoder.decode(packets[packet], show);
      stage->fail_once();
      const std::string error = test::error_text([&] { decoder.decode(packets[which], show); });
      EXPECT_TRUE(error.ends_with(": no memory is left")) << error;
      const std::size_t key_frame = (which / kKeyFrameDistance + 1) * kKeyFrameDistance;
      std::vector<std::string> wanted(expected.begin(),
                                      expected.begin() + static_cast<std::ptrdiff_t>(which));
      wanted.insert(wanted.end(), expected.begin() + static_cast<std::ptrdiff_t>(key_frame),
                    expected.end());
      for (std::size_t packet = key_frame; packet < packets.size(); ++packet) {
        decoder.decode(packets[packet], show);
      }
      decoder.flush(show);
      EXPECT_EQ(shown, wanted) << which;
    }
  }
}

TEST(BackEnd, MakesTheFramesThatTheDecoderMakes) {
  for (const int threads : {1, 3}) {
    const auto stage = std::make_shared<OneAfterAnother>();
    const vp9::DecoderOptions options{
        .threads = threads, .dsp = &neon::vp9_dsp(), .back_end = stage};
    test::expect_agreement(test::kBytes, 90, options);
    test::expect_agreement(test::kHighBitDepth, 11, options);
    EXPECT_GT(stage->frames(), 100);
    EXPECT_EQ(stage->finished(), 0U);
  }
}

TEST(BackEnd, IsAskedForSamplesThatACallerWantsBeforeTheFilter) {
  const auto stage = std::make_shared<OneAfterAnother>();
  int seen = 0;
  vp9::DecoderOptions options{.back_end = stage};
  options.observer.before_filter = [&](const vp9::FrameBuffer& /*frame*/, const auto& /*edges*/,
                                       int) {
    ++seen;
    EXPECT_GT(stage->finished(), 0U);
  };
  test::expect_agreement({"alt-ref"}, 1, options);
  EXPECT_EQ(seen, stage->frames());
}

}  // namespace
}  // namespace sidecore::test_vp9_back_end
