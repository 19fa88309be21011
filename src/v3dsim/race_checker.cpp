#include "v3dsim/race_checker.h"

#include <fmt/format.h>

#include <array>

#include "v3dsim/fault.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint32_t kPageBytes = 256;

struct Past {
  Accessor who;
  bool present = false;
  bool atomic = false;
};

}  // namespace

struct RaceChecker::Byte {
  Past writer;
  std::array<Past, 2> readers;
};

struct RaceChecker::Page {
  std::array<Byte, kPageBytes> bytes;
};

RaceChecker::RaceChecker(bool lanes_are_ordered) : lanes_are_ordered_(lanes_are_ordered) {}

RaceChecker::~RaceChecker() = default;

bool RaceChecker::ordered(const Accessor& before, const Accessor& now) const {
  if (before.invocation == now.invocation) return true;
  if (before.workgroup == now.workgroup) {
    if (before.epoch < now.epoch) return true;
    return lanes_are_ordered_ && before.thread == now.thread;
  }
  if (before.thread == now.thread) return lanes_are_ordered_;
  return before.slot == now.slot || before.thread_slot == now.thread_slot;
}

void RaceChecker::touch_byte(Byte& byte, const Accessor& who, std::uint32_t address,
                             Access access) {
  const bool atomic = access == Access::atomic;
  const auto check = [&](const Past& past, bool was_write) {
    if (!past.present || (atomic && past.atomic) || ordered(past.who, who)) return;
    throw Fault(
        FaultKind::race,
        fmt::format("a race on byte {:#x}: invocation {} of workgroup {} {} what invocation "
                    "{} of workgroup {} {}, and no barrier stands between",
                    address, who.invocation, who.workgroup,
                    access == Access::read ? "reads" : "writes", past.who.invocation,
                    past.who.workgroup, was_write ? "wrote" : "read"),
        address);
  };
  check(byte.writer, true);
  if (access == Access::read) {
    // A reader that the current one follows anyway makes room first.
    Past* room = &byte.readers[1];
    for (Past& reader : byte.readers) {
      if (!reader.present || ordered(reader.who, who)) {
        room = &reader;
        break;
      }
    }
    *room = {who, true, false};
    return;
  }
  for (const Past& reader : byte.readers) check(reader, false);
  byte.readers = {};
  byte.writer = {who, true, atomic};
}

void RaceChecker::touch(const Accessor& who, std::uint32_t address, std::uint32_t bytes,
                        Access access) {
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint32_t at = address + i;
    auto& page = pages_[at / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    touch_byte(page->bytes[at % kPageBytes], who, at, access);
  }
}

}  // namespace sidecore::v3dsim
