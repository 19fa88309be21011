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
    {"clamping moves", "A NaN becomes the lower bound of the clamping operand modifiers of 7.1."},
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
     "They are undefined on hardware. The simulator sets them to zero, or to noise with "
     "poisoning."},
    {"accumulators, rtop and flag B after a thread switch",
     "They are undefined on hardware. The simulator keeps them, or fills them with noise with "
     "poisoning. Flag A and the registers survive."},
    {"lanes that take no part in a load", "They receive zero, or noise with poisoning."},
    {"conditional writes to UNIFA and TMUC",
     "They stop the job, because the driver makes none and their effect is unknown."},
    {"conditional writes to TMUD",
     "Where the driver spills a value computed under a condition, it writes data and address "
     "under that condition. A request with lanes that its data lacks stops the job."},
    {"thread numbers",
     "TIDX values are unique among live threads and used in turn. On hardware they identify "
     "QPU and thread slot."},
    {"maximum supergroup id",
     "It is ignored: the driver leaves it 0, which is taken to mean unknown."},
    {"overlap with the previous job", "It is ignored: jobs run one after another."},
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
    {"unaligned TMU addresses", "They stop the job; the driver makes none from valid SPIR-V."},
    {"per-quad TMU requests", "Loads, stores and atomics are treated alike."},
    {"uniform branch", "The uniform pointer moves at the branch, not after its delay slots."},
    {"ROT, ROTQ, R5 and REP destinations, VFLA and its kin, FLAPUSH, FLBPUSH",
     "They behave as public hardware tests describe. The driver never emits them for compute."},
    {"SFU stalls",
     "They are estimated: one per instruction that reads the result of the one before it."},
    {"TMU count, clocks and bandwidth",
     "One TMU per slice is an assumption. Clocks and bandwidth are published figures. All are "
     "used only by the timing model."},
    {"the kernel's side",
     "Hang detection, frequency scaling and MMU faults of the real kernel driver are not "
     "modelled."},
    {"jobs of different queues",
     "They never overlap: each job has ended when its submission returns. A missing barrier "
     "between dispatches therefore has no effect."},
    {"events set by the host",
     "They cannot arrive while a job waits for them, so the wait exceeds the instruction "
     "limit."},
    {"refused jobs",
     "Later waits fail at once, whereas a real kernel would reset the GPU and continue."},
};

}  // namespace

std::span<const UnprovenPoint> unproven_points() {
  return kPoints;
}

}  // namespace sidecore::v3dsim
