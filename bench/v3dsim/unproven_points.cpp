#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

constexpr UnprovenPoint kPoints[] = {
    {"special functions",
     "RECIP, RSQRT, EXP, LOG and SIN are computed in double and rounded. The hardware's last "
     "bits are unknown (public tests assert 1e-4 on 4.2 and 1e-2 on 7.1). Disturb the results "
     "to test exactness."},
    {"FMIN, FMAX",
     "If one operand is NaN, the result is the other one. Of two zeros the result is the first "
     "operand."},
    {"NaN results",
     "Arithmetic that makes a NaN gives 7fc00000. The NaN-propagation bit of a 4.2 job is "
     "ignored."},
    {"flags of floats",
     "Z is set for both zeros, N for results below zero; -0 and NaN do not set N. C is 0."},
    {"carry", "C is 0 after every operation but ADD, SUB, MIN, MAX, UMIN, UMAX and FCMP."},
    {"flags with output pack", "Flags come from the 32-bit result, before it is packed to f16."},
    {"float to integer", "FTOIN, FTOIZ and FTOUZ saturate; NaN and, for FTOUZ, negatives give 0."},
    {"clamping moves", "The clamping operand modifiers of 7.1 turn a NaN into their lower bound."},
    {"operations not executed",
     "FADDNF, SMUL24, FTOC, FLPOP, SETMSF, SETREVF, two-halves arithmetic and image "
     "conversions stop the job, because their exact effect is unknown."},
    {"absolute value of one-operand rounding",
     "The code that would take |x| in FROUND and similar operations on 7.1 counts as invalid, "
     "as on 4.2."},
    {"idle lanes",
     "Lanes of a partial batch after the last invocation continue the last workgroup's local "
     "index. The hardware's values are unknown."},
    {"registers at the start",
     "Registers are undefined on hardware when a thread starts. The simulator sets them to "
     "zero, or to noise with poisoning."},
    {"accumulators, rtop and flag B after a thread switch",
     "These are undefined on hardware after a thread switch. The simulator keeps them, or "
     "fills them with noise with poisoning. Flag A and the registers survive."},
    {"lanes that take no part in a load",
     "Lanes outside a load receive zero, or noise with poisoning."},
    {"conditional writes to UNIFA and TMUC",
     "Such writes stop the job, because the driver makes none and their effect is unknown."},
    {"conditional writes to TMUD",
     "Where the driver spills a value computed under a condition, it writes data and address "
     "under that condition. A request with lanes that its data lacks stops the job."},
    {"thread numbers",
     "TIDX values are unique among live threads and used in turn. On hardware they identify "
     "QPU and thread slot."},
    {"maximum supergroup id",
     "This field of a job is ignored: the driver leaves it 0, which is taken to mean unknown."},
    {"overlap with the previous job", "Jobs never overlap: they run one after another."},
    {"shared-memory slots",
     "A workgroup's slot is its linear index if that fits payload 1; otherwise slots are used "
     "in turn. The hardware's numbering is unknown."},
    {"indirect jobs with shared memory",
     "Supergroups run one at a time in slot 0, because the driver sizes the buffer for one "
     "workgroup. This is unproven on hardware, so kernels should avoid such jobs."},
    {"lane order of conflicting accesses",
     "Stores and atomics of one request to the same address run from lane 0 to lane 15."},
    {"memory order between supergroups",
     "Requests complete at once. Races between supergroups stay hidden unless the order is "
     "random or races are checked."},
    {"unaligned TMU addresses",
     "An unaligned address stops the job; the driver makes none from valid SPIR-V."},
    {"per-quad TMU requests", "Per-quad loads, stores and atomics are treated alike."},
    {"uniform branch", "The uniform pointer moves at the branch, not after its delay slots."},
    {"ROT, ROTQ, R5 and REP destinations, VFLA and its kin, FLAPUSH, FLBPUSH",
     "These operations behave as public hardware tests describe. The driver never emits them "
     "for compute."},
    {"SFU stalls",
     "The number of stalls is estimated: one per instruction that reads the result of the one "
     "before it."},
    {"TMU count, clocks and bandwidth",
     "One TMU per slice is an assumption. Clocks and bandwidth are published figures. All are "
     "used only by the timing model."},
    {"the kernel's side",
     "Hang detection, frequency scaling and MMU faults of the real kernel driver are not "
     "modelled."},
    {"jobs of different queues",
     "Jobs of different queues never overlap, because each has ended when its submission "
     "returns. A missing barrier between dispatches therefore has no effect."},
    {"events set by the host",
     "The host cannot set an event while a job waits for it, so the wait exceeds the "
     "instruction limit."},
    {"refused jobs",
     "After a refused job, later waits fail at once, whereas a real kernel would reset the GPU "
     "and continue."},
};

}  // namespace

std::span<const UnprovenPoint> unproven_points() {
  return kPoints;
}

}  // namespace sidecore::v3dsim
