#include "gates/m4_player.h"

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/progress.h"

namespace sidecore::gates {
namespace {

std::unique_ptr<Player> make_player(const Subject& subject, const GateOptions& options,
                                    vp9::Processor processor) {
  return subject.kernel->make_player({.clip = options.input,
                                      .frames = options.frames,
                                      .start_at_key_frame = options.start_at_key_frame,
                                      .processor = processor,
                                      .threads = options.threads,
                                      .device = subject.device});
}

/// A player at a rate, and what its windows took in energy.
class PacedPlayer {
 public:
  PacedPlayer(Player& player, double fps, PaceClock& clock, EnergyMeter* meter)
      : player_(player), pace_(fps, clock), meter_(meter) {}

  void play(Nanoseconds window) {
    if (meter_ == nullptr) return player_.play_at(pace_, window);
    const std::uint64_t before = pace_.pictures();
    meter_->begin(Clock::now());
    {
      const std::jthread reading = meter_->watch();
      player_.play_at(pace_, window);
    }
    const Energy energy = meter_->end(Clock::now());
    if (energy.joules) {
      joules_ += *energy.joules;
      measured_ += pace_.pictures() - before;
    } else {
      no_energy_ = energy.unknown;
    }
  }

  [[nodiscard]] PacedFigures figures() const {
    PacedFigures figures = pace_.figures();
    figures.no_energy = no_energy_;
    // One window that is not known leaves the rest of the rounds' order one-sided.
    if (no_energy_.empty() && measured_ != 0) {
      figures.joules_per_picture = joules_ / static_cast<double>(measured_);
    }
    return figures;
  }

 private:
  Player& player_;
  Pace pace_;
  EnergyMeter* meter_;
  double joules_ = 0;
  std::uint64_t measured_ = 0;  // pictures
  std::string no_energy_;
};

/// NEON's, the QPU's, and the divided one where there is one.
using Players = std::vector<std::unique_ptr<Player>>;

/// Windows at the rate asked for, by turns.
PacedWindows play_paced(const Subject& subject, const GateOptions& options, std::size_t rounds,
                        const Players& players) {
  PaceClock clock;
  std::vector<PacedPlayer> paced;
  paced.reserve(players.size());
  for (const auto& player : players) {
    paced.emplace_back(*player, *options.fps, clock, subject.energy);
  }
  Progress progress("M4 player at a fixed rate, windows", players.size() * rounds);
  std::uint64_t done = 0;
  const std::jthread watching = subject.watch != nullptr ? subject.watch->watch() : std::jthread();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (PacedPlayer& player : paced) {
      player.play(options.window);
      progress.update(++done);
    }
  }
  PacedWindows windows{*options.fps, paced[0].figures(), paced[1].figures(),
                       subject.energy != nullptr ? subject.energy->description() : std::string()};
  if (paced.size() > 2) windows.divided = paced[2].figures();
  return windows;
}

}  // namespace

bool has_player(const Subject& subject, const GateOptions& options, Content content) {
  if (content != Content::input || subject.kernel->player_stage.empty()) return false;
  return !subject.no_player.empty() ||
         make_player(subject, options, vp9::Processor::neon) != nullptr;
}

std::string mixed_plan(const PlayerWindows& player) {
  return player.mixed_plan.empty() ? "loop_filter=qpu" : player.mixed_plan;
}

bool PlayerWindows::agrees() const {
  return neon_md5 == scalar_md5 && mixed_md5 == scalar_md5 && mixed_md5_after == scalar_md5 &&
         (!divided || (divided->md5 == scalar_md5 && divided->md5_after == scalar_md5));
}

std::optional<PlayerWindows> run_m4_player(const Subject& subject, const GateOptions& options) {
  Players players;
  players.push_back(make_player(subject, options, vp9::Processor::neon));
  if (players.front() == nullptr) return std::nullopt;
  players.push_back(make_player(subject, options, vp9::Processor::qpu));
  Player& mixed = *players.back();
  PlayerWindows result;
  result.origin = mixed.origin();
  result.threads = options.threads;
  result.scalar_md5 = make_player(subject, options, vp9::Processor::scalar)->checksum();
  result.neon_md5 = players.front()->checksum();
  result.mixed_plan = mixed.plan();
  result.mixed_md5 = mixed.checksum();
  result.clip = mixed.counts();
  result.no_divided = subject.kernel->no_division;
  if (result.no_divided.empty()) {
    Player& divided = *players.emplace_back(make_player(subject, options, vp9::Processor::divided));
    result.divided.emplace().plan = divided.plan();
    result.divided->md5 = divided.checksum();
    result.divided->clip = divided.counts();
  }

  const auto rounds =
      static_cast<std::size_t>(subject.device->info().is_cpu() ? 1 : options.rounds);
  std::vector<std::vector<double>> rates(players.size());
  Progress progress("M4 player, windows", players.size() * rounds);
  std::uint64_t done = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < players.size(); ++turn) {
      // Every other round runs backwards, as the windows of single kernels do.
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
  if (result.divided) result.divided->rate = SampleSet(std::move(rates[2]));
  if (options.fps.has_value()) {
    result.paced = play_paced(subject, options, rounds, players);
    if (subject.watch != nullptr) result.states.push_back(subject.watch->take());
  }
  result.mixed_md5_after = mixed.checksum();
  if (result.divided) result.divided->md5_after = players.back()->checksum();
  return result;
}

}  // namespace sidecore::gates
