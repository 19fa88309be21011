// Tests of workloads of inter prediction, inverse transforms and intra prediction: a decoder's
// calls, recorded and repeated.
// ctest: streams
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error_text.h"
#include "gates/m1_agreement.h"
#include "kernels/registry.h"
#include "kernels/vp9/frame_capture.h"
#include "kernels/vp9/stage_recorder.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_stage_workloads {
namespace {

using bench::StageWorkload;
using gates::Content;
using gates::Kernel;
using gates::UnitRange;
using gates::Workload;

constexpr std::array<const char*, 3> kStages{"inter_prediction", "inverse_transform",
                                             "intra_prediction"};

std::string stream_path(const std::string& name) {
  return std::string(SIDECORE_VP9_CORPUS) + "/" + name + ".ivf";
}

/// A workload with its memory after the stage has run.
struct Done {
  std::unique_ptr<StageWorkload> workload;
  std::vector<std::byte> memory;

  /// Returns a byte of the frame; nothing if the stage does not write that byte.
  [[nodiscard]] std::optional<std::byte> written(std::size_t byte) {
    const std::span<std::byte> frame = workload->frame_in(memory);
    const auto at = static_cast<std::size_t>(frame.data() - memory.data()) + byte;
    if (!workload->unit_of(at)) return std::nullopt;
    return memory[at];
  }
};

Done done_by_neon(std::unique_ptr<Workload> workload) {
  Done done;
  done.workload.reset(&dynamic_cast<StageWorkload&>(*workload.release()));
  done.memory.resize(done.workload->bytes());
  done.workload->reset(done.memory);
  // The units run in two parts, as threads would run them; the last part runs first.
  const std::size_t units = done.workload->units();
  done.workload->run_neon(done.memory, {units / 3, units});
  done.workload->run_neon(done.memory, {0, units / 3});
  return done;
}

/// Runs a stage on all frames of a stream with NEON. The key is the frame's number.
std::map<std::uint64_t, Done> all_done(const std::string& stage, const std::string& stream) {
  const auto source = bench::find_kernel(stage).open_clip({stream_path(stream)});
  std::map<std::uint64_t, Done> frames;
  while (auto workload = source->next()) {
    const std::uint64_t number = std::stoul(source->origin().substr(std::string("frame ").size()));
    frames.emplace(number, done_by_neon(std::move(workload)));
  }
  return frames;
}

class NeonStagesOfAStream : public testing::TestWithParam<const char*> {};

// Streams with compound prediction and hidden frames, 4:4:4, blocks outside the frame, 10 bits,
// reference frames of another size, and the Walsh-Hadamard transform.
INSTANTIATE_TEST_SUITE_P(Streams, NeonStagesOfAStream,
                         testing::Values("alt-ref", "profile-1-444", "size-66x66", "profile-2-10",
                                         "profile-2-resize", "lossless-odd"),
                         [](const auto& stream) {
                           std::string name = stream.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// The gates judge the decoder's work: the blocks of the three stages, each run separately, together
// make the decoder's frame before the loop filter. Blocks of inter prediction with coefficients are
// complete after their transform. Blocks of intra prediction include their residual.
TEST_P(NeonStagesOfAStream, make_the_decoders_frames_together) {
  std::map<std::uint64_t, Done> inter = all_done("inter_prediction", GetParam());
  std::map<std::uint64_t, Done> transform = all_done("inverse_transform", GetParam());
  std::map<std::uint64_t, Done> intra = all_done("intra_prediction", GetParam());
  const std::array stages{&transform, &inter, &intra};
  bench::FrameCapture capture(bench::open_vp9(stream_path(GetParam())));
  while (const auto frame = capture.next()) {
    const std::span<const std::byte> expected = frame->samples.bytes();
    std::array<Done*, 3> of_frame{};
    std::ranges::transform(stages, of_frame.begin(), [&](auto* frames) {
      const auto found = frames->find(frame->number);
      return found == frames->end() ? nullptr : &found->second;
    });
    std::size_t written = 0;
    for (std::size_t byte = 0; byte < expected.size(); ++byte) {
      std::optional<std::byte> last;
      for (Done* stage : of_frame) {
        if (stage != nullptr && !last) last = stage->written(byte);
      }
      if (!last) continue;
      ++written;
      if (of_frame[2] != nullptr) {
        ASSERT_EQ(of_frame[2]->written(byte).value_or(*last), *last)
            << "frame " << frame->number << ", byte " << byte;
      }
      ASSERT_EQ(*last, expected[byte]) << "frame " << frame->number << ", byte " << byte;
    }
    // The stages write nearly all bytes, except outside the frame and in the rows' padding.
    EXPECT_GT(written, expected.size() / 4) << "frame " << frame->number;
  }
}

TEST(NeonStages, are_of_every_kind_in_drawn_contents) {
  for (const char* stage : kStages) {
    for (const int bits : {8, 10, 12}) {
      std::map<std::string, double> marks;
      for (const Content content : gates::synthetic_contents()) {
        gates::WorkloadRequest request;
        request.content = content;
        request.bits = bits;
        request.width = 640;
        request.height = 360;
        const auto workload = bench::find_kernel(stage).make_workload(request);
        std::vector<std::byte> scalar(workload->bytes());
        workload->reset(scalar);
        for (const auto& rate : workload->branch_rates(scalar)) marks[rate.name] += rate.rate;
        std::vector<std::byte> neon = scalar;
        std::vector<std::byte> counted = scalar;
        const std::vector<gates::CpuCalls> calls = workload->cpu_calls(counted);
        double blocks = 0;
        for (const gates::CpuCalls& call : calls) blocks += call.times;
        EXPECT_GT(blocks, 0) << stage;
        workload->run_scalar(scalar, {0, workload->units()});
        workload->run_neon(neon, {0, workload->units()});
        EXPECT_EQ(scalar, counted) << stage << " " << to_string(content) << " " << bits;
        EXPECT_EQ(scalar, neon) << stage << " " << to_string(content) << " " << bits;
      }
      for (const auto& [name, sum] : marks) EXPECT_GT(sum, 0) << stage << ": " << name;
    }
  }
}

// --- Kernels with a fault, which the gates must find

struct Flaw {
  const char* stage;
  /// Puts the fault into a table with the scalar definition's functions.
  void (*put)(vp9::Dsp<std::uint8_t>& dsp);
};

const vp9::Dsp<std::uint8_t>& definition() {
  return vp9::scalar_dsp().bits_8;
}

template <std::size_t beyond>
void spoil_inter(vp9::Dsp<std::uint8_t>& dsp) {
  dsp.inter[0][0] = [](const std::uint8_t* from, std::ptrdiff_t from_stride,
                       const vp9::ReferenceArea& area, vp9::InterpolationFilter filter,
                       std::uint8_t* to, std::ptrdiff_t stride) {
    definition().inter[0][0](from, from_stride, area, filter, to, stride);
    to[static_cast<std::size_t>(area.width) - 1 + beyond] ^= 1;
  };
}

template <std::size_t beyond>
void spoil_transform(vp9::Dsp<std::uint8_t>& dsp) {
  dsp.inverse_transforms[vp9::kTransform8x8][vp9::kDctDct] =
      [](const vp9::TransformBlock& block, const std::int16_t* coefficients, std::uint8_t* samples,
         std::ptrdiff_t stride) {
        definition().inverse_transform(vp9::kTransform8x8, vp9::kDctDct)(block, coefficients,
                                                                         samples, stride);
        samples[7 + beyond] ^= 1;
      };
}

template <std::size_t beyond>
void spoil_intra(vp9::Dsp<std::uint8_t>& dsp) {
  dsp.intra[vp9::kTrueMotionPrediction][vp9::kTransform8x8] =
      [](std::uint8_t* to, std::ptrdiff_t stride, const std::uint8_t* above,
         const std::uint8_t* left) {
        definition().intra[vp9::kTrueMotionPrediction][vp9::kTransform8x8](to, stride, above, left);
        to[7 + beyond] ^= 1;
      };
}

/// A stage's workload that runs faulty functions instead of NEON's.
class FlawedWorkload final : public Workload {
 public:
  FlawedWorkload(std::unique_ptr<Workload> workload, const Flaw& flaw)
      : workload_(std::move(workload)), tables_(vp9::scalar_dsp()) {
    flaw.put(tables_.bits_8);
  }
  [[nodiscard]] std::size_t units() const override { return workload_->units(); }
  [[nodiscard]] std::size_t bytes() const override { return workload_->bytes(); }
  void reset(std::span<std::byte> memory) const override { workload_->reset(memory); }
  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    workload_->run_scalar(memory, units);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    dynamic_cast<const StageWorkload&>(*workload_).run(tables_, memory, units);
  }
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    return workload_->unit_of(byte);
  }
  [[nodiscard]] std::string describe(std::size_t byte) const override {
    return workload_->describe(byte);
  }

 private:
  void record_units(qpu::Device& /*device*/, qpu::CommandList& /*list*/, qpu::Buffer& /*memory*/,
                    std::string_view /*variant*/) const override {}

  std::unique_ptr<Workload> workload_;
  vp9::DspTables tables_;
};

class FlawedClip final : public gates::ClipWorkloads {
 public:
  FlawedClip(std::unique_ptr<gates::ClipWorkloads> clip, const Flaw& flaw)
      : clip_(std::move(clip)), flaw_(flaw) {}
  [[nodiscard]] std::unique_ptr<Workload> next() override {
    auto workload = clip_->next();
    if (workload == nullptr) return nullptr;
    return std::make_unique<FlawedWorkload>(std::move(workload), flaw_);
  }
  [[nodiscard]] const std::string& origin() const override { return clip_->origin(); }

 private:
  std::unique_ptr<gates::ClipWorkloads> clip_;
  Flaw flaw_;
};

gates::ComparedUnits judged(const Flaw& flaw, const std::string& input) {
  Kernel kernel = bench::find_kernel(flaw.stage);
  kernel.make_workload = [make = kernel.make_workload, flaw](const auto& request) {
    return std::make_unique<FlawedWorkload>(make(request), flaw);
  };
  kernel.open_clip = [open = kernel.open_clip, flaw](const auto& clip) {
    return std::make_unique<FlawedClip>(open(clip), flaw);
  };
  gates::GateOptions options;
  options.input = input;
  options.contents = {input.empty() ? Content::random : Content::input};
  options.width = 640;
  options.height = 360;
  options.minimum_units = 1000;
  options.frames = 4;
  const auto subject =
      make_kernel_under_test(kernel, nullptr, Outcome<qpu::Device*>::none("no device"), {});
  return run_m1(subject, options).agreements.at(0).compared.value.value();
}

TEST(StageGate, passes_the_definition_itself) {
  for (const char* stage : kStages) {
    const Flaw none{stage, [](vp9::Dsp<std::uint8_t>&) {}};
    EXPECT_TRUE(judged(none, {}).holds()) << stage;
    EXPECT_TRUE(judged(none, stream_path("tile-rows")).holds()) << stage;
  }
}

TEST(StageGate, fails_a_kernel_that_is_wrong_in_a_sample) {
  for (const Flaw& flaw : {Flaw{kStages[0], spoil_inter<0>}, Flaw{kStages[1], spoil_transform<0>},
                           Flaw{kStages[2], spoil_intra<0>}}) {
    for (const std::string& input : {std::string(), stream_path("tile-rows")}) {
      const gates::ComparedUnits compared = judged(flaw, input);
      EXPECT_FALSE(compared.holds()) << flaw.stage;
      EXPECT_LT(compared.agreeing, compared.units);
      EXPECT_EQ(compared.stray_bytes, 0U);
      ASSERT_TRUE(compared.first);
      EXPECT_TRUE(compared.first->where.starts_with("block ")) << compared.first->where;
      EXPECT_NE(compared.first->where.find("row 0, column "), std::string::npos)
          << compared.first->where;
    }
  }
}

TEST(StageGate, fails_a_kernel_that_writes_beside_its_block) {
  for (const Flaw& flaw : {Flaw{kStages[0], spoil_inter<1>}, Flaw{kStages[1], spoil_transform<1>},
                           Flaw{kStages[2], spoil_intra<1>}}) {
    const gates::ComparedUnits compared = judged(flaw, {});
    EXPECT_FALSE(compared.holds()) << flaw.stage;
    EXPECT_GT(compared.stray_bytes, 0U) << flaw.stage;
  }
}

TEST(StageWorkload, names_block_and_sample) {
  gates::WorkloadRequest request;
  request.width = 64;
  request.height = 64;
  std::set<std::string> planes;
  for (const char* stage : kStages) {
    const auto workload = bench::find_kernel(stage).make_workload(request);
    // The frame has 256 guard bytes before it. Blocks begin 8 samples from the borders, except
    // transforms, which begin at multiples of their size.
    EXPECT_EQ(workload->describe(255), "guard byte 1 before the frame");
    const int begin = std::string_view(stage) == "inverse_transform" ? 0 : 8;
    if (begin > 0) {
      EXPECT_EQ(workload->describe(256 + 3), "sample (Y, x 3, y 0), which no block covers");
    }
    const auto in_first = static_cast<std::size_t>(256 + 64 * (begin + 1) + begin + 2);
    const std::string first = workload->describe(in_first);
    EXPECT_TRUE(first.starts_with(fmt::format("block 0 (Y, x {0}, y {0}, ", begin))) << first;
    EXPECT_TRUE(first.ends_with(", row 1, column 2")) << first;
    for (std::size_t at = 0; at < workload->bytes(); ++at) {
      if (!workload->unit_of(at)) continue;
      const std::string text = workload->describe(at);
      planes.insert(text.substr(text.find('(') + 1, text.find(',') - text.find('(') - 1));
    }
    const std::string behind = workload->describe(workload->bytes() - 1);
    EXPECT_TRUE(behind.starts_with("guard byte ")) << behind;
  }
  EXPECT_EQ(planes, (std::set<std::string>{"Y", "Cb", "Cr"}));
}

TEST(StageStream, is_refused_in_a_sentence_where_there_is_nothing_for_the_stage) {
  const Kernel& kernel = bench::find_kernel("inter_prediction");
  const std::string clip = stream_path("key-frames");
  EXPECT_EQ(test::error_text([&] {
              static_cast<void>(kernel.open_clip({clip, 1})->next());
            }),
            "'" + clip + "': none of its 1 frames has a block for inter_prediction");
  // The result is null for formats other than VP9, which another reader opens.
  EXPECT_EQ(kernel.open_clip({std::string(SIDECORE_VP9_CORPUS) + "/sources/16x16.y4m"}), nullptr);
}

TEST(StageStream, counts_hidden_frames_and_stops_where_it_is_told) {
  const auto source = bench::find_kernel("intra_prediction").open_clip({stream_path("alt-ref"), 2});
  std::set<std::string> origins;
  while (source->next() != nullptr) origins.insert(source->origin());
  EXPECT_LE(origins.size(), 2U);
  EXPECT_TRUE(origins.contains("frame 0 of '" + stream_path("alt-ref") + "'"));
}

}  // namespace
}  // namespace sidecore::test_stage_workloads
