// Decodes whole streams whose frames are reconstructed on the QPU, with every stage plan. Every
// frame must have the checksum of the corpus.
// ctest: streams, threads, long
// Many streams are slow under sanitizers, so under sanitizers only one plan decodes all of them.
// ctest: unsanitized *WithInverseTransformsAlone*:*WithAllStages*:*StagedMemory*
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "neon/vp9/dsp.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/picture_reconstruction.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_picture_reconstruction_qpu {
namespace {

using vp9::Plan;

/// Returns the plan with only this stage on the QPU.
Plan only(vp9::Stage stage) {
  return vp9::make_single_stage_plan(stage, vp9::Processor::qpu);
}
/// Returns the plan with all stages on the QPU except one, which runs on `processor`.
Plan all_but(vp9::Stage stage, vp9::Processor processor = vp9::Processor::neon) {
  Plan plan = vp9::kBackEndOnQpu;
  plan.processors[stage] = processor;
  return plan;
}

class PictureReconstruction : public test::QpuTest {
 protected:
  vp9::DecoderOptions options(const Plan& plan, int threads = 1) {
    return options(plan, threads, *device());
  }
  vp9::DecoderOptions options(const Plan& plan, int threads, qpu::Device& on) {
    stage_ = std::make_shared<qpu::PictureReconstruction>(on, plan);
    vp9::DecoderOptions options;
    options.threads = threads;
    options.dsp = &neon::vp9_dsp();
    options.back_end = stage_;
    return options;
  }
  void expect_all_streams(const Plan& plan) {
#ifdef SIDECORE_SANITIZED
    test::expect_agreement({"size-", "resize-odd", "tile-rows", "profile-1"}, 28, options(plan, 2));
#else
    test::expect_agreement(test::kBytes, 90, options(plan));
    test::expect_agreement(test::kHighBitDepth, 11, options(plan, 3));
#endif
    EXPECT_GT(stage_->statistics().submissions, 0U);
    EXPECT_EQ(stage_->statistics().fence_waits, stage_->statistics().submissions);
  }

  std::shared_ptr<qpu::PictureReconstruction> stage_;
};

TEST_F(PictureReconstruction, WithInterPredictionAloneGivesTheSameFrames) {
  expect_all_streams(only(vp9::Stage::prediction));
}

TEST_F(PictureReconstruction, WithInverseTransformsAloneGivesTheSameFrames) {
  expect_all_streams(only(vp9::Stage::residual));
}

TEST_F(PictureReconstruction, WithIntraPredictionAloneGivesTheSameFrames) {
  expect_all_streams(only(vp9::Stage::intra));
}

TEST_F(PictureReconstruction, WithAllStagesGivesTheSameFrames) {
  expect_all_streams(vp9::kBackEndOnQpu);
}

TEST_F(PictureReconstruction, WithDividedStagesGivesTheSameFrames) {
  expect_all_streams(vp9::kDividedBackEnd);
  const vp9::BackEndStatistics statistics = stage_->statistics();
  EXPECT_GT(statistics.divided_rows_on_gpu, 0U);
  EXPECT_LT(statistics.divided_rows_on_gpu, statistics.divided_rows);
}

TEST_F(PictureReconstruction, EachDividedStageFitsWhateverIsAroundIt) {
  for (const bool prediction : {false, true}) {
    for (const bool others : {false, true}) {
      Plan plan = others ? vp9::kBackEndOnQpu : Plan{};
      plan.processors[prediction ? vp9::Stage::prediction : vp9::Stage::residual] =
          vp9::Processor::divided;
      test::expect_agreement({"alt-ref", "resize-half", "tile-rows"}, 3, options(plan, 2));
      EXPECT_GT(stage_->statistics().divided_rows_on_gpu, 0U);
    }
  }
}

TEST_F(PictureReconstruction, AFrameIsOneSubmissionAtMost) {
  for (const char* stream : {"alt-ref", "resize-half", "tile-rows"}) {
    vp9::Decoder decoder(options(vp9::kBackEndOnQpu));
    const auto before = device()->counters();
    for (const test::Bytes& packet : test::corpus_packets(stream)) {
      decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    }
    const vp9::BackEndStatistics statistics = decoder.back_end_statistics();
    EXPECT_GT(statistics.submissions, 1U);
    EXPECT_LE(statistics.submissions, decoder.statistics().frames);
    EXPECT_EQ(statistics.fence_waits, statistics.submissions);
    EXPECT_EQ(device()->counters().submits - before.submits, statistics.submissions);
    EXPECT_EQ(device()->counters().dispatches - before.dispatches, statistics.dispatches);
    if (device()->info().unified_memory) {
      EXPECT_EQ(statistics.copied_bytes, 0U);
    }
  }
}

TEST_F(PictureReconstruction, NoResidualIsCopiedUnlessTheCpuReadsIt) {
  const std::vector<std::string> streams{"alt-ref-layers", "tile-rows-columns", "profile-2-12"};
  test::expect_agreement(streams, 3, options(vp9::kBackEndOnQpu, 3));
  EXPECT_EQ(stage_->statistics().packed_bytes, 0U);
  for (const Plan& plan : {only(vp9::Stage::residual), all_but(vp9::Stage::intra),
                           all_but(vp9::Stage::residual, vp9::Processor::divided)}) {
    test::expect_agreement(streams, 3, options(plan, 3));
    EXPECT_GT(stage_->statistics().packed_bytes, 0U);
  }
}

TEST_F(PictureReconstruction, LeavesTheResidualOfIntraBlocksToTheCpuThatPredictsThem) {
  Plan both = only(vp9::Stage::residual);
  both.processors.intra = vp9::Processor::qpu;
  for (const Plan& plan : {only(vp9::Stage::residual), both}) {
    vp9::Decoder decoder(options(plan));
    decoder.decode(test::corpus_packets("size-66x66").front(), [](const auto& /*key frame*/) {});
    EXPECT_EQ(decoder.back_end_statistics().by_stage.residual > 0, plan.on_qpu(vp9::Stage::intra));
  }
}

TEST_F(PictureReconstruction, MemoryOfAResidualIsOneFramesAtATime) {
  constexpr std::size_t kBytes = 3072;
  qpu::PictureReconstruction stage(*device(), vp9::kBackEndOnQpu);
  const auto take = [&](std::size_t bytes) { return stage.residual_memory(bytes, bytes / 32); };
  vp9::ResidualMemory first = take(kBytes);
  const vp9::ResidualMemory second = take(kBytes);
  EXPECT_GE(first.coefficients.size(), kBytes);
  EXPECT_GE(first.transforms.size(), kBytes / 32);
  EXPECT_NE(first.coefficients.data(), second.coefficients.data());
  EXPECT_NE(first.transforms.data(), second.transforms.data());
  const std::byte* const place = first.coefficients.data();
  first = {};
  first = take(kBytes / 2);  // these blocks need less than the memory that is free
  EXPECT_EQ(first.coefficients.data(), place);
  const vp9::ResidualMemory larger = take(8 * kBytes);
  EXPECT_GE(larger.coefficients.size(), 8 * kBytes);
  EXPECT_GE(larger.transforms.size(), 8 * kBytes / 32);
  // If the CPU reads the residual, or a shader cannot address all of it, the decoder uses its own
  // memory for the residual.
  const std::size_t beyond = device()->limits().max_storage_buffer_range;
  EXPECT_EQ(take(beyond).owner, nullptr);
  for (const Plan& plan :
       {only(vp9::Stage::residual), only(vp9::Stage::intra), all_but(vp9::Stage::intra),
        all_but(vp9::Stage::residual, vp9::Processor::divided)}) {
    qpu::PictureReconstruction other(*device(), plan);
    EXPECT_EQ(other.residual_memory(kBytes, kBytes / 32).owner, nullptr);
  }
}

TEST_F(PictureReconstruction, CountsADispatchForOneOfItsStages) {
  vp9::Decoder decoder(options(vp9::kBackEndOnQpu));
  std::uint64_t dispatches = 0;
  std::uint64_t predicted = 0;
  std::uint64_t frames = 0;
  std::uint64_t filtered = 0;  // number of edges filtered on the QPU
  for (const test::Bytes& packet : test::corpus_packets("size-66x66")) {
    decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    const bool one_frame = decoder.statistics().frames == frames + 1;
    const std::uint64_t more = decoder.back_end_statistics().dispatches - dispatches;
    const vp9::PerStage<std::uint64_t> of = stage_->dispatches();
    if (one_frame) {
      EXPECT_EQ(of.prediction + of.residual + of.intra + of.loop_filter, more);
      predicted += of.prediction;
    }
    const qpu::StageWork work = stage_->work();
    EXPECT_EQ(work.prediction.size(), of.prediction);
    EXPECT_EQ(work.residual.size(), of.residual);
    EXPECT_EQ(work.intra.size(), of.intra);
    EXPECT_EQ(work.loop_filter.size(), of.loop_filter);
    double edges = 0;
    for (const qpu::DispatchWork& of_dispatch : work.loop_filter) edges += of_dispatch.units;
    const std::uint64_t all_filtered = stage_->statistics().edges_on_gpu;
    if (one_frame) {
      EXPECT_EQ(edges, static_cast<double>(all_filtered - filtered));
    }
    filtered = all_filtered;
    if (frames == 0) {
      EXPECT_EQ(of.prediction, 0U);
      EXPECT_GT(std::min({of.residual, of.intra, of.loop_filter}), 0U);
    }
    dispatches += more;
    frames = decoder.statistics().frames;
  }
  EXPECT_GT(predicted, 0U);
  const vp9::PerStage<std::uint64_t> all = decoder.back_end_statistics().by_stage;
  EXPECT_EQ(all.prediction, predicted);
  EXPECT_EQ(all.prediction + all.residual + all.intra + all.loop_filter, dispatches);
}

// Also tests frames that an observer sees before the filter; such frames take two submissions.
TEST_F(PictureReconstruction, TimesWhoeverWaits) {
  for (const bool before : {false, true}) {
    vp9::DecoderOptions timed = options(vp9::kBackEndOnQpu, 2);
    timed.time_stages = true;
    if (before) timed.observer.before_filter = [](const auto&, const auto&, int) {};
    vp9::Decoder decoder(timed);
    for (const test::Bytes& packet : test::corpus_packets("size-66x66")) {
      decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    }
    decoder.flush([](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    for (const vp9::ClockRow stage : vp9::kClockRows) {
      const bool on_qpu = stage == vp9::ClockRow::prediction || stage == vp9::ClockRow::intra ||
                          stage == vp9::ClockRow::residual || stage == vp9::ClockRow::loop_filter;
      const Nanoseconds time = decoder.statistics().stages[static_cast<std::size_t>(stage)];
      EXPECT_EQ(time.count() > 0, !on_qpu) << to_string(stage);
    }
  }
}

TEST_F(PictureReconstruction, StagedMemoryGivesTheSameFrames) {
  qpu::DeviceOptions staging = test::qpu_test_options();
  staging.force_staging = true;
  const auto staged = qpu::Device::open(staging);
  for (const char* const plan :
       {"qpu", "prediction=qpu", "residual=qpu", "intra=qpu",
        "prediction=qpu,intra=qpu,loop_filter=qpu", "residual=qpu,loop_filter=qpu", "divided",
        "prediction=divided,residual=qpu,intra=qpu,loop_filter=qpu",
        "prediction=qpu,residual=divided,intra=qpu,loop_filter=qpu",
        "residual=divided,loop_filter=qpu"}) {
    test::expect_agreement({"tile-rows-columns", "size-66x66", "profile-2-12"}, 3,
                           options(Plan::parse(plan), 2, *staged));
    EXPECT_GT(stage_->statistics().copied_bytes, 0U);
  }
}

// All entries of the table are null, so a call of any entry would crash.
TEST_F(PictureReconstruction, WithAllStagesCallsNoKernelOfTheCpu) {
  vp9::DspTables none{
      .name = "none", .bits_8 = {}, .bits_10 = {.bits = 10}, .bits_12 = {.bits = 12}};
  vp9::DecoderOptions on_qpu = options(vp9::kBackEndOnQpu, 2);
  on_qpu.dsp = &none;
  test::expect_agreement({"alt-ref", "error-resilient-alt-ref", "lossless-odd", "resize-tiny",
                          "size-66x66", "tile-rows", "profile-1-444", "profile-2-1"},
                         11, on_qpu);
}

/// Results of decoding a stream on a device with separate memory.
struct Staged {
  std::vector<std::string> checksums;
  std::uint64_t downloaded = 0;  ///< number of frames copied to the host
  std::uint64_t repeated = 0;    ///< number of hidden frames that are shown later
  vp9::DecoderStatistics decoder;
  vp9::BackEndStatistics stage;
};

// Host code that reads a frame too early finds the samples of an earlier frame or none. So these
// tests also show that the host does not read hidden frames.
class StagedReconstruction : public PictureReconstruction {
 protected:
  Staged decode(const std::string& stream, const Plan& plan, bool hidden = false) {
    qpu::DeviceOptions staging = test::qpu_test_options();
    staging.force_staging = true;
    const auto device = qpu::Device::open(staging);
    vp9::DecoderOptions on_qpu = options(plan, 2, *device);
    on_qpu.show_hidden = hidden;
    Staged staged;
    std::size_t frame_bytes = 0;
    vp9::Decoder decoder(on_qpu);
    const vp9::Decoder::Show look = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      frame_bytes = frame->memory.layout().bytes;
      staged.checksums.push_back(test::checksum(*frame));
      if (decoder.shown().repeated) ++staged.repeated;
    };
    for (const test::Bytes& packet : test::corpus_packets(stream)) decoder.decode(packet, look);
    decoder.flush(look);
    const std::uint64_t bytes = device->counters().downloaded_bytes;
    EXPECT_EQ(bytes % frame_bytes, 0U);
    staged.downloaded = bytes / frame_bytes;
    staged.decoder = decoder.statistics();
    staged.stage = decoder.back_end_statistics();
    EXPECT_EQ(staged.stage.submissions, staged.stage.fence_waits);
    return staged;
  }
  static std::vector<std::string> expected(const std::string& stream, bool hidden = false) {
    return test::decoded_checksums(test::corpus_packets(stream), {.show_hidden = hidden});
  }
};

TEST_F(StagedReconstruction, BringsToTheHostWhatIsShownAndNothingElse) {
  const Staged staged = decode("alt-ref", vp9::kBackEndOnQpu);
  EXPECT_EQ(staged.checksums, expected("alt-ref"));
  EXPECT_LT(staged.decoder.shown, staged.decoder.frames) << "it has no hidden frame";
  EXPECT_EQ(staged.downloaded, staged.decoder.shown);
  EXPECT_LE(staged.stage.submissions, staged.decoder.frames);
}

TEST_F(StagedReconstruction, BringsAHiddenFrameOnceItIsShown) {
  const Staged staged = decode("alt-ref-layers", vp9::kBackEndOnQpu);
  EXPECT_EQ(staged.checksums, expected("alt-ref-layers"));
  EXPECT_GT(staged.repeated, 0U);
  EXPECT_EQ(staged.downloaded, staged.decoder.shown);
  EXPECT_LE(staged.stage.submissions, staged.decoder.frames + staged.repeated);
}

TEST_F(StagedReconstruction, BringsHiddenFramesToWhoAsksForTheirSamples) {
  const Staged all = decode("alt-ref", vp9::kBackEndOnQpu, true);
  EXPECT_EQ(all.checksums, expected("alt-ref", true));
  EXPECT_EQ(all.downloaded, all.decoder.frames);
}

TEST_F(StagedReconstruction, BringsHiddenFramesWhereTheCpuPredictsFromThem) {
  for (const Plan& plan : {all_but(vp9::Stage::prediction), all_but(vp9::Stage::loop_filter)}) {
    EXPECT_EQ(decode("alt-ref", plan).checksums, expected("alt-ref"));
  }
}

/// Decodes the second frame of a stream with grey references, whose memory held the first frame,
/// which is filtered. With `stray` it is decoded twice. The first time it has references that are
/// not the decoder's frames, which a stage on the QPU rejects.
std::string predicted_from_grey(vp9::DecoderOptions options, bool stray) {
  const std::vector<test::Bytes> frames = test::frames_of(test::corpus_packets("one-pass"));
  const std::string refusal =
      options.back_end ? "frame 1: the frame's memory was not allocated by this back end" : "";
  vp9::Decoder decoder(std::move(options));
  vp9::Decoder another;
  vp9::FrameSize size;
  video::PixelFormat pixel;
  std::string shown;
  const auto show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    size = frame->size;
    pixel = frame->memory.format().pixel;
    shown = test::checksum(*frame);
  };
  std::array<std::shared_ptr<const vp9::FrameBuffer>, vp9::kReferenceSlots> slots;
  static_cast<void>(decoder.decode_frame(frames[0], {}, slots, show, {}));
  decoder.reset();
  slots.fill(decoder.grey_frame(size, pixel));
  if (stray) {
    auto wrong = slots;
    std::fill(wrong.begin() + 1, wrong.end(), another.grey_frame(size, pixel));
    std::string error;
    try {
      static_cast<void>(decoder.decode_frame(frames[1], pixel, wrong, show, {}));
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    EXPECT_EQ(error, refusal);
  }
  static_cast<void>(decoder.decode_frame(frames[1], pixel, slots, show, {}));
  EXPECT_EQ(decoder.statistics().frame_allocations, 2U);
  return shown;
}

TEST_F(PictureReconstruction, StagedMemoryTurnsGreyOnTheDeviceToo) {
  qpu::DeviceOptions staging = test::qpu_test_options();
  staging.force_staging = true;
  const auto staged = qpu::Device::open(staging);
  for (const bool stray : {false, true}) {
    EXPECT_EQ(predicted_from_grey(
                  options(Plan::parse("prediction=qpu,loop_filter=qpu"), 1, *staged), stray),
              predicted_from_grey({}, stray))
        << stray;
  }
}

TEST_F(PictureReconstruction, AReferenceThatCannotPredictIsNotInTheWay) {
  const vp9::FrameSize wrong{2 * test::kResizedSize.width + 1, 3};
  EXPECT_EQ(test::resized_frame(options(vp9::kBackEndOnQpu), {1}, wrong),
            test::resized_frame({}, {}, {}));
}

TEST_F(PictureReconstruction, FramesBeforeTheFilterAreThere) {
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
  const auto keep = [](std::vector<std::string>& checksums) {
    return [&](const vp9::FrameBuffer& frame, const auto& /*edges*/, int) {
      checksums.push_back(test::checksum(frame));
    };
  };
  vp9::DecoderOptions on_qpu = options(vp9::kBackEndOnQpu);
  on_qpu.observer.before_filter = keep(ours);
  vp9::DecoderOptions on_cpu;
  on_cpu.observer.before_filter = keep(theirs);
  const auto packets = test::corpus_packets("alt-ref");
  static_cast<void>(test::decoded_checksums(packets, on_qpu));
  static_cast<void>(test::decoded_checksums(packets, on_cpu));
  EXPECT_EQ(ours, theirs);
}

TEST_F(PictureReconstruction, PicturesOfOneSizeShareABufferWhosePlacesAreTakenAgain) {
  qpu::PictureReconstruction stage(*device(), vp9::kBackEndOnQpu);
  const video::PictureFormat format{128, 64, {video::Chroma::c420, 8}};
  const std::size_t bytes = video::PictureLayout(format).bytes;
  std::vector<video::Picture> pictures;
  for (int index = 0; index < 8; ++index) pictures.push_back(stage.allocate(format));
  const auto place_of = [&](const video::Picture& picture) {
    return picture.bytes().data() - pictures.front().bytes().data();
  };
  for (std::size_t index = 0; index < pictures.size(); ++index) {
    EXPECT_EQ(place_of(pictures[index]), static_cast<std::ptrdiff_t>(index * bytes));
  }
  const std::ptrdiff_t third = place_of(pictures[2]);
  pictures.erase(pictures.begin() + 2);
  pictures.push_back(stage.allocate(format));
  EXPECT_EQ(place_of(pictures.back()), third);
  pictures.push_back(stage.allocate(format));  // each picture has a buffer of its own
  const std::ptrdiff_t other = place_of(pictures.back());
  EXPECT_TRUE(other < 0 || other >= static_cast<std::ptrdiff_t>(8 * bytes));
}

}  // namespace
}  // namespace sidecore::test_vp9_picture_reconstruction_qpu
