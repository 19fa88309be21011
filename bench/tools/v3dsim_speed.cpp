// Measures the speed of the V3D executor: 16-lane instructions per second of one arithmetic loop
// and one memory loop, for each variant of the inner loop, with all host threads, and with the
// timing model.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/v3dsim/v3dsim_rig.h"
#include "v3dsim/model.h"
#include "v3dsim/thread.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim;
using namespace sidecore::v3dsim::rig;

/// Returns 1000 rounds of a filter kernel's typical work: integer and float arithmetic, compares,
/// conditions.
Assembler arithmetic(Version version) {
  Assembler code(version);
  code.uniform(5);  // number of rounds, the program's uniform
  const std::size_t top = code.here();
  for (int i = 0; i < 4; ++i) {
    Instruction both;
    both.add = {AddOp::add, rf(10), rf(11), to(12)};
    both.mul = {MulOp::mov, rf(10), {}, to(13)};
    code.emit(both);
    code.add(AddOp::sub, to(14), rf(12), rf(13), {.flags = FlagUse::push_c});
    code.add(AddOp::fadd, to(15), rf(10), rf(14));
    code.mov(to(16), rf(14), {.condition = Condition::if_a});
    code.mul(MulOp::fmul, to(17), rf(15), rf(16));
    code.add(AddOp::shr, to(18), rf(17), imm(3));
    code.add(AddOp::min, to(11), rf(18), rf(12));
  }
  code.add(AddOp::sub, to(5), rf(5), imm(1), {.flags = FlagUse::push_z});
  code.branch(BranchCondition::all_not_a, LaneFilter::all_lanes, top);
  code.end();
  return code;
}

/// Returns a loop that loads a word, adds 1 and stores it.
Assembler memory_traffic(Version version) {
  Assembler code(version);
  code.uniform(5);
  code.uniform(10);
  code.add(AddOp::eidx, to(11));
  code.add(AddOp::shl, to(11), rf(11), imm(2));
  code.add(AddOp::add, to(10), rf(10), rf(11));
  const std::size_t top = code.here();
  code.load(12, 10);
  code.add(AddOp::add, to(12), rf(12), imm(1));
  code.store(10, 12);
  code.add(AddOp::sub, to(5), rf(5), imm(1), {.flags = FlagUse::push_z});
  code.branch(BranchCondition::all_not_a, LaneFilter::all_lanes, top);
  code.end();
  return code;
}

/// The best of several runs counts, because other work on the machine only slows a run down.
template <class Run>
void report(const std::string& name, Run run) {
  double best = 0;
  for (int i = 0; i < 9; ++i) {
    const auto start = Clock::now();
    const std::uint64_t instructions = run();
    best = std::max(best, static_cast<double>(instructions) / seconds(Clock::now() - start));
  }
  fmt::print("{:32} {:8.1f} M instructions/s\n", name, best * 1e-6);
}

/// If `modelled` is true, the timing model follows the job.
void time_job(const std::string& name, const Assembler& code, unsigned host_threads,
              bool count_lines, bool modelled = false) {
  Machine1M gpu(Version::v71);
  gpu.load(code, {200, kData});
  gpu.shape.groups = {120, 1, 1};
  Options options;
  options.host_threads = host_threads;
  options.count_lines = count_lines;
  const ScheduleConstants constants = model_constants(gpu.machine).schedule;
  report(name, [&] {
    if (!modelled) return gpu.run(options).instructions;
    Schedule schedule(gpu.machine, constants, 4);
    const std::uint64_t instructions = gpu.run(options, &schedule).instructions;
    (void)schedule.finish();
    return instructions;
  });
}

void time_variant(const char* name, const Assembler& code) {
  const RunFunction run = run_function(name);
  if (run == nullptr) return;
  Machine1M gpu(Version::v71);
  gpu.load(code, {20'000, kData});
  const Program program(gpu.memory, kCode, Version::v71, false, false);
  const Options options;
  Context context(program, options, gpu.memory, 8, nullptr);
  report(fmt::format("arithmetic, {}", name), [&] {
    const auto thread = std::make_unique<Thread>();
    thread->pc = kCode;
    thread->uniforms = kUniforms;
    while (run(*thread, context) != Stop::ended) {
    }
    return thread->instructions;
  });
}

}  // namespace

int main() {
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    time_variant(name, arithmetic(Version::v71));
  }
  const unsigned all = std::thread::hardware_concurrency();
  time_job("arithmetic, one host thread", arithmetic(Version::v71), 1, true);
  time_job("memory, one host thread", memory_traffic(Version::v71), 1, true);
  time_job("memory, lines not counted", memory_traffic(Version::v71), 1, false);
  time_job("arithmetic, modelled", arithmetic(Version::v71), 1, true, true);
  time_job("memory, modelled", memory_traffic(Version::v71), 1, true, true);
  time_job(fmt::format("arithmetic, {} host threads", all), arithmetic(Version::v71), all, true);
}
