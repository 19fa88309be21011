#include "vp9/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "base/error.h"
#include "vp9/dsp.h"

namespace sidecore::vp9 {
namespace {

constexpr std::span<const Stage> kStagesBeforeFilter = std::span(kStages).first(kStages.size() - 1);

template <class Value, std::size_t count>
std::optional<Value> named(const std::array<Value, count>& values, std::string_view name) {
  const auto found =
      std::ranges::find_if(values, [&](Value value) { return to_string(value) == name; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

template <class Sample>
void take_scalar_kernels(const Plan& plan, const Dsp<Sample>& scalar, Dsp<Sample>& dsp) {
  const auto is_scalar = [&](Stage stage) { return plan.of(stage) == Processor::scalar; };
  if (is_scalar(Stage::prediction)) dsp.inter = scalar.inter;
  if (is_scalar(Stage::residual)) dsp.inverse_transforms = scalar.inverse_transforms;
  if (is_scalar(Stage::intra)) dsp.intra = scalar.intra;
  if (is_scalar(Stage::loop_filter)) dsp.loop_filters = scalar.loop_filters;
}

/// Reads the text after the loop filter's processor: "waves" or the value of `least_edges`.
bool read_filter_suffix(std::string_view text, Plan& plan) {
  if (text == to_string(FilterOrder::waves)) {
    plan.filter_order = FilterOrder::waves;
    return plan.on_qpu(Stage::loop_filter);
  }
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), plan.least_edges);
  return error == std::errc() && end == text.data() + text.size() && plan.least_edges > 0 &&
         plan.is_divided(Stage::loop_filter);
}

/// Reads STAGE=PROCESSOR or loop_filter=PROCESSOR:SUFFIX. Returns false for any other text.
bool read_part(std::string_view part, PerStage<bool>& seen, Plan& plan) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view value = part.substr(equals + 1);
  const std::size_t colon = value.find(':');
  const auto stage = named(kStages, part.substr(0, equals));
  const auto processor = named(kProcessors, value.substr(0, colon));
  if (!stage || !processor) return false;
  if (seen[*stage]) throw usage_error("plan: stage {} is named twice", to_string(*stage));
  seen[*stage] = true;
  plan.processors[*stage] = *processor;
  if (colon == std::string_view::npos) return true;
  return *stage == Stage::loop_filter && read_filter_suffix(value.substr(colon + 1), plan);
}

}  // namespace

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::prediction:
      return "prediction";
    case Stage::residual:
      return "residual";
    case Stage::intra:
      return "intra";
    case Stage::loop_filter:
      return "loop_filter";
  }
  return "unknown";
}

const char* to_string(Processor processor) {
  constexpr std::array kNames{"scalar", "neon", "qpu", "divided"};
  return kNames.at(static_cast<std::size_t>(processor));
}

const char* to_string(FilterOrder order) {
  return order == FilterOrder::levels ? "levels" : "waves";
}

bool Plan::uses_qpu() const {
  return reconstructs_on_qpu() || on_qpu(Stage::loop_filter);
}

bool Plan::reconstructs_on_qpu() const {
  return std::ranges::any_of(kStagesBeforeFilter, [this](Stage stage) { return on_qpu(stage); });
}

void Plan::check() const {
  if (is_divided(Stage::intra)) {
    throw usage_error("plan: intra cannot be divided, because each row waits for the row above");
  }
  const bool by_levels = filter_order == FilterOrder::levels;
  if ((!by_levels && !on_qpu(Stage::loop_filter)) ||
      (least_edges > 0 && (!by_levels || !is_divided(Stage::loop_filter)))) {
    throw usage_error(
        "plan: filter order 'waves' needs loop_filter on the QPU, and a number of edges needs one "
        "that is divided by levels");
  }
  if (!reconstructs_on_qpu()) return;
  if (is_divided(Stage::loop_filter)) {
    throw usage_error(
        "plan: loop_filter cannot be divided if the QPU runs other stages, because it is the last "
        "part of their submission");
  }
  if (!by_levels) {
    throw usage_error("plan: filter order 'waves' needs loop_filter to be the QPU's only stage");
  }
}

Plan Plan::parse(std::string_view text) {
  Plan plan;
  if (const auto all = named(kProcessors, text)) {
    if (*all == Processor::divided) return kDividedBackEnd;
    plan.processors = PerStage<Processor>::all(*all);
    return plan;
  }
  PerStage<bool> seen{};
  // A comma at the end of the text must also be followed by a STAGE=PROCESSOR part.
  for (std::string_view rest = text, part;; rest.remove_prefix(part.size() + 1)) {
    part = rest.substr(0, rest.find(','));
    if (!read_part(part, seen, plan)) {
      throw usage_error(
          "plan: '{}' is neither a processor (scalar, neon, qpu, divided) nor STAGE=PROCESSOR, for "
          "example prediction=divided,residual=neon,intra=qpu,loop_filter=qpu; the loop filter "
          "also "
          "takes loop_filter=qpu:waves or loop_filter=divided:200",
          part);
    }
    if (part.size() == rest.size()) break;
  }
  plan.check();
  return plan;
}

std::string to_text(const Plan& plan) {
  const Processor first = plan.processors.prediction;
  const auto alike = PerStage<Processor>::all(first);
  if (plan.filter_order == FilterOrder::levels && plan.processors == alike) return to_string(first);
  if (plan == kDividedBackEnd) return to_string(Processor::divided);
  std::string text;
  for (const Stage stage : kStages) {
    if (plan.of(stage) == Processor::neon) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", to_string(stage),
                        to_string(plan.of(stage)));
  }
  if (plan.filter_order == FilterOrder::waves) return text + ":waves";
  return plan.least_edges > 0 ? fmt::format("{}:{}", text, plan.least_edges) : text;
}

Plan make_single_stage_plan(Stage stage, Processor processor) {
  Plan plan;
  plan.processors[stage] = processor;
  return plan;
}

Plan without_qpu(Plan plan) {
  Plan on_cpu;
  for (const Stage stage : kStages) {
    if (plan.of(stage) == Processor::scalar) on_cpu.processors[stage] = Processor::scalar;
  }
  return on_cpu;
}

DspTables tables_of(const Plan& plan, const DspTables& neon) {
  DspTables tables = neon;
  tables.name = "of a plan";
  const DspTables& scalar = scalar_dsp();
  take_scalar_kernels(plan, scalar.bits_8, tables.bits_8);
  take_scalar_kernels(plan, scalar.bits_10, tables.bits_10);
  take_scalar_kernels(plan, scalar.bits_12, tables.bits_12);
  return tables;
}

}  // namespace sidecore::vp9
