// Tests of the workloads of AV1's and H.264's filters: calls of their NEON kernels, and captures.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "av1/cdef_capture.h"
#include "av1/cdef_scene.h"
#include "gates/kernel.h"
#include "h264/deblocking_work.h"
#include "kernels/registry.h"
#include "temporary_directory.h"

namespace sidecore::test_codec_workloads {
namespace {

using gates::Content;

std::unique_ptr<gates::Workload> make(std::string_view kernel, Content content) {
  gates::WorkloadRequest request;
  request.content = content;
  request.width = 320;
  request.height = 200;
  return bench::find_kernel(kernel).make_workload(request);
}

std::vector<std::byte> pristine(const gates::Workload& workload) {
  std::vector<std::byte> memory(workload.bytes());
  workload.reset(memory);
  return memory;
}

std::vector<std::byte> filtered(const gates::Workload& workload) {
  std::vector<std::byte> memory = pristine(workload);
  workload.run_scalar(memory, {0, workload.units()});
  return memory;
}

/// Returns the calls by kernel and input. Expects the counting to change the memory as a run does.
std::map<std::string, double> calls_of(const gates::Workload& workload) {
  std::vector<std::byte> memory = pristine(workload);
  std::map<std::string, double> calls;
  for (const gates::CpuCalls& call : workload.cpu_calls(memory)) {
    EXPECT_EQ(call.bits, 8);
    calls[call.kernel + ", " + call.input] += call.times;
  }
  EXPECT_EQ(memory, filtered(workload));
  return calls;
}

TEST(CdefWorkload, counts_each_block_once_by_its_filters) {
  const auto workload = make("cdef", Content::random);
  double blocks = 0;
  for (const auto& [kind, times] : calls_of(*workload)) blocks += times;
  EXPECT_EQ(blocks, static_cast<double>(workload->units()));
  // A quarter of the blocks is skipped; frames of a few filter blocks have several strengths.
  const auto calls = calls_of(*workload);
  EXPECT_GT(calls.at("cdef, luma copy, chroma copy"), blocks / 8);
  EXPECT_GT(calls.size(), 4U);
}

TEST(H264DeblockingWorkload, counts_edges_by_what_their_samples_select) {
  const auto random = calls_of(*make("h264_deblocking", Content::random));
  const auto flat = calls_of(*make("h264_deblocking", Content::flat));
  for (const auto& calls : {random, flat}) {
    EXPECT_EQ(calls.at("h264_deblocking macroblock, no edge"), 20 * 13);
  }
  const std::string luma = "h264_deblocking luma vertical, ";
  EXPECT_GT(random.at(luma + "mask not met"), flat.at(luma + "mask not met"));
  EXPECT_GT(flat.at(luma + "bS 4"), 0);
  EXPECT_GT(flat.at(luma + "bS 1 to 3"), 0);
  EXPECT_EQ(flat.count(luma + "bS 4, p0 and q0"), 0U) << "samples beside flat edges are alike";
}

TEST(CdefWorkload, takes_frames_from_a_capture) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "frames";
  const video::PictureFormat format{72, 64, {video::Chroma::c420, 10}};
  Random random(7);
  av1::CdefCapture capture{video::Picture(format), video::Picture(format),
                           av1::random_cdef_frame(format, random)};
  av1::fill_cdef_picture(capture.before, av1::CdefSamples::noise, random);
  {
    std::ofstream file(path, std::ios::binary);
    for (int frame = 0; frame < 3; ++frame) av1::write_cdef_capture(file, capture);
  }
  const auto frames = bench::find_kernel("cdef").open_clip({path, 2});
  for (int frame = 0; frame < 2; ++frame) {
    const auto workload = frames->next();
    ASSERT_NE(workload, nullptr);
    EXPECT_EQ(frames->origin(), "frame " + std::to_string(frame) + " of '" + path + "'");
    std::vector<std::byte> neon = pristine(*workload);
    workload->run_neon(neon, {0, workload->units()});
    EXPECT_EQ(neon, filtered(*workload));
  }
  EXPECT_EQ(frames->next(), nullptr) << "two frames were requested";
  EXPECT_EQ(bench::find_kernel("h264_deblocking").open_clip({path}), nullptr);
}

TEST(H264DeblockingWorkload, takes_its_picture_from_a_capture) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "picture";
  const video::PictureFormat format{64, 48, {}};
  h264::write_capture(path, {video::Picture(format), h264::random_macroblocks(format, 30, 1)});
  const auto pictures = bench::find_kernel("h264_deblocking").open_clip({path});
  const auto workload = pictures->next();
  ASSERT_NE(workload, nullptr);
  EXPECT_EQ(workload->units(), 12U);
  EXPECT_EQ(pictures->origin(), "'" + path + "'");
  EXPECT_EQ(pictures->next(), nullptr);
  EXPECT_EQ(bench::find_kernel("cdef").open_clip({path}), nullptr);
}

TEST(H264DeblockingWorkload, names_the_sample_of_a_difference) {
  const auto workload = make("h264_deblocking", Content::flat);
  EXPECT_EQ(workload->describe(255), "guard byte 1 before the picture");
  // 320 samples and no padding in a row of luma.
  EXPECT_EQ(workload->describe(256 + 320 * 16 + 17), "macroblock 21, Y, x 17, y 16");
  EXPECT_EQ(workload->unit_of(256 + 320 * 16 + 17), 21U);
}

}  // namespace
}  // namespace sidecore::test_codec_workloads
