// What the threads of a dispatch do that takes time: what the executor tells the timing model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sidecore::v3dsim {

/// Something that a thread does at a point of its program that takes, or may take, more time than
/// the issue of an instruction.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    load,           ///< a request that returns `words` words a lane; atomics too
    store,          ///< a request that returns none
    take,           ///< the oldest word that was not taken yet is needed
    drain,          ///< all stores must have been done
    thread_switch,  ///< another thread of the QPU may go on
    barrier,        ///< a thread switch until all threads of the supergroup are here
    end,
  };
  std::uint32_t instructions = 0;  ///< issued since the event before
  Kind kind = Kind::end;
  std::uint8_t words = 0;    ///< of a request, a lane
  std::uint8_t fetched = 0;  ///< lines of 64 bytes that a request takes from memory (LineCache)
  std::uint8_t written = 0;  ///< lines that leave the cache for these, and go back to memory
};

/// What one thread did, in order; ends in Kind::end.
using Trace = std::vector<TraceEvent>;

/// Takes what a job does while it runs.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// The threads of one supergroup, after the supergroup before. They may be moved from.
  virtual void supergroup(std::span<Trace> threads) = 0;
};

}  // namespace sidecore::v3dsim
