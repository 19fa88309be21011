#include "gates/m4_player.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/progress.h"

namespace sidecore::gates {
namespace {

std::unique_ptr<PlaybackTest> make_player(const KernelUnderTest& subject,
                                          const GateOptions& options, vp9::Processor processor) {
  return subject.kernel->make_player({.clip = options.input,
                                      .frames = options.frames,
                                      .start_at_key_frame = options.start_at_key_frame,
                                      .processor = processor,
                                      .threads = options.threads,
                                      .device = subject.device.value.value_or(nullptr)});
}

/// Plays one plan at a fixed rate and measures the energy of its time windows.
class PacedPlayer {
 public:
  PacedPlayer(PlaybackTest& player, double fps, PaceClock& clock, EnergyMeter* meter)
      : player_(player), pace_(fps, clock), meter_(meter) {}

  void play(Nanoseconds window) {
    if (meter_ == nullptr) return player_.play_at(pace_, window);
    const std::uint64_t before = pace_.pictures();
    meter_->begin(Clock::now());
    {
      const std::jthread reading = meter_->watch();
      player_.play_at(pace_, window);
    }
    Outcome<double> joules = meter_->end(Clock::now());
    if (joules) {
      joules_ += *joules;
      measured_ += pace_.pictures() - before;
    } else {
      why_unknown_ = std::move(joules.reason);
    }
  }

  [[nodiscard]] PacedFigures figures() const {
    PacedFigures figures = pace_.figures();
    figures.joules_per_picture.reason = why_unknown_;
    // If one time window's energy is unknown, report none: the others no longer alternate evenly.
    if (why_unknown_.empty() && measured_ != 0) {
      figures.joules_per_picture.value = joules_ / static_cast<double>(measured_);
    }
    return figures;
  }

 private:
  PlaybackTest& player_;
  Pace pace_;
  EnergyMeter* meter_;
  double joules_ = 0;
  std::uint64_t measured_ = 0;  // pictures
  std::string why_unknown_;     // reason why the joules are unknown; empty: they are known
};

/// Playback tests, one per plan: NEON, QPU, and divided if possible.
using Players = std::vector<std::unique_ptr<PlaybackTest>>;

/// Plays all plans in turn at the fixed rate.
PacedWindows play_paced(const KernelUnderTest& subject, const GateOptions& options,
                        std::size_t rounds, const Players& players) {
  PaceClock clock;
  std::vector<PacedPlayer> paced;
  paced.reserve(players.size());
  for (const auto& player : players) {
    paced.emplace_back(*player, *options.fps, clock, subject.energy);
  }
  Progress progress("M4 playback test at a fixed rate, windows", players.size() * rounds);
  std::uint64_t done = 0;
  const std::jthread watching = subject.watch != nullptr ? subject.watch->watch() : std::jthread();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (PacedPlayer& player : paced) {
      player.play(options.window);
      progress.update(++done);
    }
  }
  PacedWindows windows{*options.fps, paced[0].figures(), paced[1].figures(),
                       subject.energy != nullptr
                           ? subject.energy->description().value.value_or(std::string())
                           : std::string()};
  if (paced.size() > 2) windows.divided = paced[2].figures();
  return windows;
}

}  // namespace

bool has_player(const KernelUnderTest& subject, const GateOptions& options, Content content) {
  if (content != Content::input || subject.kernel->player_stage.empty()) return false;
  return subject.played || make_player(subject, options, vp9::Processor::neon) != nullptr;
}

std::string mixed_plan(const PlaybackResult& player) {
  return player.mixed_plan.empty() ? "loop_filter=qpu" : player.mixed_plan;
}

bool PlaybackResult::agrees() const {
  return neon_md5 == scalar_md5 && mixed_md5 == scalar_md5 && mixed_md5_after == scalar_md5 &&
         (!divided || (divided->md5 == scalar_md5 && divided->md5_after == scalar_md5));
}

Outcome<PlaybackResult> run_m4_player(const KernelUnderTest& subject, const GateOptions& options) {
  Players players;
  players.push_back(make_player(subject, options, vp9::Processor::neon));
  if (players.front() == nullptr) {
    return Outcome<PlaybackResult>::none(
        fmt::format("the playback test cannot decode '{}'", options.input));
  }
  players.push_back(make_player(subject, options, vp9::Processor::qpu));
  PlaybackTest& mixed = *players.back();
  PlaybackResult result;
  result.origin = mixed.origin();
  result.threads = options.threads;
  result.scalar_md5 = make_player(subject, options, vp9::Processor::scalar)->checksum();
  result.neon_md5 = players.front()->checksum();
  result.mixed_plan = mixed.plan();
  result.mixed_md5 = mixed.checksum();
  result.clip = mixed.counts();
  result.divided.reason = subject.kernel->division_refusal;
  if (result.divided.reason.empty()) {
    PlaybackTest& divided =
        *players.emplace_back(make_player(subject, options, vp9::Processor::divided));
    DividedPlaybackResult& record = result.divided.value.emplace();
    record.plan = divided.plan();
    record.md5 = divided.checksum();
    record.clip = divided.counts();
  }

  const auto rounds =
      static_cast<std::size_t>((*subject.device)->info().is_cpu() ? 1 : options.rounds);
  std::vector<std::vector<double>> rates(players.size());
  Progress progress("M4 playback test, windows", players.size() * rounds);
  std::uint64_t done = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < players.size(); ++turn) {
      // Every second round runs in reverse order, as in the time windows of single kernels.
      const std::size_t player = round % 2 == 0 ? turn : players.size() - 1 - turn;
      const std::jthread watching =
          subject.watch != nullptr ? subject.watch->watch() : std::jthread();
      rates[player].push_back(players[player]->play(options.window));
      progress.update(++done);
    }
    if (subject.watch != nullptr) result.states.push_back(subject.watch->take());
  }
  result.neon = SampleSet(std::move(rates[0]));
  result.mixed = SampleSet(std::move(rates[1]));
  if (result.divided) result.divided.value->rate = SampleSet(std::move(rates[2]));
  if (options.fps.has_value()) {
    result.paced = play_paced(subject, options, rounds, players);
    if (subject.watch != nullptr) result.states.push_back(subject.watch->take());
  }
  result.mixed_md5_after = mixed.checksum();
  if (result.divided) result.divided.value->md5_after = players.back()->checksum();
  return {std::move(result)};
}

}  // namespace sidecore::gates
