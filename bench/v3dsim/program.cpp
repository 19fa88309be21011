#include "v3dsim/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "v3dsim/fault.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint32_t kLargestSpan = 8U << 20;
constexpr std::size_t kCachedPrograms = 64;

/// State in which decoding reaches an instruction: its address, and the branches and thread
/// switches whose delay slots have not ended.
struct Place {
  std::uint32_t pc = 0;
  bool last_section = false;
  /// Number of instructions until a thread switch or end takes effect.
  std::uint8_t switch_delay = 0;
  bool ending = false;
  std::uint8_t branch_delay = 0;
  bool falls_through = true;
  std::uint32_t target = 0;
};

bool operator<(const Place& a, const Place& b) {
  const auto key = [](const Place& p) {
    return std::tuple(p.pc, p.target, p.last_section, p.ending, p.falls_through, p.switch_delay,
                      p.branch_delay);
  };
  return key(a) < key(b);
}

class Walk {
 public:
  Walk(const Memory& memory, Version version) : cache_(memory), version_(version) {}

  std::map<std::uint32_t, std::uint64_t> reach(Place entry) {
    std::vector<Place> open{entry};
    while (!open.empty()) {
      const Place place = open.back();
      open.pop_back();
      if (!seen_.insert(place).second) continue;
      visit(place, open);
    }
    return std::move(words_);
  }

 private:
  std::uint64_t fetch(std::uint32_t pc) {
    const auto known = words_.find(pc);
    if (known != words_.end()) return known->second;
    const std::byte* bytes = cache_.find(pc, 8);
    if (bytes == nullptr) {
      throw Fault(FaultKind::out_of_bounds,
                  fmt::format("the program continues at {:#x}, outside every buffer", pc), pc);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    words_.emplace(pc, word);
    if (words_.rbegin()->first - words_.begin()->first > kLargestSpan) {
      throw Fault(FaultKind::bad_code, fmt::format("the program at {:#x} spans more than {} "
                                                   "bytes",
                                                   words_.begin()->first, kLargestSpan));
    }
    return word;
  }

  void visit(Place place, std::vector<Place>& open) {
    const Decoded decoded = decode(fetch(place.pc), version_);
    if (!decoded) return;
    const Instruction& in = *decoded.instruction;
    if (in.is_branch) {
      if (place.branch_delay != 0 || in.branch.target != BranchTarget::relative) return;
      place.branch_delay = 4;
      place.target = place.pc + 32 + static_cast<std::uint32_t>(in.branch.offset);
      place.falls_through = in.branch.condition != BranchCondition::always;
    } else if ((in.signals & signal::kThrsw) != 0) {
      if (!thread_switch(place)) return;
    }
    advance(place, open);
  }

  static bool thread_switch(Place& place) {
    if (place.switch_delay == 2 && !place.ending) {
      place.last_section = true;
      return true;
    }
    if (place.switch_delay != 0) return false;
    place.switch_delay = 3;
    place.ending = place.last_section;
    return true;
  }

  static void advance(Place place, std::vector<Place>& open) {
    if (place.switch_delay != 0 && --place.switch_delay == 0 && place.ending) return;
    place.pc += 8;
    if (place.branch_delay == 0 || --place.branch_delay != 0) {
      open.push_back(place);
      return;
    }
    Place taken = place;
    taken.pc = place.target;
    taken.target = place.target = 0;
    taken.falls_through = true;
    open.push_back(taken);
    if (!place.falls_through) return;
    open.push_back(place);
  }

  WindowCache cache_;
  Version version_;
  std::map<std::uint32_t, std::uint64_t> words_;
  std::set<Place> seen_;
};

/// Marks steps that read a special function's result in the next instruction.
void mark_special_function_stalls(std::span<Step> steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const Step& before = steps[i - 1];
    if (before.kind != Step::Kind::alu || before.add.target != Target::lanes) continue;
    if (!is_special_function(before.add.op) && !is_cross_lane(before.add.op)) continue;
    RegisterSet slow;
    slow.insert(before.add.index);
    steps[i].after_special = (steps[i].reads.file & slow.file) != 0 ||
                             (steps[i].reads.accumulators & slow.accumulators) != 0;
  }
}

}  // namespace

Program::Program(const Memory& memory, std::uint32_t entry, Version version, bool four_threads,
                 bool single_segment)
    : entry_(entry),
      version_(version),
      four_threads_(four_threads),
      single_segment_(single_segment) {
  if (entry % 8 != 0) {
    throw Fault(FaultKind::bad_job,
                fmt::format("code address {:#x} is not a multiple of 8", entry));
  }
  const auto words = Walk(memory, version).reach({entry, single_segment});
  first_ = words.begin()->first;
  size_ = static_cast<std::uint32_t>(words.size());
  const std::size_t span = (words.rbegin()->first - first_) / 8 + 1;
  words_.resize(span);
  steps_.resize(span);
  for (const auto& [address, word] : words) {
    const std::size_t index = (address - first_) / 8;
    words_[index] = word;
    const Decoded decoded = decode(word, version);
    if (decoded) {
      steps_[index] = make_step(*decoded.instruction, version, four_threads);
    } else {
      steps_[index].reason = decoded.reason;
    }
  }
  mark_special_function_stalls(steps_);
}

bool Program::matches(const Memory& memory) const {
  WindowCache cache(memory);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.kind == Step::Kind::stop && step.reason == Step{}.reason) continue;
    const auto address = first_ + static_cast<std::uint32_t>(i * 8);
    const std::byte* bytes = cache.find(address, 8);
    if (bytes == nullptr || std::memcmp(bytes, &words_[i], 8) != 0) return false;
  }
  return true;
}

std::shared_ptr<const Program> ProgramCache::get(const Memory& memory, std::uint32_t entry,
                                                 Version version, bool four_threads,
                                                 bool single_segment) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(programs_.begin(), programs_.end(), [&](const auto& program) {
    return program->is(entry, version, four_threads, single_segment);
  });
  if (found != programs_.end()) {
    if ((*found)->matches(memory)) {
      std::rotate(found, found + 1, programs_.end());
      return programs_.back();
    }
    programs_.erase(found);
  }
  auto program =
      std::make_shared<const Program>(memory, entry, version, four_threads, single_segment);
  if (programs_.size() == kCachedPrograms) programs_.erase(programs_.begin());
  programs_.push_back(program);
  return program;
}

const Lanes* immediate_table() {
  static const auto table = [] {
    std::array<Lanes, 48> lanes{};
    for (std::uint8_t code = 0; code < 48; ++code) {
      std::fill_n(lanes[code].lane, kLanes, small_immediate_bits(code));
    }
    return lanes;
  }();
  return table.data();
}

}  // namespace sidecore::v3dsim
