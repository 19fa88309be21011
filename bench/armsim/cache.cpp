#include "armsim/cache.h"

#include <algorithm>

namespace sidecore::armsim {
namespace {

constexpr std::size_t kStreams = 16;  // number of streams that the prefetcher follows at once
constexpr std::uint64_t kReach = 4;   // number of lines that a stream may skip, plus 1

}  // namespace

Cache::Cache(const CacheModel& model, double clock_hz)
    : memory_latency_(model.memory_seconds * clock_hz),
      line_cycles_(static_cast<double>(kLineBytes) / model.memory_bytes_per_second * clock_hz),
      streams_(kStreams) {
  for (const CacheModel::Level& level : model.levels) {
    if (level.bytes == 0) continue;
    const std::size_t lines = level.bytes / kLineBytes;
    levels_.push_back({std::vector<Line>(lines), lines / level.ways, level.ways, level.latency});
  }
}

Cache::Touched Cache::touch(Level& level, std::uint64_t line, bool dirty) {
  Line* const set = &level.lines[(line % level.sets) * level.ways];
  Line* oldest = set;
  ++clock_;
  for (std::size_t way = 0; way < level.ways; ++way) {
    if (set[way].tag == line) {
      set[way].used = clock_;
      set[way].dirty |= dirty;
      return {true, false, 0};
    }
    if (set[way].used < oldest->used) oldest = &set[way];
  }
  const Touched result{false, oldest->dirty, oldest->tag};
  *oldest = {line, clock_, dirty};
  return result;
}

void Cache::write_back(std::size_t level, std::uint64_t line) {
  if (level == levels_.size()) {
    ++lines_moved_;
    memory_free_ += line_cycles_;
    return;
  }
  const Touched touched = touch(levels_[level], line, true);
  if (touched.evicted_dirty) write_back(level + 1, touched.evicted);
}

bool Cache::prefetched(std::uint64_t line) {
  for (std::uint64_t& next : streams_) {
    if (line >= next && line < next + kReach) {
      next = line + 1;
      return true;
    }
  }
  streams_[next_stream_++ % kStreams] = line + 1;
  return false;
}

std::uint64_t Cache::access(std::uint64_t address, bool store, std::uint64_t cycle) {
  const std::uint64_t line = address / kLineBytes;
  if (line == last_line_ && (last_dirty_ || !store)) return 0;
  last_line_ = line;
  last_dirty_ = store;
  for (std::size_t index = 0; index < levels_.size(); ++index) {
    Level& level = levels_[index];
    const Touched touched = touch(level, line, store && index == 0);
    if (touched.evicted_dirty) write_back(index + 1, touched.evicted);
    if (touched.hit) {
      if (index == 0) return 0;
      // The delay is 0 for a stream's next lines, because the prefetcher has loaded them into the
      // first level.
      return prefetched(line) ? 0 : static_cast<std::uint64_t>(level.latency);
    }
  }
  ++lines_moved_;
  const auto now = static_cast<double>(cycle);
  const bool expected = prefetched(line);
  // Lines of a stream are requested early, so only the memory's rate limits them.
  const double start = std::max(memory_free_, expected ? now - memory_latency_ : now);
  memory_free_ = start + line_cycles_;
  const double arrival = start + std::max(memory_latency_, line_cycles_);
  return arrival > now ? static_cast<std::uint64_t>(arrival - now) : 0;
}

}  // namespace sidecore::armsim
