#include "qpu/vp9/decode_plan.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <span>

#include "base/error.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "qpu/vp9/picture_reconstruction.h"

namespace sidecore::qpu {
namespace {

constexpr std::array kProcessors{Processor::scalar, Processor::neon, Processor::qpu,
                                 Processor::divided};

template <class Value, std::size_t count>
std::optional<Value> named(const std::array<Value, count>& values, std::string_view name) {
  const auto found =
      std::ranges::find_if(values, [&](Value value) { return to_string(value) == name; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

template <class Sample>
void take_scalar_kernels(const DecodePlan& plan, const vp9::Dsp<Sample>& scalar,
                         vp9::Dsp<Sample>& dsp) {
  const auto is_scalar = [&](PlannedStage stage) { return plan.of(stage) == Processor::scalar; };
  if (is_scalar(PlannedStage::prediction)) dsp.inter = scalar.inter;
  if (is_scalar(PlannedStage::residual)) dsp.inverse_transforms = scalar.inverse_transforms;
  if (is_scalar(PlannedStage::intra)) dsp.intra = scalar.intra;
  if (is_scalar(PlannedStage::loop_filter)) dsp.loop_filters = scalar.loop_filters;
}

/// Whether nothing before the loop filter is the QPU's.
bool filters_only(const DecodePlan& plan) {
  const auto before_filter = std::span(kPlannedStages).first(kPlannedStages.size() - 1);
  return std::ranges::none_of(before_filter,
                              [&](PlannedStage stage) { return plan.on_qpu(stage); });
}

/// The stages that are the QPU's, or in part.
ReconstructionPlan qpu_part_of(const DecodePlan& plan) {
  return {.prediction = plan.on_qpu(PlannedStage::prediction),
          .residual = plan.on_qpu(PlannedStage::residual),
          .intra = plan.on_qpu(PlannedStage::intra),
          .loop_filter = plan.on_qpu(PlannedStage::loop_filter),
          .divide_prediction = plan.is_divided(PlannedStage::prediction),
          .divide_residual = plan.is_divided(PlannedStage::residual)};
}

}  // namespace

const char* to_string(Processor processor) {
  switch (processor) {
    case Processor::scalar:
      return "scalar";
    case Processor::neon:
      return "neon";
    case Processor::divided:
      return "divided";
    default:
      return "qpu";
  }
}

const char* to_string(PlannedStage stage) {
  switch (stage) {
    case PlannedStage::prediction:
      return "prediction";
    case PlannedStage::residual:
      return "residual";
    case PlannedStage::intra:
      return "intra";
    default:
      return "loop_filter";
  }
}

bool DecodePlan::uses_qpu() const {
  return std::ranges::any_of(kPlannedStages, [this](PlannedStage stage) { return on_qpu(stage); });
}

DecodePlan without_qpu(DecodePlan plan) {
  for (Processor& processor : plan.processors) {
    if (processor != Processor::scalar) processor = Processor::neon;
  }
  return plan;
}

bool is_failed_device(const DecodePlan& plan, const Error& error) {
  return plan.uses_qpu() && error.kind() == ErrorKind::environment && !error.out_of_memory();
}

void check_plan(const DecodePlan& plan) {
  if (plan.is_divided(PlannedStage::intra)) {
    throw usage_error("plan: intra cannot be divided: each row waits for the one above");
  }
  if (plan.is_divided(PlannedStage::loop_filter) && !filters_only(plan)) {
    throw usage_error(
        "plan: loop_filter cannot be divided where the QPU has other stages: it ends their "
        "submission");
  }
}

DecodePlan parse_decode_plan(std::string_view text) {
  DecodePlan plan;
  if (const auto all = named(kProcessors, text)) {
    if (*all == Processor::divided) return kDividedBackEnd;
    plan.processors.fill(*all);
    return plan;
  }
  std::array<bool, kPlannedStages.size()> seen{};
  // Also after a comma that ends the text there must be a part.
  for (std::string_view rest = text, part;; rest.remove_prefix(part.size() + 1)) {
    part = rest.substr(0, rest.find(','));
    const std::size_t equals = part.find('=');
    const auto stage = named(kPlannedStages, part.substr(0, equals));
    const auto processor = equals == std::string_view::npos
                               ? std::nullopt
                               : named(kProcessors, part.substr(equals + 1));
    if (!stage || !processor) {
      throw usage_error(
          "plan: '{}' is neither scalar, neon, qpu or divided, nor one of these for a stage, as in "
          "prediction=divided,residual=neon,intra=qpu,loop_filter=qpu",
          part);
    }
    const auto index = static_cast<std::size_t>(*stage);
    if (seen[index]) throw usage_error("plan: {} is named twice", to_string(*stage));
    seen[index] = true;
    plan.processors[index] = *processor;
    if (part.size() == rest.size()) break;
  }
  check_plan(plan);
  return plan;
}

std::shared_ptr<DevicePictures> reconstruct_on(Device& device, const DecodePlan& plan,
                                               vp9::DecoderOptions& decoder) {
  check_plan(plan);
  assert(plan.uses_qpu());
  if (filters_only(plan)) {
    LoopFilterDivision division;
    if (plan.is_divided(PlannedStage::loop_filter)) {
      division.chroma_on_cpu = true;
      division.least_edges_of_a_step = LoopFilter::kLeastEdgesOfADispatch;
    }
    auto filter = std::make_shared<LoopFilterStage>(device, division);
    decoder.loop_filter = filter;
    decoder.allocator = frame_allocator(filter);
    return filter;
  }
  auto stage = std::make_shared<PictureReconstruction>(device, qpu_part_of(plan));
  decoder.reconstruction = stage;
  decoder.loop_filter = stage;
  decoder.allocator = frame_allocator(stage);
  return stage;
}

vp9::DspTables tables_of(const DecodePlan& plan, const vp9::DspTables& neon) {
  vp9::DspTables tables = neon;
  tables.name = "of a plan";
  const vp9::DspTables& scalar = vp9::scalar_dsp();
  take_scalar_kernels(plan, scalar.bits_8, tables.bits_8);
  take_scalar_kernels(plan, scalar.bits_10, tables.bits_10);
  take_scalar_kernels(plan, scalar.bits_12, tables.bits_12);
  return tables;
}

}  // namespace sidecore::qpu
