// A plugin for qemu-aarch64, built for the host, that counts instructions.
//
// qemu-aarch64 -plugin FILE -d plugin -D LOG PROGRAM
//
// logs the number of instructions executed so far at every call of getsid(), which only
// bench/tools/instruction_count.h makes.
//
// qemu-aarch64 -plugin FILE,places=on -d plugin -D LOG PROGRAM
//
// logs the addresses of the executed instructions when the program ends: "start ADDRESS" of the
// program's own code, then a line "ADDRESS LENGTH TIMES" for each block of instructions. Any number
// of threads may run.
#include <atomic>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "tools/qemu_plugin.h"

namespace {

std::uint64_t executed = 0;

// Counts the instructions of every translation block of qemu; a block is executed as a whole.
void count_block(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                           qemu_plugin_tb_n_insns(block));
}

void log_count(qemu_plugin_id_t /*id*/, unsigned /*vcpu*/, std::int64_t number, std::uint64_t,
               std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
               std::uint64_t, std::uint64_t) {
  constexpr std::int64_t kGetsid = 156;  // number of getsid() on aarch64
  if (number != kGetsid) return;
  char line[32];
  std::snprintf(line, sizeof(line), "%llu\n", static_cast<unsigned long long>(executed));
  qemu_plugin_outs(line);
}

using Times = std::atomic<std::uint64_t>;

std::mutex places_mutex;
/// Number of executions of each block, by address and length. Entries are never erased, because
/// qemu keeps pointers to the counters. A block that is translated again keeps its counter.
std::map<std::pair<std::uint64_t, std::size_t>, Times> places;

void count_place(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
  const std::lock_guard lock(places_mutex);
  Times& times = places[{qemu_plugin_tb_vaddr(block), qemu_plugin_tb_n_insns(block)}];
  // This is a callback instead of an inline operation of qemu, because threads would lose each
  // other's additions.
  qemu_plugin_register_vcpu_tb_exec_cb(
      block,
      [](unsigned /*vcpu*/, void* counter) {
        static_cast<Times*>(counter)->fetch_add(1, std::memory_order_relaxed);
      },
      QEMU_PLUGIN_CB_NO_REGS, &times);
}

void log_places(qemu_plugin_id_t /*id*/, void* /*unused*/) {
  const std::lock_guard lock(places_mutex);
  char line[80];
  std::snprintf(line, sizeof(line), "start %" PRIu64 "\n", qemu_plugin_start_code());
  qemu_plugin_outs(line);
  for (const auto& [place, times] : places) {
    std::snprintf(line, sizeof(line), "%" PRIu64 " %zu %" PRIu64 "\n", place.first, place.second,
                  times.load());
    qemu_plugin_outs(line);
  }
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* /*info*/, int argc, char** argv) {
  if (argc > 0 && std::string_view(argv[0]) == "places=on") {
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_place);
    qemu_plugin_register_atexit_cb(id, log_places, nullptr);
    return 0;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_vcpu_syscall_cb(id, log_count);
  return 0;
}
