// Tests of the C library when memory runs out: from some allocation on, all allocations fail. Then
// each call must return SIDECORE_ERROR_MEMORY or succeed, and the process must survive.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "decoding.h"
#include "failing_memory.h"

namespace sidecore::capi_test {
namespace {

using test::expect_process_survives;
using test::kAllSucceeded;
using test::kNoneFailed;
using test::kOtherError;
using test::kRefused;

/// Combines the results of several calls. An error other than SIDECORE_ERROR_MEMORY takes
/// precedence, as kOtherError plus its absolute value.
class Calls {
 public:
  bool good(int status) {
    if (status == SIDECORE_OK || status == SIDECORE_ERROR_AGAIN) return status == SIDECORE_OK;
    // A frame may fail if it refers to a frame for which there was no memory.
    if (status == SIDECORE_ERROR_DATA && outcome_ == kRefused) return false;
    const int outcome = status == SIDECORE_ERROR_MEMORY ? kRefused : kOtherError - status;
    outcome_ = std::max(outcome_, outcome);
    return false;
  }
  [[nodiscard]] int outcome() const { return outcome_; }

 private:
  int outcome_ = kAllSucceeded;
};

int decode(const Packets& packets, int threads, const char* plan) {
  Calls calls;
  sidecore_decoder_options options = options_of(threads);
  options.device = "cpu";
  if (plan != nullptr && !calls.good(sidecore_plan_parse(plan, &options.plan))) {
    return calls.outcome();
  }
  sidecore_decoder* decoder = nullptr;
  if (!calls.good(sidecore_decoder_open(&decoder, &options))) return calls.outcome();
  const auto take = [&] {
    sidecore_picture* picture = nullptr;
    while (calls.good(sidecore_decoder_get_picture(decoder, &picture))) {
      sidecore_picture_unref(picture);
    }
  };
  for (const std::vector<std::uint8_t>& packet : packets) {
    calls.good(sidecore_decoder_send(decoder, packet.data(), packet.size(), 0, nullptr));
    take();
  }
  calls.good(sidecore_decoder_drain(decoder));
  take();
  sidecore_decoder_close(decoder);
  return calls.outcome();
}

TEST(CapiMemory, ADecoderOutlivesItsEnd) {
  Packets packets = packets_of("size-66x66");
  packets.resize(4);
  for (const int threads : {1, 3}) {
    expect_process_survives([&] { return decode(packets, threads, nullptr); });
  }
  packets.resize(2);
  expect_process_survives([&] { return decode(packets, 1, "scalar"); });
}

// Allocations fail only in the library, not in the driver's functions, because a driver that runs
// out of memory may end the process. lavapipe does so in vkCreateDevice() and in LLVM, which
// compiles its shaders.
TEST(CapiMemory, ADecoderWithStagesOnTheQpuOutlivesItsEnd) {
  // The validation layer is off, because it would take longer than the rest of the test.
  ::setenv("SIDECORE_VALIDATION", "0", 1);
  ASSERT_NO_FATAL_FAILURE(
      test::fail_only_in_the_library_of(::dlsym(RTLD_DEFAULT, "sidecore_decoder_open")));
  Packets packets = packets_of("size-66x66");
  packets.resize(2);
  const auto calls = [&] { return decode(packets, 1, "qpu"); };
  std::size_t refused = 0;
  // Only some allocations are tested, at growing distances, because most are alike and each try
  // opens a device.
  for (std::size_t first = 1;; first += 1 + first / 4) {
    const int outcome = test::run_with_failing_allocation(first, calls);
    if (outcome == kNoneFailed) break;
    ASSERT_TRUE(outcome == kAllSucceeded || outcome == kRefused)
        << "with allocation " << first << " failing: " << outcome;
    if (outcome == kRefused) ++refused;
  }
  EXPECT_GT(refused, 20U);
  test::fail_only_in_the_library_of(nullptr);
}

int score(const char* model, const char* feature, int threads) {
  constexpr int kSize = 224;  // smallest size that cambi accepts, in multiples of 32
  static std::array<std::uint8_t, std::size_t{kSize} * kSize> samples{};
  sidecore_scorer_options options{};
  options.size = sizeof options;
  options.features = &feature;
  options.feature_count = feature == nullptr ? 0 : 1;
  options.models = &model;
  options.model_count = model == nullptr ? 0 : 1;
  options.width = kSize;
  options.height = kSize;
  options.chroma = SIDECORE_CHROMA_420;
  options.bits = 8;
  options.threads = threads;
  sidecore_planes planes{};
  planes.size = sizeof planes;
  for (int plane = 0; plane < 3; ++plane) {
    planes.data[plane] = samples.data();
    planes.stride[plane] = kSize;
  }
  Calls calls;
  sidecore_scorer* scorer = nullptr;
  if (!calls.good(sidecore_scorer_open(&scorer, &options))) return calls.outcome();
  for (int pair = 0; pair < 3; ++pair) calls.good(sidecore_scorer_push(scorer, &planes, &planes));
  calls.good(sidecore_scorer_drain(scorer));
  sidecore_scorer_close(scorer);
  return calls.outcome();
}

TEST(CapiMemory, AScorerWithAModelOutlivesItsEnd) {
  expect_process_survives([] { return score("version=vmaf_v0.6.1", nullptr, 1); });
  expect_process_survives([] { return score("version=vmaf_v1.0.16_3d0h", "psnr_hvs", 2); });
}

TEST(CapiMemory, AScorerOfFeaturesOutlivesItsEnd) {
  expect_process_survives([] { return score(nullptr, "float_ssim=enable_lcs=true", 1); });
  expect_process_survives([] { return score(nullptr, "cambi", 3); });
}

TEST(CapiMemory, AScorerWhoseModelsAreReadOutlivesItsEnd) {
  // The built-in models are read before the test, because they are read only once per process.
  ASSERT_EQ(score("version=vmaf_v0.6.1", nullptr, 1), kAllSucceeded);
  expect_process_survives([] { return score("version=vmaf_v0.6.1neg", nullptr, 2); });
}

}  // namespace
}  // namespace sidecore::capi_test
