#include "gates/verdict.h"

#include <fmt/format.h>

namespace sidecore::gates {
namespace {

std::string pay_off_text(const Verdict& verdict, const SpeedGain& pay_off, const char* work) {
  const std::string ratio =
      verdict.band.has_value()
          ? fmt::format("R = {:.3f} {}; ", *verdict.ratio, to_string(*verdict.band))
          : std::string();
  const char* outcome = verdict.conclusion == Conclusion::pays           ? "pays"
                        : verdict.conclusion == Conclusion::does_not_pay ? "does not pay"
                                                                         : "shows no difference";
  return fmt::format("{}{} {} with {}: {:+.1f} % against all NEON threads{}", ratio, pay_off.winner,
                     outcome, work, 100 * pay_off.gain,
                     pay_off.outside_spread ? "" : ", but the ranges of the windows overlap");
}

void conclude_from_gain(const SpeedGain& pay_off, const char* work, Verdict& verdict) {
  verdict.conclusion = !pay_off.outside_spread ? Conclusion::within_spread
                       : pay_off.gain > 0      ? Conclusion::pays
                                               : Conclusion::does_not_pay;
  verdict.text = pay_off_text(verdict, pay_off, work);
}

}  // namespace

Band band_of(double ratio) {
  if (ratio >= 1) return Band::green;
  if (ratio >= 0.5) return Band::yellow;
  if (ratio >= 0.25) return Band::orange;
  return Band::red;
}

const char* to_string(Band band) {
  switch (band) {
    case Band::green:
      return "GREEN";
    case Band::yellow:
      return "YELLOW";
    case Band::orange:
      return "ORANGE";
    case Band::red:
      return "RED";
  }
  return "unknown";
}

const char* to_string(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::wrong:
      return "wrong";
    case Conclusion::throttled:
      return "void: throttled";
    case Conclusion::correctness_only:
      return "correctness only";
    case Conclusion::pays:
      return "pays";
    case Conclusion::does_not_pay:
      return "does not pay";
    case Conclusion::within_spread:
      return "within the spread";
    case Conclusion::stopped_early:
      return "stopped early";
    case Conclusion::incomplete:
      return "incomplete";
  }
  return "unknown";
}

bool is_on_speed(Conclusion conclusion) {
  using enum Conclusion;
  return conclusion == pays || conclusion == does_not_pay || conclusion == within_spread ||
         conclusion == stopped_early;
}

bool cpu_scales(double one_core, double all_cores, int threads) {
  return all_cores >= 0.9 * threads * one_core;
}

bool may_stop_early(const Evidence& evidence) {
  if (evidence.cpu_device || !evidence.qpu_rate || !evidence.neon_one || !evidence.neon_all) {
    return false;
  }
  return band_of(*evidence.qpu_rate / *evidence.neon_one) == Band::red &&
         cpu_scales(*evidence.neon_one, *evidence.neon_all, evidence.threads);
}

Verdict judge(const Evidence& evidence) {
  Verdict verdict;
  if (evidence.neon_one && evidence.neon_all) {
    verdict.scales = cpu_scales(*evidence.neon_one, *evidence.neon_all, evidence.threads);
  }
  if (evidence.qpu_rate && evidence.neon_one && !evidence.cpu_device) {
    verdict.ratio = *evidence.qpu_rate / *evidence.neon_one;
    verdict.band = band_of(*verdict.ratio);
  }
  if (evidence.agrees.has_value() && !*evidence.agrees) {
    verdict.conclusion = Conclusion::wrong;
    verdict.text = "an implementation differs from the scalar definition: no other figure counts";
  } else if (evidence.throttled) {
    verdict.conclusion = Conclusion::throttled;
    verdict.text = "void: throttled; cool or power the board better and run again";
  } else if (evidence.cpu_device) {
    verdict.conclusion = Conclusion::correctness_only;
    verdict.text =
        "the device is a CPU: the run shows correctness, and says nothing about the gain on a GPU";
  } else if (evidence.player.has_value()) {
    conclude_from_gain(*evidence.player, "the playback test", verdict);
  } else if (evidence.mixed.has_value()) {
    conclude_from_gain(*evidence.mixed, "mixed kernels", verdict);
  } else if (evidence.same.has_value()) {
    conclude_from_gain(*evidence.same, "the same kernel only, no mixed run", verdict);
  } else if (may_stop_early(evidence)) {
    verdict.conclusion = Conclusion::stopped_early;
    verdict.text = fmt::format(
        "R = {:.3f} RED, and {} NEON threads scale: the QPU adds less than it costs, M4 was left "
        "out",
        *verdict.ratio, evidence.threads);
  } else if (verdict.band.has_value()) {
    verdict.text = fmt::format("R = {:.3f} {}; M4 decides, not R alone, and M4 did not run",
                               *verdict.ratio, to_string(*verdict.band));
  } else {
    verdict.text = "no verdict: it needs M2, M3 and M4, and not all of them ran";
  }
  // Without M2 and M3 there is no ratio.
  if (evidence.neon_is_emulated && (verdict.ratio.has_value() || is_on_speed(verdict.conclusion))) {
    verdict.text += kNoArmCore;
  }
  return verdict;
}

}  // namespace sidecore::gates
