#include "qpu/vp9/picture_reconstruction.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "qpu/buffer.h"

namespace sidecore::qpu {

PictureReconstruction::PictureReconstruction(Device& device, const vp9::Plan& plan)
    : device_(device),
      plan_(plan),
      inter_segments_(make_segments(plan, false)),
      intra_segments_(make_segments(plan, true)),
      alone_(find_stages_alone(plan)),
      frames_(device, false),
      submission_(device, statistics_),
      cpu_filter_(vp9::make_cpu_loop_filter()) {
  assert(plan.reconstructs_on_qpu());
}
PictureReconstruction::~PictureReconstruction() = default;

video::Picture PictureReconstruction::allocate(const video::PictureFormat& format) {
  const std::lock_guard lock(mutex_);
  submission_.wait_for_submission();
  if (submission_.is_stale()) submission_.drop();
  return frames_.allocate(format);
}

vp9::ResidualMemory PictureReconstruction::residual_memory(std::size_t coefficient_bytes,
                                                           std::size_t transforms) {
  const bool on_cpu =
      plan_.of(vp9::Stage::residual) != vp9::Processor::qpu || !plan_.on_qpu(vp9::Stage::intra);
  if (on_cpu || !ParsedResidual::fits(device_.limits(), coefficient_bytes, transforms)) return {};
  const auto memory_of = [](const std::shared_ptr<ParsedResidual>& residual) {
    return vp9::ResidualMemory{residual->coefficients->bytes(),
                               residual->blocks->as<vp9::TransformBlock>(), residual};
  };
  {
    const std::lock_guard lock(residuals_mutex_);
    residuals_.drop_free([&](const ParsedResidual& residual) {
      return !residual.has_room(coefficient_bytes, transforms);
    });
    const auto free = residuals_.find_free([](const ParsedResidual& /*any*/) { return true; });
    if (free != nullptr) return memory_of(free);
  }
  std::shared_ptr<ParsedResidual> made;
  {
    const std::lock_guard lock(mutex_);
    made = std::make_shared<ParsedResidual>(
        ParsedResidual::create(device_, coefficient_bytes, transforms));
  }
  const std::lock_guard lock(residuals_mutex_);
  return memory_of(residuals_.add(std::move(made)));
}

std::shared_ptr<const ParsedResidual> PictureReconstruction::residual_of(
    const vp9::PictureData& picture) {
  const std::lock_guard lock(residuals_mutex_);
  const auto found = std::ranges::find(residuals_.objects(), picture.residual_memory().owner);
  return found != residuals_.objects().end() ? *found : nullptr;
}

DevicePictureLocation PictureReconstruction::location_of(const vp9::FrameBuffer& frame) {
  return frames_.location_of(frame);
}

void PictureReconstruction::reconstruct(const vp9::ParsedFrame& parsed,
                                        const vp9::StageContext& context) {
  const std::lock_guard lock(mutex_);
  submission_.wait_for_submission();
  submission_.drop();  // discards an abandoned frame's commands
  dispatches_ = {};
  DeviceFrame& memory = frames_.of(parsed.frame);
  // Residency is `both` because the frame's old samples are never read.
  memory.residency = Residency::both;
  // The host needs the samples of this frame if the CPU may predict from it.
  wants_on_host_ =
      parsed.header.show_frame || plan_.of(vp9::Stage::prediction) != vp9::Processor::qpu;
  if (const int bits = parsed.header.pixel.bits; bits != bits_) {
    bits_ = 0;
    inter_.emplace(device_, bits);
    transform_.emplace(device_, bits);
    intra_.emplace(device_, bits);
    bits_ = bits;
    context.clock.lap(vp9::ClockRow::other);
  }
  submission_.begin_timing();
  const int rows = parsed.picture.superblock_rows();
  // First superblock row of a divided stage that the QPU processes.
  const int first_row = rows - division_.count_qpu_rows(rows);
  const bool intra_frame = parsed.header.intra_frame();
  for (const PlanSegment& segment : intra_frame ? intra_segments_ : inter_segments_) {
    switch (segment.side) {
      case PlanSegment::Side::qpu:
        record(segment, memory, parsed, 0, context);
        break;
      case PlanSegment::Side::both:
        submission_.run(memory, context.clock);
        record(segment, memory, parsed, first_row, context);
        run_beside_cpu(memory, parsed, segment.stages, first_row, context);
        break;
      case PlanSegment::Side::cpu:
        // This segment has only the loop filter, which filter() runs.
        if (!segment.stages.prediction && !segment.stages.residual && !segment.stages.intra) break;
        submission_.run(memory, context.clock);
        memory.residency = Residency::host;
        reconstruct_rows(parsed, rows, segment.stages, context);
        break;
    }
  }
}

void PictureReconstruction::record(const PlanSegment& segment, DeviceFrame& memory,
                                   const vp9::ParsedFrame& parsed, int first_row,
                                   const vp9::StageContext& context) {
  if (segment.stages.prediction) predict_inter(memory, parsed, first_row, context.clock);
  if (segment.stages.residual) add_residual(memory, parsed, first_row, context.clock);
  if (segment.stages.intra) predict_intra(memory, parsed, context);
}

void PictureReconstruction::predict_inter(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                                          int first_row, vp9::StageClock& clock) {
  if (parsed.header.intra_frame()) return;
  InterReferences references;
  for (std::size_t index = 0; index < references.size(); ++index) {
    const vp9::FrameBuffer& reference = *parsed.references[index];
    DeviceFrame& of_reference = frames_.of(reference);
    references[index] = {of_reference.buffer, of_reference.planes, reference.size};
    submission_.upload_reference(memory, of_reference, first_row);
  }
  inter_->set_blocks(parsed.header, parsed.picture,
                     {memory.buffer, memory.planes, parsed.frame.size}, references, first_row);
  dispatches_.prediction = inter_->dispatches();
  if (dispatches_.prediction > 0) inter_->record(submission_.list(memory, first_row));
  submission_.recorded(vp9::Stage::prediction, dispatches_.prediction, alone_.prediction, clock);
}

void PictureReconstruction::run_beside_cpu(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                                           const vp9::PerStage<bool>& stages, int first_row,
                                           const vp9::StageContext& context) {
  // True if the QPU has work in its rows at the same time.
  const bool beside = !submission_.empty();
  if (beside) {
    CommandList& list = submission_.list(memory);
    memory.for_each_range(first_row, [&](const BufferRange& range) { list.download(range); });
    submission_.submit(context.clock);
  }
  const Clock::time_point start = Clock::now();
  memory.residency = Residency::host;
  reconstruct_rows(parsed, first_row, stages, context);
  const Nanoseconds on_cpu = Clock::now() - start;
  if (!beside) return;
  const bool qpu_ended_first = submission_.done();
  submission_.await(context.clock);
  const int rows = parsed.picture.superblock_rows();
  division_.record_times(
      rows, rows - first_row, on_cpu,
      qpu_ended_first ? std::nullopt : std::optional<Nanoseconds>(Clock::now() - start));
  statistics_.divided_rows += static_cast<std::uint64_t>(rows);
  statistics_.divided_rows_on_gpu += static_cast<std::uint64_t>(rows - first_row);
}

void PictureReconstruction::reconstruct_rows(const vp9::ParsedFrame& parsed, int rows,
                                             const vp9::PerStage<bool>& stages,
                                             const vp9::StageContext& context) {
  const vp9::Reconstruction reconstruction(context.dsp, parsed.header, parsed.picture, parsed.frame,
                                           parsed.references);
  const auto reconstruct_row = [&](std::size_t row, vp9::StageClock& clock) {
    for (int column = 0; column < parsed.picture.superblock_columns(); ++column) {
      reconstruction.superblock(static_cast<int>(row), column, stages, clock);
    }
  };
  const auto count = static_cast<std::size_t>(rows);
  CallingThread alone;  // one thread only, because intra blocks depend on each other
  context.run(stages.intra ? alone : context.team, count, reconstruct_row);
}

// Adds the residual of inter blocks. If the QPU predicts intra blocks, their residual is only
// stored; otherwise the CPU computes it.
void PictureReconstruction::add_residual(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                                         int first_row, vp9::StageClock& clock) {
  if (auto residual = residual_of(parsed.picture)) {
    transform_->set_blocks(parsed.picture, *residual);
    submission_.keep(std::move(residual));
  } else {
    const int all_rows = parsed.picture.superblock_rows();
    transform_->set_blocks(
        parsed.picture,
        {.inter = first_row, .intra = plan_.on_qpu(vp9::Stage::intra) ? 0 : all_rows});
  }
  statistics_.packed_bytes += transform_->packed_bytes();
  dispatches_.residual = transform_->dispatches();
  if (dispatches_.residual > 0) {
    transform_->record(submission_.list(memory, first_row), *memory.buffer, memory.planes);
  }
  submission_.recorded(vp9::Stage::residual, dispatches_.residual, alone_.residual, clock);
}

void PictureReconstruction::predict_intra(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                                          const vp9::StageContext& context) {
  intra_schedule_.schedule(parsed.header, parsed.picture);
  if (intra_schedule_.blocks().empty()) {
    return context.clock.lap(alone_.intra ? vp9::ClockRow::intra : vp9::ClockRow::submission);
  }
  intra_->set_blocks(intra_schedule_, memory.planes);
  dispatches_.intra = intra_->dispatches();
  const auto recorded = [&] {
    submission_.recorded(vp9::Stage::intra, dispatches_.intra, alone_.intra, context.clock);
  };
  CommandList& commands = submission_.list(memory);
  if (!plan_.on_qpu(vp9::Stage::residual)) {
    recorded();
    std::visit([&](const auto* dsp) { make_residual(*dsp, parsed.picture); }, context.dsp);
    context.clock.lap(vp9::ClockRow::residual);
    commands.upload({.buffer = residual_.get()});
  }
  intra_->record(commands, {.buffer = memory.buffer.get()},
                 {.buffer = plan_.on_qpu(vp9::Stage::residual) ? transform_->residuals().get()
                                                               : residual_.get()});
  recorded();
}

// Computes the residual of intra blocks. The transforms of `dsp` add to samples and clamp the sum.
// Adding once to the smallest and once to the largest sample gives every residual value that can
// matter: from the smallest to the largest difference of two samples.
template <class Sample>
void PictureReconstruction::make_residual(const vp9::Dsp<Sample>& dsp,
                                          const vp9::PictureData& picture) {
  using Coefficient = typename vp9::Dsp<Sample>::Coefficient;
  constexpr std::size_t kMaxSamples = 32 * 32;
  std::size_t end = kMaxSamples;
  for (const auto& [block, step] : intra_schedule_.blocks()) {
    if (block.transform == nullptr) continue;
    end = std::max<std::size_t>(
        end, block.transform->first_coefficient + (std::size_t{16} << (2 * block.size)));
  }
  device_.reserve(residual_, end * sizeof(Coefficient));
  const auto most = static_cast<Sample>((1 << dsp.bits) - 1);
  alignas(64) std::array<Sample, kMaxSamples> above;
  alignas(64) std::array<Sample, kMaxSamples> below;
  for (const auto& [block, step] : intra_schedule_.blocks()) {
    if (block.transform == nullptr) continue;
    const vp9::TransformBlock& transform = *block.transform;
    const std::ptrdiff_t side = std::ptrdiff_t{4} << transform.size;
    const auto samples = static_cast<std::size_t>(side * side);
    const auto* const coefficients =
        picture.coefficients<Coefficient>() + transform.first_coefficient;
    std::fill_n(above.begin(), samples, Sample{0});
    std::fill_n(below.begin(), samples, most);
    const auto add = dsp.inverse_transform(transform.size, transform.type);
    add(transform, coefficients, above.data(), side);
    add(transform, coefficients, below.data(), side);
    const auto residual =
        residual_->as<Coefficient>().subspan(transform.first_coefficient, samples);
    for (std::size_t index = 0; index < samples; ++index) {
      residual[index] = static_cast<Coefficient>(above[index] + below[index] - most);
    }
  }
}

void PictureReconstruction::filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                                   int sharpness, const vp9::StageContext& context) {
  const std::lock_guard lock(mutex_);
  // The timing begins before any other call, because allocate() may have made programs since the
  // last frame.
  submission_.begin_timing();
  DeviceFrame& memory = frames_.of(frame);
  const bool qpu_filters = plan_.on_qpu(vp9::Stage::loop_filter);
  if (qpu_filters && !edges.all().empty()) {
    const vp9::EdgeLevels& schedule = filter_schedule_.schedule(edges.all());
    statistics_.steps += schedule.count();
    statistics_.edges_on_gpu += edges.all().size();
    memory.filter->set_edges(schedule, schedule.count(), sharpness);
    filtered_ = LoopFilter::dispatch_sizes(schedule, schedule.count());
    large_levels_ = schedule.count_large_levels(LoopFilter::kMinEdgesPerDispatch);
    memory.filter->record(submission_.list(memory));
    dispatches_.loop_filter = memory.filter->dispatches();
    submission_.recorded(vp9::Stage::loop_filter, dispatches_.loop_filter, alone_.loop_filter,
                         context.clock);
  }
  const bool cpu_filters = !qpu_filters && !edges.all().empty();
  submission_.run(memory, context.clock, wants_on_host_ || cpu_filters);
  if (!cpu_filters) return;
  cpu_filter_->filter(frame, edges, sharpness, context);
  memory.residency = Residency::host;
}

void PictureReconstruction::wait(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  if (!submission_.is_for(frame)) return;
  vp9::StageClock off(false);  // disabled, because the caller's clock times this wait
  submission_.run(frames_.of(frame), off);
}

void PictureReconstruction::leave(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  submission_.wait_for_submission();
  if (submission_.is_for(frame)) submission_.drop();
  if (DeviceFrame* const memory = frames_.find(frame)) memory->residency = Residency::host;
}

void PictureReconstruction::fetch(const vp9::FrameBuffer& frame) {
  // The function returns before it locks the mutex, because a later frame may hold the lock for
  // long.
  if (!frames_.staged()) return;
  const std::lock_guard lock(mutex_);
  submission_.wait_for_submission();
  DeviceFrame* const memory = frames_.find(frame);
  if (memory != nullptr && !memory->on_host()) submission_.fetch(*memory);
}

vp9::BackEndStatistics PictureReconstruction::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

vp9::PerStage<std::uint64_t> PictureReconstruction::dispatches() const {
  const std::lock_guard lock(mutex_);
  return dispatches_;
}

StageWork PictureReconstruction::work() const {
  const std::lock_guard lock(mutex_);
  StageWork work;
  if (dispatches_.prediction > 0) work.prediction = inter_->work();
  if (dispatches_.residual > 0) work.residual = transform_->work();
  if (dispatches_.intra > 0) work.intra = intra_->work();
  if (dispatches_.loop_filter == 0) return work;
  for (std::size_t dispatch = 0; dispatch < filtered_.size(); ++dispatch) {
    const bool large = dispatch < large_levels_;
    work.loop_filter.push_back({"edge", large ? "large levels" : "small levels, one workgroup",
                                static_cast<double>(filtered_[dispatch])});
  }
  return work;
}

}  // namespace sidecore::qpu
