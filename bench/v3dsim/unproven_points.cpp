#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

constexpr UnprovenPoint kPoints[] = {
    {"special functions",
     "RECIP, RSQRT, EXP, LOG and SIN are computed in double and rounded; the hardware's last bits "
     "are unknown (public tests assert 1e-4 on 4.2 and 1e-2 on 7.1). Disturb them to test "
     "exactness."},
    {"FMIN, FMAX", "A NaN gives way to the other operand; of two zeros the first operand stays."},
    {"NaN results",
     "Arithmetic that makes a NaN gives 7fc00000; the NaN-propagation bit of a 4.2 job is "
     "ignored."},
    {"flags of floats", "Z for both zeros, N when below zero: -0 and NaN set no N. C is 0."},
    {"carry", "C is 0 after every operation but ADD, SUB, MIN, MAX, UMIN, UMAX and FCMP."},
    {"flags with output pack", "Flags come from the 32-bit result, before it is packed to f16."},
    {"float to integer", "FTOIN, FTOIZ and FTOUZ saturate; NaN and, for FTOUZ, negatives give 0."},
    {"clamping moves", "A NaN becomes the lower bound of the clamping operand modifiers of 7.1."},
    {"operations not executed",
     "FADDNF, SMUL24, FTOC, FLPOP, SETMSF, SETREVF, two-halves arithmetic and image conversions "
     "stop the job: what they do exactly is not known."},
    {"absolute value of one-operand rounding",
     "The code that would take |x| in FROUND and its kin on 7.1 counts as invalid, as on 4.2."},
    {"idle lanes",
     "Lanes of a partial batch beyond the last invocation continue the last workgroup's local "
     "index; what the hardware gives them is unknown."},
    {"registers at the start", "Undefined; zero here unless poisoning is on."},
    {"accumulators, rtop and flag B after a thread switch",
     "Undefined on hardware; kept here unless poisoning is on. Flag A and the registers survive."},
    {"lanes that take no part in a load", "Receive zero, or noise when poisoning is on."},
    {"conditional writes to UNIFA and TMUC",
     "Stop the job: the driver makes none, what they do is unknown."},
    {"conditional writes to TMUD",
     "Where the driver spills a value that was computed under a condition, data and address are "
     "written under it. A request whose lanes go beyond its data's stops the job."},
    {"thread numbers",
     "TIDX values are unique among live threads and taken in turn; on hardware they name QPU and "
     "thread slot."},
    {"maximum supergroup id", "Ignored: the driver leaves it 0, taken to mean unknown."},
    {"overlap with the previous job", "Ignored: jobs run one after another."},
    {"shared-memory slots",
     "A workgroup's slot is its linear index where that fits payload 1, else slots are taken in "
     "turn; "
     "how the hardware numbers them is unknown."},
    {"indirect jobs with shared memory",
     "Supergroups run one at a time in slot 0, because the driver sizes the buffer for one "
     "workgroup; on hardware this is unproven, kernels should avoid it."},
    {"lane order of conflicting accesses",
     "Stores and atomics of one request to the same address run from lane 0 to lane 15."},
    {"memory order between supergroups",
     "Requests complete at once; races between supergroups stay hidden unless the order is random "
     "or races are checked."},
    {"unaligned TMU addresses", "Stop the job; the driver makes none from valid SPIR-V."},
    {"per-quad TMU requests", "Taken for loads, stores and atomics alike."},
    {"uniform branch", "The uniform pointer moves at the branch, not after its delay slots."},
    {"ROT, ROTQ, R5 and REP destinations, VFLA and its kin, FLAPUSH, FLBPUSH",
     "As public hardware tests describe them; the driver never emits them for compute."},
    {"SFU stalls", "An estimate: one per instruction that reads the result of the one before it."},
    {"TMU count, clocks and bandwidth",
     "One TMU per slice is an assumption; clocks and bandwidth are published figures. They enter "
     "the timing model only."},
    {"the kernel's side",
     "Hang detection, frequency scaling and MMU faults of the real kernel driver are not "
     "modelled."},
    {"jobs of different queues",
     "Never overlap: each has ended when its submission returns, so that a barrier missing between "
     "dispatches does not show."},
    {"events set by the host",
     "Cannot arrive while a job waits for them: the wait runs into the instruction limit."},
    {"refused jobs",
     "Later waits fail at once, where a real kernel would reset the GPU and go on."},
};

}  // namespace

std::span<const UnprovenPoint> unproven_points() {
  return kPoints;
}

}  // namespace sidecore::v3dsim
