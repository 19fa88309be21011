#include "v3dsim/race_checker.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "v3dsim/fault.h"
#include "v3dsim/lanes.h"

namespace sidecore::v3dsim {

namespace {
constexpr std::uint32_t kPageBytes = 256;
}

/// One remembered access; all zeros if there is none.
struct RaceChecker::Past {
  std::uint32_t invocation_plus_one = 0;
  std::uint32_t barriers : 31 = 0;
  std::uint32_t atomic : 1 = 0;
  std::uint32_t drains = 0;

  [[nodiscard]] bool present() const { return invocation_plus_one != 0; }
  [[nodiscard]] std::uint32_t invocation() const { return invocation_plus_one - 1; }
};

struct RaceChecker::Byte {
  Past writer;
  std::array<Past, 2> readers;
};

struct RaceChecker::Page {
  std::array<Byte, kPageBytes> bytes;
};

RaceChecker::RaceChecker(const JobShape& shape, std::uint32_t memory_slots, bool lanes_are_ordered)
    : shape_(shape), memory_slots_(memory_slots), lanes_are_ordered_(lanes_are_ordered) {
  if (shape.workgroups * shape.workgroup_size >= std::numeric_limits<std::uint32_t>::max()) {
    throw Fault(FaultKind::bad_job, "too many invocations to check for races");
  }
  tidx_.resize(shape.batches);
}

RaceChecker::~RaceChecker() = default;

void RaceChecker::start_thread(std::uint32_t thread, std::uint32_t tidx) {
  tidx_[thread] = static_cast<std::uint8_t>(tidx);
}

std::uint32_t RaceChecker::thread_of(std::uint32_t invocation) const {
  const std::uint32_t per_supergroup = shape_.workgroups_per_supergroup * shape_.workgroup_size;
  return invocation / per_supergroup * shape_.full_batches() +
         invocation % per_supergroup / static_cast<std::uint32_t>(kLanes);
}

std::uint32_t RaceChecker::slot_of(std::uint32_t workgroup) const {
  return memory_slots_ == 0 ? workgroup : workgroup % memory_slots_;
}

bool RaceChecker::ordered(const Past& before, bool was_write, const Past& now) const {
  const std::uint32_t first = before.invocation(), second = now.invocation();
  if (first == second) return true;
  const std::uint32_t first_group = first / shape_.workgroup_size;
  const std::uint32_t second_group = second / shape_.workgroup_size;
  if (first_group == second_group && before.barriers < now.barriers) return true;
  const std::uint32_t first_thread = thread_of(first), second_thread = thread_of(second);
  if (first_thread == second_thread) {
    return lanes_are_ordered_ && (!was_write || before.drains < now.drains);
  }
  // This rule includes threads of one workgroup. Without a barrier that keeps all of them alive,
  // later threads reuse the numbers and the scratch memory of ended threads.
  if (tidx_[first_thread] == tidx_[second_thread]) return true;
  return first_group != second_group && slot_of(first_group) == slot_of(second_group);
}

void RaceChecker::check(const Past& before, bool was_write, const Past& now, std::uint32_t address,
                        Access access) const {
  const bool both_atomic = access == Access::atomic && before.atomic != 0;
  if (!before.present() || both_atomic || ordered(before, was_write, now)) return;
  throw Fault(
      FaultKind::race,
      fmt::format("a race on byte {:#x}: invocation {} of workgroup {} {} what invocation "
                  "{} of workgroup {} {}, and no barrier is between them",
                  address, now.invocation(), now.invocation() / shape_.workgroup_size,
                  access == Access::read ? "reads" : "writes", before.invocation(),
                  before.invocation() / shape_.workgroup_size, was_write ? "wrote" : "read"),
      address);
}

void RaceChecker::touch_byte(Byte& byte, const Past& now, std::uint32_t address,
                             Access access) const {
  check(byte.writer, true, now, address, access);
  if (access == Access::read) {
    // Replaces a reader that is ordered before the current one, if there is one.
    Past* room = &byte.readers[1];
    for (Past& reader : byte.readers) {
      if (!reader.present() || ordered(reader, false, now)) {
        room = &reader;
        break;
      }
    }
    *room = now;
    return;
  }
  for (const Past& reader : byte.readers) check(reader, false, now, address, access);
  byte.readers = {};
  byte.writer = now;
}

void RaceChecker::touch(std::uint32_t invocation, const Progress& progress, std::uint32_t address,
                        std::uint32_t bytes, Access access) {
  Past now;
  now.invocation_plus_one = invocation + 1;
  now.barriers = progress.barriers & 0x7fffffffU;
  now.drains = progress.drains;
  now.atomic = access == Access::atomic ? 1 : 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint32_t at = address + i;
    auto& page = pages_[at / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    touch_byte(page->bytes[at % kPageBytes], now, at, access);
  }
}

}  // namespace sidecore::v3dsim
