// A plugin for qemu-aarch64 (made for the machine that qemu runs on): logs how many instructions
// the program has executed so far whenever it calls getsid(), which nothing else calls.
//
//   qemu-aarch64 -plugin FILE -d plugin -D LOG PROGRAM
#include <cstddef>
#include <cstdint>
#include <cstdio>

// What is used of qemu's plugin interface, version 1 (docs/devel/tcg-plugins.rst): Debian has no
// package with its header.
extern "C" {
using qemu_plugin_id_t = std::uint64_t;
struct qemu_plugin_tb;
struct qemu_info_t;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t, qemu_plugin_tb*));
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb*, qemu_plugin_op, void*,
                                              std::uint64_t);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t,
                                          void (*)(qemu_plugin_id_t, unsigned, std::int64_t,
                                                   std::uint64_t, std::uint64_t, std::uint64_t,
                                                   std::uint64_t, std::uint64_t, std::uint64_t,
                                                   std::uint64_t, std::uint64_t));
void qemu_plugin_outs(const char*);

int qemu_plugin_version = 1;
int qemu_plugin_install(qemu_plugin_id_t, const qemu_info_t*, int, char**);
}

namespace {

std::uint64_t executed = 0;

// Of every block of instructions that qemu translates: it is executed as a whole.
void count_block(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                           qemu_plugin_tb_n_insns(block));
}

void log_count(qemu_plugin_id_t /*id*/, unsigned /*vcpu*/, std::int64_t number, std::uint64_t,
               std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
               std::uint64_t, std::uint64_t) {
  constexpr std::int64_t kGetsid = 156;  // on aarch64
  if (number != kGetsid) return;
  char line[32];
  std::snprintf(line, sizeof(line), "%llu\n", static_cast<unsigned long long>(executed));
  qemu_plugin_outs(line);
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* /*info*/, int /*argc*/,
                        char** /*argv*/) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_vcpu_syscall_cb(id, log_count);
  return 0;
}
