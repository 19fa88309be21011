// Several streams on one board: a plan for each, with the CPU's cores, the QPU and the memory as
// shared resources, and how many streams fit at a picture rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/candidate.h"
#include "model/frame_costs.h"

namespace sidecore::split {

struct Proposal;

/// Capacity of a machine, which all streams share.
struct Capacity {
  double cores = 1;  ///< CPU seconds per second
  double qpu = 1;    ///< seconds of the QPU per second; 0 without one
  /// Bytes that memory moves per second; 0 if unknown, and then memory limits nothing.
  double memory_bytes_per_second = 0;
};

/// A plan of one stream, and what it takes per picture.
struct StreamPlan {
  model::Candidate candidate;
  bool modelled = false;    ///< true if its costs rest on a model
  model::Estimate cpu{};    ///< CPU seconds, all threads together
  model::Estimate qpu{};    ///< seconds of the QPU, submissions included
  double memory_bytes = 0;  ///< bytes that CPU and QPU move from and to memory; 0 if unknown
  /// True if the stream alone reaches the rate with this plan.
  bool keeps_rate = true;
};

/// The plans between which a stream has the choice.
struct StreamChoices {
  std::string stream;                ///< path in quotes
  StreamPlan without_qpu;            ///< least CPU time without the QPU
  std::optional<StreamPlan> on_qpu;  ///< least CPU time with the QPU; none if it saves none
};
/// Returns the choices from the plans of a proposal that keep its picture rate; if none of a kind
/// does, without_qpu is the fastest one and on_qpu is empty.
[[nodiscard]] StreamChoices choices_of(const Proposal& proposal);

/// Result of one stream.
struct StreamShare {
  std::string stream;
  StreamPlan plan;
  /// True if this stream fits beside the earlier streams that fit.
  bool fits = false;
  /// Pictures shown while all streams played at once, and those among them that were late by more
  /// than one period; none if nothing was played.
  std::optional<std::uint64_t> pictures{};
  std::optional<std::uint64_t> missed{};
};

/// Returns a share for each stream. The streams whose plan on the QPU saves the most CPU seconds
/// per second of the QPU get that plan, as long as QPU and memory have enough left. Then the
/// streams take their shares in order, each as a whole or not at all. `end` says which end of the
/// costs counts.
[[nodiscard]] std::vector<StreamShare> share_out(std::span<const StreamChoices> streams, double fps,
                                                 const Capacity& capacity,
                                                 double model::Estimate::*end);

/// Largest number of streams that count_fitting() tries.
inline constexpr std::size_t kMaxStreams = 1000;
/// Returns how many streams fit if the given ones are taken in turn, again and again; at most
/// kMaxStreams.
[[nodiscard]] std::size_t count_fitting(std::span<const StreamChoices> streams, double fps,
                                        const Capacity& capacity, double model::Estimate::*end);

/// Answer for several streams at one picture rate.
struct StreamsAnswer {
  double fps = 0;
  Capacity capacity;
  std::vector<StreamShare> streams;  ///< one result per stream; at least one
  /// Numbers of streams that fit (count_fitting()) at the high, the expected and the low cost.
  std::size_t fewest = 0;
  std::size_t expected = 0;
  std::size_t most = 0;
  /// Resource that one more stream would lack: "the CPU", "the memory", "the rate of one stream" if
  /// it alone is too slow, or "nothing" at kMaxStreams. The QPU is no limit, because NEON takes
  /// over.
  std::string limit{};
  /// CPU seconds per picture while all streams played at once, driver included; none if not played.
  std::optional<double> played_cpu{};
  std::string not_played{};  ///< why nothing was played; empty if the streams were

  /// Returns the predicted sum of a resource per second over all streams, in CPU or QPU seconds.
  [[nodiscard]] model::Estimate sum(model::Estimate StreamPlan::*resource) const;
  /// Returns the predicted bytes per second over all streams; 0 if unknown.
  [[nodiscard]] double memory_bytes_per_second() const;
};

/// Shares out the machine and counts; nothing is played yet.
[[nodiscard]] StreamsAnswer answer_for(std::span<const StreamChoices> streams, double fps,
                                       const Capacity& capacity);

/// Cells of a table, header first: one row per stream.
[[nodiscard]] std::vector<std::vector<std::string>> stream_table(const StreamsAnswer& answer);
/// Returns one line: how many streams fit, predicted beside measured, and what is left.
[[nodiscard]] std::string streams_sentence(const StreamsAnswer& answer);
[[nodiscard]] std::string to_text(const StreamsAnswer& answer);

}  // namespace sidecore::split
