// Decodes whole streams with the loop filter on the QPU, divided between QPU and NEON, or running
// in the background. Every frame must have the checksum of the corpus.
// ctest: streams, threads, long
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "error_text.h"
#include "kernels/vp9/vp9_player.h"
#include "neon/vp9/dsp.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_corpus_qpu {
namespace {

class Vp9CorpusQpu : public test::QpuTest {
 protected:
  /// Returns options for a plan of the loop filter, for example "qpu:waves".
  vp9::DecoderOptions options(const std::string& filter) { return options(filter, *device()); }
  vp9::DecoderOptions options(const std::string& filter, qpu::Device& on) {
    filter_ = qpu::make_back_end(on, vp9::Plan::parse("loop_filter=" + filter));
    vp9::DecoderOptions options;
    options.dsp = &neon::vp9_dsp();
    options.back_end = filter_;
    return options;
  }

  /// Decodes 8-bit streams.
  static void expect_agreement(const vp9::DecoderOptions& options) {
#ifdef SIDECORE_SANITIZED
    // Only a part of the streams is used: all of them take a minute on lavapipe and add nothing for
    // sanitizers.
    test::expect_agreement({"size-", "resize-odd", "tile-rows", "profile-1"}, 28, options);
#else
    test::expect_agreement(test::kBytes, 90, options);
#endif
  }

  std::shared_ptr<qpu::DeviceBackEnd> filter_;
};

TEST_F(Vp9CorpusQpu, FilteringOnTheQpuGivesTheSameFrames) {
  expect_agreement(options("qpu"));
}

TEST_F(Vp9CorpusQpu, SamplesOf10And12BitsAreFilteredLikewise) {
  test::expect_agreement(test::kHighBitDepth, 11, options("qpu"));
  test::expect_agreement(test::kHighBitDepth, 11, options("divided:60"));
}

TEST_F(Vp9CorpusQpu, SuperblockWavesGiveTheSameFrames) {
  expect_agreement(options("qpu:waves"));
  test::expect_agreement(test::kHighBitDepth, 11, options("qpu:waves"));
  test::expect_agreement({"tile-rows-columns", "size-66x66"}, 2, options("divided:waves"));
  EXPECT_GT(filter_->statistics().submissions, 0U);
  EXPECT_EQ(filter_->statistics().dispatches, filter_->statistics().steps);
}

TEST_F(Vp9CorpusQpu, EveryDivisionOfTheEdgesGivesTheSameFrames) {
  for (const std::size_t least_edges : {1U, 60U, 100000U}) {
    test::expect_agreement({"resize-tiny", "tile-rows-columns", "size-66x66"}, 3,
                           options("divided:" + std::to_string(least_edges)));
  }
  expect_agreement(options("divided:60"));
}

// Data copied back from the device must not overwrite what the CPU filtered meanwhile.
TEST_F(Vp9CorpusQpu, StagedMemoryBearsThatTheCpuFiltersPlanesMeanwhile) {
  qpu::DeviceOptions staging = test::qpu_test_options();
  staging.force_staging = true;
  const auto staged = qpu::Device::open(staging);
  for (const char* const filter : {"qpu", "divided:60", "divided:waves"}) {
    test::expect_agreement({"tile-rows-columns", "size-66x66"}, 2, options(filter, *staged));
  }
  test::expect_agreement({"profile-2-12"}, 1, options("divided:60", *staged));
}

TEST_F(Vp9CorpusQpu, AFrameIsOneSubmissionOfFewerDispatchesThanSteps) {
  vp9::Decoder decoder(options("qpu"));
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
  const vp9::BackEndStatistics statistics = decoder.back_end_statistics();
  EXPECT_GT(frames_with_edges, 10U);
  EXPECT_EQ(statistics.submissions, frames_with_edges);
  EXPECT_EQ(device()->counters().submits - before.submits, statistics.submissions);
  EXPECT_GE(statistics.dispatches, statistics.submissions);
  EXPECT_LT(statistics.dispatches, statistics.steps) << "small levels share a dispatch";
  EXPECT_EQ(device()->counters().dispatches - before.dispatches, statistics.dispatches);
  EXPECT_EQ(statistics.edges_on_gpu, edges_so_far());
}

/// A back end that filters a frame only when wait() is called, so that code which reads it too
/// early reads wrong samples.
class LateFilter final : public vp9::BackEnd {
 public:
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& /*context*/) override {
    const std::lock_guard lock(mutex_);
    const auto all = edges.all();
    const bool added =
        waiting_
            .try_emplace(frame.memory.bytes().data(), frame,
                         std::vector<vp9::LoopFilterEdge>(all.begin(), all.end()), sharpness)
            .second;
    EXPECT_TRUE(added) << "the frame was overwritten before it was filtered";
    most_waiting_ = std::max(most_waiting_, waiting_.size());
  }
  void wait(const vp9::FrameBuffer& frame) override {
    const std::lock_guard lock(mutex_);
    auto job = waiting_.extract(frame.memory.bytes().data());
    if (job.empty()) return;
    vp9::filter_edges(vp9::scalar_dsp().bits_8, vp9::planes_of<std::uint8_t>(job.mapped().frame),
                      job.mapped().edges, job.mapped().sharpness);
  }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t most_waiting() const { return most_waiting_; }

 private:
  struct Job {
    Job(vp9::FrameBuffer shared, std::vector<vp9::LoopFilterEdge> list, int sharp)
        : frame(std::move(shared)), edges(std::move(list)), sharpness(sharp) {}
    vp9::FrameBuffer frame;  // shares the ownership of the memory
    std::vector<vp9::LoopFilterEdge> edges;
    int sharpness;
  };
  std::mutex mutex_;
  std::map<const std::byte*, Job> waiting_;
  std::size_t most_waiting_ = 0;
};

TEST(BackgroundFilter, IsWaitedForByWhoeverNeedsTheFrame) {
  for (const char* stream : {"alt-ref", "error-resilient-alt-ref", "resize-half", "tile-rows"}) {
    SCOPED_TRACE(stream);
    const auto packets = test::corpus_packets(stream);
    for (const int threads : {1, 3}) {
      const auto filter = std::make_shared<LateFilter>();
      vp9::Decoder decoder({.threads = threads, .back_end = filter});
      std::vector<std::string> checksums;
      const auto show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
        checksums.push_back(test::checksum(*frame));
      };
      for (const test::Bytes& packet : packets) decoder.decode(packet, show);
      decoder.flush(show);
      EXPECT_EQ(checksums, test::decoded_checksums(packets));
      EXPECT_GT(filter->most_waiting(), 0U);
    }
  }
}

gates::PlaybackRequest player_request(const std::string& stream, vp9::Processor stage,
                                      qpu::Device* device) {
  return {.clip = std::string(SIDECORE_VP9_CORPUS) + "/" + stream + ".ivf",
          .frames = 1000,
          .processor = stage,
          .threads = 2,
          .device = device};
}

std::unique_ptr<gates::PlaybackTest> make_player(const gates::PlaybackRequest& request) {
  return bench::make_vp9_player(request, vp9::Stage::loop_filter);
}

TEST_F(Vp9CorpusQpu, PlayersOfEveryStageShowWhatOtherDecodersShow) {
  const std::string md5 = test::lines_of(std::string(SIDECORE_VP9_CORPUS) + "/alt-ref.md5").front();
  struct Case {
    std::optional<vp9::Stage> stage;
    vp9::Processor who;
    const char* plan;
  };
  using enum vp9::Stage;
  for (const Case& played : {Case{prediction, vp9::Processor::qpu, "prediction=qpu"},
                             Case{prediction, vp9::Processor::divided, "prediction=divided"},
                             Case{residual, vp9::Processor::qpu, "residual=qpu"},
                             Case{residual, vp9::Processor::divided, "residual=divided"},
                             Case{intra, vp9::Processor::qpu, "intra=qpu"},
                             Case{loop_filter, vp9::Processor::qpu, "loop_filter=qpu"},
                             Case{std::nullopt, vp9::Processor::qpu, "qpu"},
                             Case{std::nullopt, vp9::Processor::divided, "divided"}}) {
    SCOPED_TRACE(played.plan);
    gates::PlaybackRequest request = player_request("alt-ref", played.who, device());
    const auto player = bench::make_vp9_player(request, played.stage);
    EXPECT_EQ(player->plan(), played.plan);
    EXPECT_EQ(player->checksum(), md5);
    EXPECT_GT(player->counts().submissions, 0U);
    EXPECT_EQ(player->counts().fence_waits, player->counts().submissions);
    request.processor = vp9::Processor::neon;
    EXPECT_EQ(bench::make_vp9_player(request, played.stage)->plan(), "neon");
  }
}

TEST_F(Vp9CorpusQpu, ADividedFilterIsThatOfItsPlan) {
  const auto on_gpu = [&](const std::string& filter) {
    test::expect_agreement({"tiles-4"}, 1, options(filter));
    return filter_->statistics().edges_on_gpu;
  };
  const std::string fewest = std::to_string(qpu::LoopFilter::kMinEdgesPerDispatch);
  EXPECT_EQ(on_gpu("divided"), on_gpu("divided:" + fewest));
  EXPECT_LT(on_gpu("divided"), on_gpu("divided:1"));
  EXPECT_EQ(on_gpu("divided:1"), on_gpu("divided:waves")) << "the QPU must filter all of luma";
  EXPECT_LT(on_gpu("divided:waves"), on_gpu("qpu"));
  const auto player = make_player(player_request("tiles-4", vp9::Processor::divided, device()));
  EXPECT_EQ(player->plan(), "loop_filter=divided");
  EXPECT_EQ(player->checksum(), test::lines_of(SIDECORE_VP9_CORPUS "/tiles-4.md5").front());
}

TEST_F(Vp9CorpusQpu, APlayerShowsWhatOtherDecodersShow) {
  using enum vp9::Processor;
  for (const char* stream :
       {"alt-ref-layers", "resize-odd", "tile-rows", "profile-1-444", "profile-2-alt-ref"}) {
    const std::string md5 =
        test::lines_of(std::string(SIDECORE_VP9_CORPUS) + "/" + stream + ".md5").front();
    for (const vp9::Processor stage : {scalar, neon}) {
      const auto player = make_player(player_request(stream, stage, nullptr));
      EXPECT_EQ(player->checksum(), md5) << stream;
      EXPECT_EQ(player->counts().submissions, 0U);
    }
  }
  for (const char* stream : {"resize-tiny", "tile-rows", "profile-2-12"}) {
    const std::string md5 =
        test::lines_of(std::string(SIDECORE_VP9_CORPUS) + "/" + stream + ".md5").front();
    const auto player = make_player(player_request(stream, qpu, device()));
    const auto before = device()->counters();
    EXPECT_EQ(player->checksum(), md5) << stream;
    const gates::PlaybackCounts once = player->counts();
    EXPECT_EQ(once.pictures, test::decoded_checksums(test::corpus_packets(stream)).size());
    EXPECT_GT(once.submissions, once.pictures / 4);
    EXPECT_LE(once.submissions, once.frames) << "at most one submission per frame";
    EXPECT_EQ(once.fence_waits, once.submissions);
    EXPECT_EQ(device()->counters().submits - before.submits, once.submissions);
    // Plays the clip again, in buffers that were used before.
    EXPECT_GT(player->play(Nanoseconds(1)), 0.0);
    EXPECT_EQ(player->checksum(), md5) << stream;
    EXPECT_EQ(player->counts().fence_waits, player->counts().submissions);
  }
}

TEST(Vp9Player, RefusesWhatItCannotPlay) {
  using enum vp9::Processor;
  gates::PlaybackRequest request = player_request("tile-rows", scalar, nullptr);
  request.clip = std::string(SIDECORE_VP9_CORPUS) + "/sources/16x16.y4m";
  EXPECT_EQ(make_player(request), nullptr);
  request = player_request("tile-rows", scalar, nullptr);
  request.frames = 2;
  const auto two = make_player(request);
  EXPECT_TRUE(two->origin().starts_with("2 packets of ")) << two->origin();
  static_cast<void>(two->checksum());
  EXPECT_EQ(two->counts().pictures, 2U);
  request.processor = divided;
  EXPECT_EQ(test::error_text(
                [&] { static_cast<void>(bench::make_vp9_player(request, vp9::Stage::intra)); }),
            "plan: intra cannot be divided, because each row waits for the row above");
}

// The grey frame reuses the memory of a frame whose filter was never waited for.
TEST(BackgroundFilter, IsDoneWithAFrameThatTurnsGrey) {
  const auto filter = std::make_shared<LateFilter>();
  vp9::Decoder decoder({.back_end = filter});
  const video::PixelFormat pixel{video::Chroma::c420, 8};
  test::Bytes hidden = test::corpus_packets("one-pass").front();
  hidden[0] = static_cast<std::uint8_t>(hidden[0] & ~0x02U);  // show_frame
  vp9::FrameSize size;
  const std::byte* memory = nullptr;
  {
    const auto frame = decoder.decode_frame(hidden, pixel, {}, [](const auto& /*shown*/) {}, {});
    size = frame->size;
    memory = frame->memory.bytes().data();
  }
  decoder.reset();
  ASSERT_EQ(filter->waiting(), 1U);
  const auto grey = decoder.grey_frame(size, pixel);
  ASSERT_EQ(grey->memory.bytes().data(), memory);
  EXPECT_EQ(filter->waiting(), 0U);
}

}  // namespace
}  // namespace sidecore::test_vp9_corpus_qpu
