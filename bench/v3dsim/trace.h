// Traces of a dispatch's threads, which the executor passes to the timing model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sidecore::v3dsim {

/// Event of a thread that takes, or may take, more time than issuing an instruction.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    load,           ///< a request that returns `words` words per lane; also atomics
    store,          ///< a request that returns nothing
    take,           ///< the thread needs the oldest word that it has not taken yet
    drain,          ///< the thread needs all its stores to be done
    thread_switch,  ///< another thread of the QPU may run
    barrier,        ///< the thread switches until all threads of the supergroup have arrived
    end,
  };
  std::uint32_t instructions = 0;  ///< number of instructions issued since the last event
  Kind kind = Kind::end;
  std::uint8_t words = 0;  ///< words per lane of a request
  /// Number of 64-byte lines that a request fetches from memory (LineCache).
  std::uint8_t fetched = 0;
  std::uint8_t written = 0;  ///< number of lines that these fetches evict and write back to memory
};

/// Events of one thread in order; ends with Kind::end.
using Trace = std::vector<TraceEvent>;

/// Receives the traces of a job while it runs.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Receives the threads' traces of one supergroup, in order of supergroups. They may be moved
  /// from.
  virtual void supergroup(std::span<Trace> threads) = 0;
};

}  // namespace sidecore::v3dsim
