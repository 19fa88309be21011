// Runs loop filters, sidecore's and other decoders', on edges that bench/tools/capture_edges took
// from a stream.
//
// - loop_filter_captures FILE: compares every filter's samples with the scalar definition's, then
//   compares their times.
// - loop_filter_captures FILE count: counts the instructions of each filter on each kind of edge,
//   in the emulator of scripts/count-neon-instructions. A line has kind, filter and number of
//   edges.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "tools/instruction_count.h"
#include "tools/loop_filter_contenders.h"

namespace sidecore::bench {
namespace {

struct alignas(16) Square {
  std::array<std::uint8_t, CapturedEdges::kSide * CapturedEdges::kSide> samples;
};

/// The edges of one kind that a filter accepts, each in its own square of samples.
class Arena {
 public:
  Arena(std::span<const CapturedEdges> edges, vp9::LoopFilterKind kind, const Contender& taken_by) {
    for (const CapturedEdges& captured : edges) {
      const PreparedEdges prepared(captured);
      if (captured.kind != kind || !taken_by.takes(prepared)) continue;
      items_.push_back(prepared);
      edges_ += captured.count;
    }
    squares_.resize(items_.size());
    restore();
  }

  void restore() {
    for (std::size_t index = 0; index < items_.size(); ++index) {
      squares_[index].samples = items_[index].captured.samples;
    }
  }
  void filter(const Contender& contender) {
    for (std::size_t index = 0; index < items_.size(); ++index) {
      contender.filter(items_[index], squares_[index].samples.data());
    }
  }
  [[nodiscard]] std::size_t edges() const { return edges_; }
  [[nodiscard]] std::span<const Square> squares() const { return squares_; }

 private:
  std::vector<PreparedEdges> items_;
  std::vector<Square> squares_;
  std::size_t edges_ = 0;
};

const Contender& find_contender(std::string_view name) {
  const auto found = std::ranges::find(contenders(), name, &Contender::name);
  if (found == contenders().end())
    throw usage_error(
        "the filter '{}' is not built in; other decoders' filters need SIDECORE_PEERS", name);
  return *found;
}

void check(Arena& arena, vp9::LoopFilterKind kind, const Contender& contender) {
  arena.restore();
  arena.filter(find_contender("scalar"));
  const std::vector<Square> expected(arena.squares().begin(), arena.squares().end());
  arena.restore();
  arena.filter(contender);
  for (std::size_t index = 0; index < expected.size(); ++index) {
    if (arena.squares()[index].samples != expected[index].samples) {
      throw usage_error("{}, {}: the samples of item {} differ from the scalar definition's",
                        contender.name, to_string(kind), index);
    }
  }
}

/// Returns the seconds of each filter: the minimum over many rounds in which the filters take
/// turns.
std::vector<double> measure_least_times(Arena& arena, std::span<const Contender* const> who) {
  constexpr int kRounds = 301;
  std::vector<double> least(who.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t index = 0; index < who.size(); ++index) {
      arena.restore();
      const Clock::time_point start = Clock::now();
      arena.filter(*who[index]);
      least[index] = std::min(least[index], seconds(Clock::now() - start));
    }
  }
  return least;
}

void compare(std::span<const CapturedEdges> edges) {
  const Contender& none = find_contender("none");
  const Contender& scalar = find_contender("scalar");
  fmt::print("{:<6}{:<11}{:>8}{:>12}{:>24}\n", "kind", "filter", "edges", "ns per edge",
             "times as fast as scalar");
  for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
    for (const Contender& contender : contenders()) {
      if (&contender == &none) continue;
      Arena arena(edges, kind, contender);
      if (arena.edges() == 0) continue;
      check(arena, kind, contender);
      const std::vector<double> times =
          measure_least_times(arena, std::array{&none, &scalar, &contender});
      const double own = std::max(times[2] - times[0], 0.0);
      fmt::print("{:<6}{:<11}{:>8}{:>12.1f}{:>24.2f}\n", to_string(kind), contender.name,
                 arena.edges(), 1e9 * own / static_cast<double>(arena.edges()),
                 (times[1] - times[0]) / own);
    }
  }
}

void count(std::span<const CapturedEdges> edges) {
  for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
    for (const std::string_view name : {"none", "neon", "libvpx", "FFmpeg"}) {
      const Contender& contender = find_contender(name);
      Arena arena(edges, kind, contender);
      if (arena.edges() == 0) continue;
      count_instructions(
          fmt::format("{}\t{}\t{}", to_string(kind), name, arena.edges()),
          [&arena] { arena.restore(); }, [&arena, &contender] { arena.filter(contender); });
    }
  }
}

}  // namespace
}  // namespace sidecore::bench

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: loop_filter_captures FILE [count]\n", stderr);
    return 2;
  }
  try {
    const auto edges = sidecore::bench::read_captured_edges(argv[1]);
    if (argc == 2) {
      sidecore::bench::compare(edges);
    } else {
      sidecore::bench::count(edges);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "loop_filter_captures: {}\n", error.what());
    return 2;
  }
  return 0;
}
