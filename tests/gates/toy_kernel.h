// A minimal kernel for tests: work units of 8 bytes; each byte b becomes 3b + 1.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "gates/kernel.h"
#include "qpu/command_list.h"
#include "qpu/program.h"

namespace sidecore::test {

/// Fault of the NEON implementation.
enum class Flaw {
  none,
  wrong_byte,        ///< writes a wrong byte 3 of unit 5
  wrong_some_seeds,  ///< writes a wrong byte 3 of unit 5 if the seed is a multiple of 4
  touches_guard,     ///< writes the byte after the last unit
  loses_lone_unit,   ///< skips the last unit of a range of odd length
};

/// Settings of the kernel. With `idle` no implementation changes the block, like the empty shader.
struct ToySettings {
  Flaw flaw = Flaw::none;
  bool idle = false;
  std::vector<std::string_view> variants;
  std::vector<std::string_view> baselines = {};
};

class ToyWorkload : public gates::Workload {
 public:
  static constexpr std::size_t kUnitBytes = 8;
  static constexpr std::size_t kGuard = 64;

  ToyWorkload(const ToySettings& settings, const gates::WorkloadRequest& request)
      : settings_(settings),
        request_(request),
        units_(static_cast<std::size_t>(request.width * request.height) / kUnitBytes) {}

  std::size_t units() const override { return units_; }
  std::size_t bytes() const override { return 2 * kGuard + units_ * kUnitBytes; }

  void reset(std::span<std::byte> memory) const override {
    Random random(request_.seed);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random.below(256));
    if (request_.picture == nullptr) return;
    const std::span<const std::byte> samples = request_.picture->bytes();
    std::copy_n(samples.begin(), std::min(samples.size(), units_ * kUnitBytes),
                memory.begin() + kGuard);
  }

  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override {
    if (settings_.idle) return;
    for (std::size_t byte = units.first * kUnitBytes; byte < units.last * kUnitBytes; ++byte) {
      std::byte& value = memory[kGuard + byte];
      value = static_cast<std::byte>(3 * std::to_integer<unsigned>(value) + 1);
    }
  }

  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override {
    if (settings_.flaw == Flaw::loses_lone_unit && (units.last - units.first) % 2 == 1) {
      --units.last;
    }
    run_scalar(memory, units);
    const bool spoils = settings_.flaw == Flaw::wrong_byte ||
                        (settings_.flaw == Flaw::wrong_some_seeds && request_.seed % 4 == 0);
    if (spoils && units.first <= 5 && 5 < units.last) {
      memory[kGuard + 5 * kUnitBytes + 3] ^= std::byte{1};
    }
    if (settings_.flaw == Flaw::touches_guard && units.last == units_) {
      memory[kGuard + units_ * kUnitBytes] ^= std::byte{1};
    }
  }

  std::vector<gates::BranchRate> branch_rates(std::span<const std::byte> memory) const override {
    const auto low = std::count_if(memory.begin(), memory.end(),
                                   [](std::byte byte) { return byte < std::byte{128}; });
    return {{"low", static_cast<double>(low) / static_cast<double>(memory.size()), "bytes"}};
  }

  std::optional<std::size_t> unit_of(std::size_t byte) const override {
    if (byte < kGuard || byte >= kGuard + units_ * kUnitBytes) return std::nullopt;
    return (byte - kGuard) / kUnitBytes;
  }

  std::string describe(std::size_t byte) const override {
    if (!unit_of(byte).has_value()) return fmt::format("guard byte {}", byte);
    return fmt::format("unit {}, byte {}", *unit_of(byte), (byte - kGuard) % kUnitBytes);
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& /*memory*/,
                    std::string_view /*variant*/) const override {
    list.dispatch(*device.program("empty", {}), {}, std::span<const std::byte>(), {1, 1, 1});
  }

  ToySettings settings_;
  gates::WorkloadRequest request_;
  std::size_t units_;
};

/// Playback test with fixed counts, rates and checksum.
class ToyPlayer : public gates::PlaybackTest {
 public:
  ToyPlayer(std::string checksum, std::string plan)
      : checksum_(std::move(checksum)), plan_(std::move(plan)) {}

  std::string checksum() override {
    counts_ = {3, 4, 2, 2};
    return checksum_;
  }
  double play(Nanoseconds /*window*/) override { return ++played_; }
  void play_at(gates::Pace& pace, Nanoseconds /*window*/) override {
    pace.begin(0);
    for (int picture = 0; picture < 3; ++picture) pace.show(pace.release());
    pace.end();
  }
  gates::PlaybackCounts counts() const override { return counts_; }
  std::string plan() const override { return plan_; }
  std::string origin() const override { return "toy clip"; }

 private:
  std::string checksum_;
  std::string plan_;
  gates::PlaybackCounts counts_;
  double played_ = 0;
};

class ToyKernel : public gates::Kernel {
 public:
  explicit ToyKernel(const ToySettings& settings = {}, std::string_view kernel_name = "toy")
      : gates::Kernel{.name = kernel_name,
                      .description = "3b + 1, for tests",
                      .unit = "block",
                      .module = "tests",
                      .make_workload =
                          [this, settings](const gates::WorkloadRequest& request) {
                            if (!refusal.empty()) throw usage_error("{}", refusal);
                            requests.push_back(request);
                            return std::make_unique<ToyWorkload>(settings, request);
                          },
                      .make_player =
                          [this](const gates::PlaybackRequest& request) {
                            return make_toy_player(static_cast<std::size_t>(request.processor));
                          }} {
    for (const std::string_view variant : settings.variants) {
      variants.push_back({variant, {"empty"}});
    }
    for (const std::string_view variant : settings.baselines) {
      variants.push_back({variant, {"empty"}, true});
    }
  }
  ToyKernel(const ToyKernel&) = delete;
  ToyKernel& operator=(const ToyKernel&) = delete;

  /// Adds playback tests. `shown` has the checksum of the shown pictures for each vp9::Processor;
  /// "" means that there is no playback test. With only three entries the stage cannot be divided.
  void play(std::vector<std::string> shown) {
    player_stage = "toy stage";
    division_refusal = shown.size() > 3 ? "" : "a toy is one piece";
    players_ = std::move(shown);
  }

  mutable std::vector<gates::WorkloadRequest> requests;  ///< all requests so far
  std::string refusal;                                   ///< error for every request; empty: none

 private:
  std::unique_ptr<ToyPlayer> make_toy_player(std::size_t stage) const {
    const std::string& checksum = players_.at(stage);
    constexpr std::array kPlans{"scalar", "neon", "toy=qpu", "toy=divided"};
    return checksum.empty() ? nullptr : std::make_unique<ToyPlayer>(checksum, kPlans.at(stage));
  }

  std::vector<std::string> players_;
};

}  // namespace sidecore::test
