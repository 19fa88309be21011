// Tests that the C library does not change its application's process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capi/decoding.h"
#include "process_state.h"

namespace sidecore {
namespace {

using namespace capi_test;
using test::ProcessState;

void decode_and_look(const sidecore_decoder_options& options, const ProcessState& before) {
  Packets packets = packets_of("size-66x66");
  const Decoder decoder = open(options);
  EXPECT_GT(before.new_threads(), 0U);
  std::vector<Picture> pictures;
  for (std::vector<std::uint8_t>& packet : packets) {
    ASSERT_EQ(sidecore_decoder_send(decoder.get(), packet.data(), packet.size(), 0, nullptr),
              SIDECORE_OK);
    before.expect_unchanged_while_used();
    take(decoder, pictures);
  }
  ASSERT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  take(decoder, pictures);
  EXPECT_EQ(checksums(pictures), frame_checksums("size-66x66"));
}

TEST(CapiProcess, ADecoderLeavesItAsItIs) {
  for (const char* const plan : {"neon", "qpu", "loop_filter=qpu"}) {
    SCOPED_TRACE(plan);
    const ProcessState before;
    sidecore_decoder_options options = options_of(3);
    ASSERT_EQ(sidecore_plan_parse(plan, &options.plan), SIDECORE_OK);
    options.device = "cpu";
    decode_and_look(options, before);
    before.expect_unchanged();
  }
}

TEST(CapiProcess, RefusalsLeaveItAsItIs) {
  const ProcessState before;
  sidecore_decoder_options options = options_of(3);
  ASSERT_EQ(sidecore_plan_parse("qpu", &options.plan), SIDECORE_OK);
  options.device = "no such device";
  sidecore_decoder* decoder = nullptr;
  EXPECT_NE(sidecore_decoder_open(&decoder, &options), SIDECORE_OK);
  std::vector<Picture> pictures;
  Packets damaged = packets_of("size-66x66");
  for (std::vector<std::uint8_t>& packet : damaged) packet.resize(packet.size() / 2);
  {
    const Decoder good = open(options_of(3));
    for (const int error : send(good, damaged, pictures)) EXPECT_LE(error, SIDECORE_OK);
    before.expect_unchanged_while_used();
  }
  pictures.clear();
  before.expect_unchanged();
}

TEST(CapiProcess, AScorerLeavesItAsItIs) {
  constexpr int kSize = 224;
  const std::vector<std::uint8_t> samples(std::size_t{kSize} * kSize, 100);
  const char* const model = "version=vmaf_v1.0.16_3d0h";
  sidecore_planes planes{};
  planes.size = sizeof planes;
  for (int plane = 0; plane < 3; ++plane) {
    planes.data[plane] = samples.data();
    planes.stride[plane] = kSize;
  }
  for (const char* const backend : {"neon", "qpu"}) {
    SCOPED_TRACE(backend);
    const ProcessState before;
    {
      sidecore_scorer_options options{};
      options.size = sizeof options;
      options.models = &model;
      options.model_count = 1;
      options.width = options.height = kSize;
      options.chroma = SIDECORE_CHROMA_420;
      options.bits = 8;
      options.threads = 3;
      options.processor =
          std::string(backend) == "qpu" ? SIDECORE_PROCESSOR_QPU : SIDECORE_PROCESSOR_NEON;
      options.device = "cpu";
      sidecore_scorer* opened = nullptr;
      ASSERT_EQ(sidecore_scorer_open(&opened, &options), SIDECORE_OK) << sidecore_last_error();
      const Scorer scorer(opened);
      for (int pair = 0; pair < 3; ++pair) {
        ASSERT_EQ(sidecore_scorer_push(opened, &planes, &planes), SIDECORE_OK);
        before.expect_unchanged_while_used();
      }
      ASSERT_EQ(sidecore_scorer_drain(opened), SIDECORE_OK);
    }
    before.expect_unchanged();
  }
}

}  // namespace
}  // namespace sidecore
