// Tests of the workloads of all kernels: every implementation must produce the same memory block.
// ctest: streams, long
// Under sanitizers, random content and clips are enough.
// ctest: unsanitized *Workloads.*_smooth:*Workloads.*_flat:*Workloads*.*_high_variance
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "error_text.h"
#include "gates/heap_block.h"
#include "kernels/registry.h"
#include "kernels/vp9/loop_filter_stream.h"
#include "kernels/vp9/loop_filter_workload.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/program.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/back_end.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_workloads {
namespace {

using gates::Content;
using gates::Kernel;
using gates::Workload;
using gates::WorkloadRequest;

std::shared_ptr<video::Picture> noise_picture(const video::PictureFormat& format,
                                              std::uint64_t seed) {
  auto picture = std::make_shared<video::Picture>(format);
  Random random(seed);
  const auto luma = format.pixel.bits == 8 ? 0 : format.pixel.max_value();
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      if (luma == 0) {
        picture->plane<std::uint8_t>(0).row(y)[x] =
            static_cast<std::uint8_t>(100 + random.below(8));
      } else {
        picture->plane<std::uint16_t>(0).row(y)[x] =
            static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(luma) + 1));
      }
    }
  }
  return picture;
}

WorkloadRequest sized(Content content, int width, int height) {
  WorkloadRequest request;
  request.content = content;
  request.width = width;
  request.height = height;
  return request;
}

WorkloadRequest of_pictures(std::shared_ptr<const video::Picture> picture,
                            std::shared_ptr<const video::Picture> other = nullptr) {
  WorkloadRequest request;
  request.content = Content::input;
  request.picture = std::move(picture);
  request.other = std::move(other);
  return request;
}

WorkloadRequest request_of(Content content, std::uint64_t seed = 5) {
  WorkloadRequest request = sized(content, 217, 91);
  request.seed = seed;
  if (content == Content::input) {
    request.picture = noise_picture({217, 91, {video::Chroma::c420, 8}}, 9);
  }
  return request;
}

std::vector<std::byte> pristine(const Workload& workload) {
  std::vector<std::byte> memory(workload.bytes());
  workload.reset(memory);
  return memory;
}

using Case = std::tuple<const Kernel*, Content>;

std::vector<const Kernel*> all_kernels() {
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : bench::kernels()) all.push_back(&kernel);
  return all;
}

class Workloads : public testing::TestWithParam<Case> {
 protected:
  static std::unique_ptr<Workload> make(std::uint64_t seed = 5) {
    const auto& [kernel, content] = GetParam();
    return kernel->make_workload(request_of(content, seed));
  }
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [kernel, content] = info.param;
  return std::string(kernel->name) + "_" + to_string(content);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Workloads,
                         testing::Combine(testing::ValuesIn(all_kernels()),
                                          testing::Values(Content::random, Content::smooth,
                                                          Content::flat, Content::high_variance,
                                                          Content::input)),
                         case_name);

TEST_P(Workloads, give_the_same_block_whoever_runs_whichever_share) {
  const auto workload = make();
  std::vector<std::byte> scalar = pristine(*workload);
  std::vector<std::byte> neon = scalar;
  const std::size_t units = workload->units();
  ASSERT_GT(units, 3U);
  workload->run_scalar(scalar, {0, units});
  EXPECT_NE(scalar, neon);
  if (workload->ordered()) {
    workload->run_neon(neon, {0, units});
  } else {  // runs parts of odd sizes; the last part runs first
    workload->run_neon(neon, {units / 3, units});
    workload->run_neon(neon, {1, units / 3});
    workload->run_neon(neon, {0, 1});
  }
  EXPECT_EQ(scalar, neon);
}

TEST_P(Workloads, give_the_same_block_on_any_number_of_threads) {
  const auto workload = make();
  std::vector<std::byte> scalar = pristine(*workload);
  workload->run_scalar(scalar, {0, workload->units()});
  for (const std::size_t workers : {0U, 1U, 2U}) {
    ThreadPool team(workers);
    for (int time = 0; time < 2; ++time) {
      gates::HeapBlock neon(workload->bytes());
      workload->reset(neon.bytes());
      workload->run_neon_on(team, neon.bytes());
      EXPECT_TRUE(std::ranges::equal(scalar, neon.bytes())) << workers;
    }
  }
}

TEST_P(Workloads, change_only_bytes_that_a_unit_owns) {
  const auto workload = make();
  const std::vector<std::byte> before = pristine(*workload);
  const std::size_t units = workload->units();
  if (workload->ordered()) {  // a byte belongs to the last unit that may change it
    std::vector<std::byte> after = before;
    workload->run_scalar(after, {0, units});
    for (std::size_t at = 0; at < after.size(); ++at) {
      if (after[at] == before[at]) continue;
      ASSERT_TRUE(workload->unit_of(at)) << workload->describe(at);
    }
    return;
  }
  for (const std::size_t unit : {std::size_t{0}, units / 2, units - 1}) {
    std::vector<std::byte> after = before;
    workload->run_scalar(after, {unit, unit + 1});
    for (std::size_t at = 0; at < after.size(); ++at) {
      if (after[at] != before[at]) {
        ASSERT_EQ(workload->unit_of(at), unit) << workload->describe(at);
      }
    }
  }
}

TEST_P(Workloads, own_bytes_by_every_unit_and_guard_both_ends) {
  const auto workload = make();
  std::set<std::size_t> owners;
  for (std::size_t at = 0; at < workload->bytes(); ++at) {
    EXPECT_FALSE(workload->describe(at).empty());
    const auto unit = workload->unit_of(at);
    if (unit) owners.insert(*unit);
    const bool guard = at < 64 || at + 64 >= workload->bytes();
    EXPECT_FALSE(guard && unit) << at;
  }
  if (!workload->ordered()) {
    EXPECT_EQ(owners.size(), workload->units());
  }
  EXPECT_EQ(*owners.rbegin(), workload->units() - 1);
}

TEST_P(Workloads, replay_from_their_seed) {
  EXPECT_EQ(pristine(*make(5)), pristine(*make(5)));
  const auto workload = make();
  std::vector<std::byte> used = pristine(*workload);
  workload->run_scalar(used, {0, workload->units()});
  workload->reset(used);
  EXPECT_EQ(used, pristine(*workload));
  if (std::get<1>(GetParam()) != Content::input) {
    EXPECT_NE(pristine(*make(5)), pristine(*make(6)));
  }
}

std::string stream_path(const std::string& name) {
  return std::string(SIDECORE_VP9_CORPUS) + "/" + name + ".ivf";
}

class StreamWorkloadsQpu : public test::QpuTest {};

class WorkloadsQpu : public test::QpuTest, public testing::WithParamInterface<Case> {};

INSTANTIATE_TEST_SUITE_P(Kernels, WorkloadsQpu,
                         testing::Combine(testing::ValuesIn(all_kernels()),
                                          testing::Values(Content::high_variance, Content::input)),
                         case_name);

TEST_P(WorkloadsQpu, give_the_same_block_in_every_variant_and_every_submission) {
  const auto& [kernel, content] = GetParam();
  const auto workload = kernel->make_workload(request_of(content));
  std::vector<std::byte> scalar = pristine(*workload);
  workload->run_scalar(scalar, {0, workload->units()});
  for (const gates::QpuVariant& variant : kernel->variants) {
    SCOPED_TRACE(std::string(variant.name));
    const auto memory = device()->create_buffer(workload->bytes());
    const auto list = workload->record(*device(), *memory, variant.name);
    for (int submission = 0; submission < 2; ++submission) {
      workload->reset(memory->bytes());
      device()->submit(*list).wait();
      EXPECT_TRUE(std::ranges::equal(memory->bytes(), scalar)) << "submission " << submission;
    }
  }
}

TEST_F(StreamWorkloadsQpu, give_the_same_block_in_every_variant) {
  for (const Kernel& kernel : bench::kernels()) {
    if (kernel.module != "vp9" || !kernel.open_clip || kernel.variants.empty())
      continue;  // skips kernels that do not read VP9, or have no QPU variant
    const auto source = kernel.open_clip({stream_path("alt-ref"), 3});
    ASSERT_NE(source, nullptr);
    while (const auto workload = source->next()) {
      std::vector<std::byte> scalar = pristine(*workload);
      workload->run_scalar(scalar, {0, workload->units()});
      for (const gates::QpuVariant& variant : kernel.variants) {
        SCOPED_TRACE(std::string(kernel.name) + " " + std::string(variant.name));
        const auto memory = device()->create_buffer(workload->bytes());
        const auto list = workload->record(*device(), *memory, variant.name);
        workload->reset(memory->bytes());
        device()->submit(*list).wait();
        EXPECT_TRUE(std::ranges::equal(memory->bytes(), scalar)) << source->origin();
      }
    }
  }
}

TEST(LoopFilterWorkload, has_the_edges_of_a_1080p_picture) {
  const auto& kernel = bench::find_kernel("loop_filter_h_4");
  const auto workload = kernel.make_workload(sized(Content::smooth, 1920, 1080));
  EXPECT_EQ(workload->units(), 32265U);
  const auto rates = workload->branch_rates(pristine(*workload));
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_EQ(rates[0].name, "mask");
  EXPECT_EQ(rates[0].rate, 1.0);
}

TEST(LoopFilterWorkload, tells_what_neon_calls_for_its_edges) {
  for (const auto& [content, input] :
       {std::pair{Content::random, "random"}, std::pair{Content::flat, "flat"}}) {
    const auto workload =
        bench::find_kernel("loop_filter_v_8").make_workload(sized(content, 640, 64));
    std::vector<std::byte> memory = pristine(*workload);
    std::vector<std::byte> filtered = memory;
    double all = 0;
    double most = 0;
    for (const gates::CpuCalls& call : workload->cpu_calls(memory)) {
      EXPECT_EQ(call.kernel, "loop_filter v_8");
      EXPECT_EQ(call.bits, 8);
      all += call.times;
      if (call.input == input) most = call.times;
    }
    EXPECT_EQ(all, static_cast<double>(workload->units()));
    EXPECT_GT(most, all / 2) << input;
    workload->run_scalar(filtered, {0, workload->units()});
    EXPECT_EQ(memory, filtered) << "edges meet what those before them left";
  }
}

TEST(LoopFilterWorkload, names_the_sample_of_a_difference) {
  const auto workload =
      bench::find_kernel("loop_filter_h_4").make_workload(sized(Content::random, 64, 24));
  // The block begins with 256 guard bytes; rows of 64 bytes follow.
  EXPECT_EQ(workload->describe(255), "guard byte 1 before the picture");
  EXPECT_EQ(workload->describe(256 + 64 * 24), "guard byte 0 after the picture");
  EXPECT_EQ(workload->describe(256 + 3), "sample (x 3, y 0), which no edge touches");
  EXPECT_EQ(workload->describe(256 + 4), "edge 0 (x 8, y 0), row 0, p3");
  EXPECT_EQ(workload->describe(256 + 64 * 11 + 15), "edge 3 (x 16, y 8), row 3, p0");
  EXPECT_EQ(workload->describe(256 + 64 * 23 + 59), "edge 20 (x 56, y 16), row 7, q3");
}

TEST(LoopFilterWorkload, of_horizontal_boundaries_counts_columns) {
  const auto workload =
      bench::find_kernel("loop_filter_v_16").make_workload(sized(Content::flat, 64, 48));
  EXPECT_EQ(workload->units(), 16U);
  EXPECT_EQ(workload->branch_rates(pristine(*workload)).back().name, "flat2");
  EXPECT_EQ(workload->describe(256 + 64 * 7 + 5), "sample (x 5, y 7), which no edge touches");
  EXPECT_EQ(workload->describe(256 + 64 * 8 + 5), "edge 0 (x 0, y 16), column 5, p7");
  EXPECT_EQ(workload->describe(256 + 64 * 39 + 63), "edge 15 (x 56, y 32), column 7, q7");
}

TEST(LoopFilterWorkload, takes_the_requests_level_for_real_pictures) {
  const auto& kernel = bench::find_kernel("loop_filter_h_4");
  WorkloadRequest request = request_of(Content::input);
  const auto changed = [&](int level) {
    request.filter_level = level;
    const auto workload = kernel.make_workload(request);
    return workload->branch_rates(pristine(*workload))[0].rate;
  };
  EXPECT_EQ(changed(63), 1.0);
  EXPECT_LT(changed(1), 0.1);
}

TEST(LoopFilterWorkload, refuses_what_it_cannot_filter) {
  const auto& kernel = bench::find_kernel("loop_filter_h_4");
  const auto refused = [&](const WorkloadRequest& request) {
    EXPECT_THROW((void)kernel.make_workload(request), Error);
  };
  refused(of_pictures(nullptr));
  refused(of_pictures(noise_picture({64, 64, {video::Chroma::c420, 10}}, 1)));
  refused(sized(Content::smooth, 8, 8));
  refused(sized(Content::smooth, -1, 8));
  refused(sized(Content::smooth, 100000, 8));
  WorkloadRequest request = sized(Content::smooth, 64, 64);
  for (const int level : {0, 64}) {
    request.filter_level = level;
    refused(request);
  }
  request.filter_level = 1;
  request.sharpness = 8;
  refused(request);
}

std::vector<bench::CapturedFrame> captured(const std::string& name) {
  bench::FrameCapture capture(bench::open_vp9(stream_path(name)));
  std::vector<bench::CapturedFrame> frames;
  while (auto frame = capture.next()) frames.push_back(std::move(*frame));
  return frames;
}

vp9::FrameBuffer copy_of(const bench::CapturedFrame& frame, const vp9::FrameSize& size) {
  vp9::FrameBuffer copy{video::Picture(frame.samples.format()), size};
  std::ranges::copy(frame.samples.bytes(), copy.memory.bytes().begin());
  return copy;
}

// Name of a stream whose frames are all shown.
constexpr const char* kAllShown = "no-alt-ref";

TEST(FrameCapture, holds_what_the_filter_makes_the_decoders_frame_of) {
  const std::vector<bench::CapturedFrame> frames = captured(kAllShown);
  std::size_t number = 0;
  std::size_t changed = 0;
  vp9::Decoder decoder;
  for (const test::Bytes& packet : test::corpus_packets(kAllShown)) {
    decoder.decode(packet, [&](const std::shared_ptr<const vp9::FrameBuffer>& shown) {
      ASSERT_LT(number, frames.size());
      const bench::CapturedFrame& frame = frames[number];
      EXPECT_EQ(frame.number, number);
      vp9::FrameBuffer filtered = copy_of(frame, shown->size);
      if (test::checksum(filtered) != test::checksum(*shown)) ++changed;
      vp9::filter_edges(vp9::scalar_dsp().bits_8, vp9::planes_of<std::uint8_t>(filtered),
                        frame.edges, frame.sharpness);
      EXPECT_EQ(test::checksum(filtered), test::checksum(*shown)) << "frame " << number;
      ++number;
    });
  }
  EXPECT_EQ(number, frames.size());
  EXPECT_GT(changed, number / 2) << "the frames are captured before the filter";
}

using StreamCase = std::tuple<vp9::LoopFilterKind, const char*>;
class StreamWorkloads : public testing::TestWithParam<StreamCase> {
 protected:
  // Returns the workloads of the stream's first frames.
  static std::vector<std::unique_ptr<Workload>> make(std::size_t frames) {
    const auto& [kind, stream] = GetParam();
    const auto source = bench::open_loop_filter_stream(kind, {stream_path(stream), frames});
    std::vector<std::unique_ptr<Workload>> all;
    while (auto workload = source->next()) all.push_back(std::move(workload));
    return all;
  }
};

std::string stream_case_name(const testing::TestParamInfo<StreamCase>& stream_case) {
  const auto& [kind, stream] = stream_case.param;
  std::string name = std::string(to_string(kind)) + "_" + stream;
  std::ranges::replace(name, '-', '_');
  return name;
}

// Streams with 4:2:0 and edges 4 wide inside blocks, 4:4:4, sizes that are no multiple of a block,
// and 10 bits.
INSTANTIATE_TEST_SUITE_P(Kinds, StreamWorkloads,
                         testing::Combine(testing::ValuesIn(vp9::kLoopFilterKinds),
                                          testing::Values("tile-rows", "profile-1-444",
                                                          "size-66x66", "profile-2-10")),
                         stream_case_name);

TEST_P(StreamWorkloads, have_every_edge_of_their_kind_once) {
  const auto& [kind, stream] = GetParam();
  vp9::Decoder decoder;
  for (const test::Bytes& packet : test::corpus_packets(stream)) {
    decoder.decode(packet, [](const auto& /*frame*/) {});
  }
  std::size_t units = 0;
  for (const auto& workload : make(1000)) units += workload->units();
  const std::size_t width = vp9::width_of(kind) == 16 ? 2 : vp9::width_of(kind) == 8 ? 1 : 0;
  const auto& counts = decoder.statistics().edges;
  EXPECT_EQ(units, counts[static_cast<std::size_t>(vp9::direction_of(kind))][width]);
}

TEST_P(StreamWorkloads, give_the_same_block_whoever_runs_whichever_share) {
  for (const auto& workload : make(4)) {
    std::vector<std::byte> scalar = pristine(*workload);
    std::vector<std::byte> neon = scalar;
    const std::size_t units = workload->units();
    workload->run_scalar(scalar, {0, units});
    workload->run_neon(neon, {units / 3, units});
    workload->run_neon(neon, {0, units / 3});
    EXPECT_EQ(scalar, neon);
    for (std::size_t unit = 0; unit < units; unit += 1 + units / 7) {
      std::vector<std::byte> before = pristine(*workload);
      std::vector<std::byte> after = before;
      workload->run_scalar(after, {unit, unit + 1});
      for (std::size_t at = 0; at < after.size(); ++at) {
        if (after[at] == before[at]) continue;
        ASSERT_EQ(workload->unit_of(at), unit) << workload->describe(at);
        ASSERT_EQ(after[at], scalar[at]) << "an edge reads samples that another edge writes";
      }
    }
  }
}

TEST_P(StreamWorkloads, name_the_plane_of_an_edge) {
  const auto workloads = make(4);
  ASSERT_FALSE(workloads.empty());
  std::set<std::string> planes;
  const Workload& workload = *workloads.front();
  for (std::size_t at = 0; at < workload.bytes(); ++at) {
    if (!workload.unit_of(at)) continue;
    const std::string text = workload.describe(at);
    const std::size_t open = text.find('(');
    planes.insert(text.substr(open + 1, text.find(',') - open - 1));
  }
  const std::set<std::string> all{"Y", "Cb", "Cr"};
  EXPECT_TRUE(std::ranges::includes(all, planes));
  EXPECT_TRUE(planes.contains("Y"));
}

TEST(StreamWorkloadsOfAKind, take_limits_and_samples_from_the_frame) {
  const bench::CapturedFrame frame = captured("tile-rows").front();
  const auto workload = bench::make_frame_workload(vp9::LoopFilterKind::h_8, frame);
  std::vector<std::byte> after = pristine(*workload);
  workload->run_scalar(after, {0, workload->units()});
  // These edges filter the frame itself: edges of one kind that share no sample, in any order.
  std::vector<vp9::LoopFilterEdge> own;
  std::ranges::copy_if(frame.edges, std::back_inserter(own), [](const vp9::LoopFilterEdge& edge) {
    return edge.direction == vp9::EdgeDirection::vertical && edge.width == 8;
  });
  ASSERT_EQ(own.size(), workload->units());
  vp9::FrameBuffer filtered =
      copy_of(frame, {frame.samples.format().width, frame.samples.format().height});
  vp9::filter_edges(vp9::scalar_dsp().bits_8, vp9::planes_of<std::uint8_t>(filtered), own,
                    frame.sharpness);
  const auto luma = std::as_const(filtered.memory).plane<std::uint8_t>(0);
  const auto stride = static_cast<std::size_t>(luma.stride);
  for (int y = 0; y < luma.height; ++y) {
    const std::byte* const row = after.data() + 256 + stride * static_cast<std::size_t>(y);
    ASSERT_EQ(std::memcmp(row, luma.row(y), static_cast<std::size_t>(luma.width)), 0) << y;
  }
}

// Counts of calls of the table entries, which count and then run the scalar definition.
struct CallCounts {
  std::array<std::uint64_t, 7> one{}, two{};  // calls of one() and of two(), per LoopFilterKind
  bool operator==(const CallCounts&) const = default;
};
CallCounts call_counts;

const vp9::DspTables& counting_tables() {
  static const vp9::DspTables tables = [] {
    vp9::DspTables counting = vp9::scalar_dsp();
    vp9::for_each_loop_filter_kind([&counting]<vp9::LoopFilterKind kind>() {
      constexpr auto kIndex = static_cast<std::size_t>(kind);
      counting.bits_8.loop_filter(kind) = {
          [](std::uint8_t* q0, std::ptrdiff_t stride, const vp9::LoopFilterLimits& limits) {
            ++call_counts.one[kIndex];
            vp9::scalar_dsp().bits_8.loop_filter(kind).one(q0, stride, limits);
          },
          [](std::uint8_t* a, std::uint8_t* b, std::ptrdiff_t stride,
             const vp9::LoopFilterLimits& limits_a, const vp9::LoopFilterLimits& limits_b) {
            ++call_counts.two[kIndex];
            vp9::scalar_dsp().bits_8.loop_filter(kind).two(a, b, stride, limits_a, limits_b);
          }};
    });
    return counting;
  }();
  return tables;
}

// The gates judge the decoder's work: on a stream's frames they call the same table entries,
// equally often, and produce the decoder's samples.
TEST(LoopFilterPictureWorkload, calls_what_the_decoder_calls) {
  call_counts = {};
  vp9::Decoder decoder({.dsp = &counting_tables()});
  std::vector<std::string> shown;
  vp9::FrameSize size;
  for (const test::Bytes& packet : test::corpus_packets(kAllShown)) {
    decoder.decode(packet, [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      size = frame->size;
      shown.push_back(test::checksum(*frame));
    });
  }
  const CallCounts of_decoder = call_counts;
  EXPECT_GT(of_decoder.one[1] + of_decoder.two[1], 0U);
  EXPECT_GT(of_decoder.two[6], 0U);

  for (const bool by_stage : {false, true}) {
    call_counts = {};
    for (bench::CapturedFrame& frame : captured(kAllShown)) {
      const std::uint64_t number = frame.number;
      vp9::FrameBuffer filtered = copy_of(frame, size);
      const auto workload = bench::make_frame_workload({}, std::move(frame));
      if (workload == nullptr) continue;
      const auto& picture = dynamic_cast<const bench::LoopFilterPictureWorkload&>(*workload);
      gates::HeapBlock block(picture.bytes());
      picture.reset(block.bytes());
      if (by_stage) {
        CallingThread alone;
        picture.run_stage(counting_tables(), alone, block.bytes());
      } else {
        picture.run(counting_tables(), block.bytes(), {0, picture.units()});
      }
      std::copy_n(block.bytes().begin() + 256, filtered.memory.bytes().size(),
                  filtered.memory.bytes().begin());
      EXPECT_EQ(test::checksum(filtered), shown[number]) << number;
    }
    EXPECT_TRUE(call_counts == of_decoder) << (by_stage ? "the stage" : "one share");
  }
}

// The gates run the decoder's shaders and dispatches on the QPU: they create no other pipeline than
// the decoder, and record the same number of dispatches.
TEST_F(StreamWorkloadsQpu, record_what_the_decoder_dispatches) {
  for (const auto order : vp9::kFilterOrders) {
    SCOPED_TRACE(to_string(order));
    vp9::Plan plan = vp9::make_single_stage_plan(vp9::Stage::loop_filter, vp9::Processor::qpu);
    plan.filter_order = order;
    const auto stage = qpu::make_back_end(*device(), plan);
    vp9::Decoder decoder({.back_end = stage});
    for (const test::Bytes& packet : test::corpus_packets("tile-rows")) {
      decoder.decode(packet, [](const auto& /*frame*/) {});
    }
    const std::uint64_t pipelines = device()->counters().pipelines_created;
    std::uint64_t dispatches = 0;
    for (bench::CapturedFrame& frame : captured("tile-rows")) {
      const auto workload = bench::make_frame_workload({}, std::move(frame));
      if (workload == nullptr) continue;
      const auto memory = device()->create_buffer(workload->bytes());
      const auto work = workload->record(*device(), *memory, to_string(order));
      dispatches += work->dispatch_count();
      for (const qpu::Program* program : work->dispatched()) {
        EXPECT_EQ(program->name(), qpu::loop_filter_shader(order).name);
      }
    }
    EXPECT_EQ(dispatches, stage->statistics().dispatches);
    // Workloads with edges of one kind also use the decoder's pipelines.
    for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
      const auto workload = bench::find_kernel("loop_filter_" + std::string(to_string(kind)))
                                .make_workload(sized(Content::smooth, 64, 64));
      const auto memory = device()->create_buffer(workload->bytes());
      static_cast<void>(workload->record(*device(), *memory, to_string(order)));
    }
    EXPECT_EQ(device()->counters().pipelines_created, pipelines);
  }
}

TEST(LoopFilterPictureWorkload, names_the_plane_and_the_last_edge_of_a_sample) {
  const auto workload =
      bench::find_kernel("loop_filter").make_workload(sized(Content::random, 64, 64));
  EXPECT_TRUE(workload->ordered());
  EXPECT_EQ(workload->branch_rates(pristine(*workload)).back().name, "flat2");
  std::set<std::string> planes;
  for (std::size_t at = 0; at < workload->bytes(); ++at) {
    if (!workload->unit_of(at)) continue;
    const std::string text = workload->describe(at);
    planes.insert(text.substr(text.find('(') + 1, text.find(',') - text.find('(') - 1));
  }
  EXPECT_EQ(planes, (std::set<std::string>{"Y", "Cb", "Cr"}));
}

TEST(LoopFilterPictureWorkload, has_every_depth_of_vp9_and_refuses_others) {
  const auto& kernel = bench::find_kernel("loop_filter");
  for (const int bits : {8, 10, 12}) {
    const auto workload =
        kernel.make_workload(of_pictures(noise_picture({64, 64, {video::Chroma::c420, bits}}, 1)));
    std::vector<std::byte> scalar = pristine(*workload);
    std::vector<std::byte> neon = scalar;
    workload->run_scalar(scalar, {0, workload->units()});
    workload->run_neon(neon, {0, workload->units()});
    EXPECT_EQ(scalar, neon);
  }
  const auto refused = [&](const WorkloadRequest& request) {
    EXPECT_THROW((void)kernel.make_workload(request), Error);
  };
  refused(of_pictures(nullptr));
  refused(of_pictures(noise_picture({64, 64, {video::Chroma::c422, 8}}, 1)));
  refused(of_pictures(noise_picture({64, 64, {video::Chroma::c420, 9}}, 1)));
  refused(sized(Content::smooth, 7, 7));
  refused(sized(Content::smooth, 100000, 8));
  WorkloadRequest request = sized(Content::smooth, 64, 64);
  request.filter_level = 64;
  refused(request);
  request.filter_level = 1;
  request.sharpness = 8;
  refused(request);
}

std::string refusal_of(std::optional<vp9::LoopFilterKind> kind, const std::string& stream) {
  return test::error_text([&] {
    static_cast<void>(bench::open_loop_filter_stream(kind, {stream_path(stream), 3})->next());
  });
}

TEST(StreamWorkloadsOfAKind, are_refused_in_a_sentence_where_there_are_none) {
  EXPECT_EQ(refusal_of(vp9::LoopFilterKind::v_16, "no-loop-filter"),
            "'" + stream_path("no-loop-filter") +
                "': none of its 3 frames has a horizontal edge 16 samples wide for v_16 to filter");
  EXPECT_EQ(refusal_of({}, "no-loop-filter"),
            "'" + stream_path("no-loop-filter") + "': none of its 3 frames has an edge to filter");
  // The result is null for formats other than VP9, which another reader opens.
  const std::string sources = std::string(SIDECORE_VP9_CORPUS) + "/sources/16x16.y4m";
  EXPECT_EQ(bench::open_loop_filter_stream(vp9::LoopFilterKind::h_4, {sources, 3}), nullptr);
}

TEST(FloatPsnrWorkload, takes_the_depth_and_both_pictures_of_the_input) {
  const auto& kernel = bench::find_kernel("float_psnr");
  const video::PictureFormat deep{40, 33, {video::Chroma::c420, 10}};
  const auto workload =
      kernel.make_workload(of_pictures(noise_picture(deep, 1), noise_picture(deep, 2)));
  EXPECT_EQ(workload->units(), 3U);
  std::vector<std::byte> scalar = pristine(*workload);
  std::vector<std::byte> neon = scalar;
  workload->run_scalar(scalar, {0, 3});
  workload->run_neon(neon, {0, 3});
  EXPECT_EQ(scalar, neon);
}

TEST(FloatPsnrWorkload, refuses_pictures_that_do_not_match) {
  const auto& kernel = bench::find_kernel("float_psnr");
  const auto small = noise_picture({32, 32, {video::Chroma::c420, 8}}, 1);
  const auto large = noise_picture({48, 32, {video::Chroma::c420, 8}}, 1);
  const auto nine = noise_picture({32, 32, {video::Chroma::c420, 9}}, 1);
  EXPECT_THROW((void)kernel.make_workload(of_pictures(nullptr)), Error);
  EXPECT_THROW((void)kernel.make_workload(of_pictures(small, large)), Error);
  EXPECT_THROW((void)kernel.make_workload(of_pictures(nine)), Error);
}

TEST(KernelRegistry, has_whole_descriptors_of_different_names) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : bench::kernels()) {
    SCOPED_TRACE(std::string(kernel.name));
    EXPECT_TRUE(names.insert(kernel.name).second);
    EXPECT_FALSE(kernel.description.empty());
    EXPECT_FALSE(kernel.unit.empty());
    EXPECT_TRUE(kernel.make_workload);
    EXPECT_EQ(!kernel.player_stage.empty(), static_cast<bool>(kernel.make_player));
    EXPECT_EQ(kernel.variants.empty(), !gates::refusal_of_qpu(kernel).empty());
    if (kernel.variants.empty()) continue;
    EXPECT_FALSE(kernel.variants.front().baseline) << "the first variant is judged";
    std::set<std::string_view> variants;
    for (const gates::QpuVariant& variant : kernel.variants) {
      EXPECT_TRUE(variants.insert(variant.name).second) << variant.name;
      EXPECT_FALSE(variant.shaders.empty());
    }
  }
}

TEST(KernelRegistry, has_decoders_that_are_played_and_no_kernels) {
  ASSERT_FALSE(bench::decoders().empty());
  for (const Kernel& decoder : bench::decoders()) {
    SCOPED_TRACE(std::string(decoder.name));
    EXPECT_TRUE(is_whole_decoder(decoder));
    EXPECT_TRUE(decoder.make_player);
    EXPECT_FALSE(decoder.player_stage.empty());
    EXPECT_FALSE(decoder.variants.at(0).shaders.empty());
    EXPECT_EQ(&bench::find_kernel_or_decoder(decoder.name), &decoder);
    EXPECT_THROW((void)bench::find_kernel(decoder.name), Error);
  }
}

TEST(KernelRegistry, finds_kernels_by_name_and_lists_them_otherwise) {
  for (const Kernel& kernel : bench::kernels()) {
    EXPECT_EQ(&bench::find_kernel(kernel.name), &kernel);
    EXPECT_EQ(&bench::find_kernel_or_decoder(kernel.name), &kernel);
  }
  try {
    (void)bench::find_kernel("loop");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("there is no kernel loop; there are: loop_filter, ")) << text;
    for (const Kernel& kernel : bench::kernels()) {
      EXPECT_NE(text.find(kernel.name), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace sidecore::test_workloads
