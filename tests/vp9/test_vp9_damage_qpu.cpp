// Decodes damaged streams with all pixel stages on the QPU. Every frame must give the same picture
// or error as with all stages on NEON. On the simulated V3D (docs/v3dsim-tests.md) no access may be
// outside of the buffers, with any schedule, and no shader may hang.
// ctest: streams, threads, long, arm
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "neon/vp9/dsp.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/back_end.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_damage_qpu {
namespace {

/// Ends the program if a stream takes minutes, and prints its name.
class HangWatch {
 public:
  explicit HangWatch(std::string name)
      : thread_([this, what = std::move(name)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          woken_.wait_for(lock, stop, kLongest, [] { return false; });
          if (stop.stop_requested()) return;
          fmt::print(stderr, "{} has not ended after {} s\n", what, kLongest.count());
          std::_Exit(EXIT_FAILURE);
        }) {}

 private:
  static constexpr std::chrono::seconds kLongest{300};

  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

/// Outcome of decoding a stream: one line for each picture, with its checksum, and for each
/// rejected packet, with its error.
struct Outcome {
  std::vector<std::string> lines;
  std::uint64_t pictures = 0;
  std::uint64_t errors = 0;
};

/// Decodes packets and continues after errors, so that some frames miss their references.
Outcome outcome_of(const std::vector<test::Bytes>& packets, vp9::DecoderOptions options) {
  options.max_luma_samples = 1 << 20;
  options.dsp = &neon::vp9_dsp();
  options.show_hidden = true;
  Outcome outcome;
  vp9::Decoder decoder(options);
  for (const test::Bytes& packet : packets) {
    try {
      decoder.decode(packet, [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
        outcome.lines.push_back(test::checksum(*frame));
        ++outcome.pictures;
      });
    } catch (const Error& error) {
      outcome.lines.emplace_back(error.what());
      ++outcome.errors;
    }
  }
  return outcome;
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

class Vp9DamageOnQpu : public test::QpuTest {};

TEST_F(Vp9DamageOnQpu, GivesTheSamePicturesAndTheSameErrorsAsNeon) {
#ifdef SIDECORE_SANITIZED
  constexpr std::uint64_t kMutations = 2;
#else
  constexpr std::uint64_t kMutations = 10;
#endif
  // Number of mutations of each stream. docs/v3dsim-tests.md tells how other numbers are run by
  // hand.
  const auto mutations = static_cast<int>(number_in("SIDECORE_DAMAGE_MUTATIONS", kMutations));
  std::uint64_t streams = 0;
  std::uint64_t pictures = 0;
  std::uint64_t errors = 0;
  std::uint64_t submissions = 0;
  test::for_each_damaged_stream(
      mutations,
      [&](const std::vector<test::Bytes>& packets, const std::string& name) {
        if (HasFailure()) return;  // a lost device would make all further streams fail
        const HangWatch watch(name);
        const auto stage = qpu::make_back_end(*device(), vp9::kBackEndOnQpu);
        vp9::DecoderOptions on_qpu;
        on_qpu.back_end = stage;
        const Outcome expected = outcome_of(packets, {});
        EXPECT_EQ(outcome_of(packets, on_qpu).lines, expected.lines) << name;
        ++streams;
        pictures += expected.pictures;
        errors += expected.errors;
        submissions += stage->statistics().submissions;
      },
      number_in("SIDECORE_DAMAGE_SEED", 0x5eed));
  fmt::print("{} streams, {} pictures, {} errors, {} submissions\n", streams, pictures, errors,
             submissions);
  EXPECT_GT(submissions, streams);
  EXPECT_GT(errors, streams / 4);
}

}  // namespace
}  // namespace sidecore::test_vp9_damage_qpu
