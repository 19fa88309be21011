#include "qpu/vp9/picture_reconstruction.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "qpu/buffer.h"

namespace sidecore::qpu {

/// A buffer of several pictures of one size: references that share one share dispatches
/// (InterPrediction).
struct PictureReconstruction::Block {
  std::shared_ptr<Buffer> buffer;
  std::size_t picture_bytes = 0;
  std::vector<std::weak_ptr<void>> users;  ///< a picture each; gone when the picture is

  [[nodiscard]] auto free_place() {
    return std::ranges::find_if(users, [](const auto& user) { return user.expired(); });
  }
  [[nodiscard]] bool is_unused() const {
    return std::ranges::all_of(users, [](const auto& user) { return user.expired(); });
  }
};

/// A picture's part of a buffer, and the filter of whatever frame is in it.
struct PictureReconstruction::Memory {
  std::shared_ptr<Buffer> buffer;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::weak_ptr<void> user;  // gone when the picture is
  PicturePlanes planes;
  std::unique_ptr<LoopFilter> filter;
  /// Whether the device has what the host has, where memory is staged.
  bool on_device = false;
  /// Whether the host has what the device has, likewise.
  bool on_host = true;
  /// Bytes from a row of superblocks to the next, by plane.
  std::array<std::size_t, 3> row_bytes{};

  [[nodiscard]] bool holds(const vp9::FrameBuffer& frame) const {
    return buffer->bytes().data() + offset == frame.memory.bytes().data();
  }
  [[nodiscard]] BufferRange whole() const { return {buffer.get(), offset, bytes}; }
  /// Calls visit(range) for the planes' parts from a row of superblocks on.
  template <class Visit>
  void for_each_range(int first_row, const Visit& visit) const {
    if (first_row == 0) return visit(whole());
    for (std::size_t index = 0; index < planes.planes.size(); ++index) {
      const PicturePlanes::Plane& plane = planes.planes[index];
      const std::size_t before = static_cast<std::size_t>(first_row) * row_bytes[index];
      const std::size_t all = plane.stride * plane.rows;
      if (before < all) visit(BufferRange{buffer.get(), plane.offset + before, all - before});
    }
  }
};

PictureReconstruction::PictureReconstruction(Device& device, const ReconstructionPlan& plan)
    : device_(device), plan_(plan), alone_{}, cpu_filter_(vp9::make_cpu_loop_filter()) {
  // What reconstruct() submits at once where a frame has all of it; an intra frame has no part of a
  // division, so that there its residual goes with its intra blocks whoever divides it.
  const bool first =
      plan.prediction && plan.residual && plan.divide_prediction == plan.divide_residual;
  const bool second = plan.residual && plan.intra;
  const bool third = plan.intra && plan.loop_filter;
  alone_ = {.prediction = !first,
            .residual = !first && !second,
            .intra = !second && !third,
            .loop_filter = !third};
}
PictureReconstruction::~PictureReconstruction() = default;

video::Picture PictureReconstruction::allocate(const video::PictureFormat& format) {
  const std::lock_guard lock(mutex_);
  settle();
  if (list_ != nullptr && recorded_->user.expired()) drop_list();
  std::erase_if(memories_, [](const auto& memory) { return memory->user.expired(); });
  std::erase_if(blocks_, [](const Block& block) { return block.is_unused(); });
  auto memory = std::make_unique<Memory>();
  memory->bytes = video::PictureLayout(format).bytes;
  Block& block = block_for(memory->bytes);
  const auto place = block.free_place();
  memory->buffer = block.buffer;
  if (block.buffer->staged()) staged_ = true;
  memory->offset = static_cast<std::size_t>(place - block.users.begin()) * block.picture_bytes;
  memory->planes = PicturePlanes::of(format);
  for (PicturePlanes::Plane& plane : memory->planes.planes) plane.offset += memory->offset;
  const auto superblock_rows = static_cast<std::size_t>(format.height / vp9::kSuperblock);
  for (std::size_t index = 0; index < memory->row_bytes.size(); ++index) {
    const PicturePlanes::Plane& plane = memory->planes.planes[index];
    memory->row_bytes[index] =
        plane.stride * (plane.rows / std::max<std::size_t>(superblock_rows, 1));
  }
  memory->filter =
      std::make_unique<LoopFilter>(device_, memory->buffer, memory->planes, format.pixel.bits);
  const auto user = std::make_shared<std::shared_ptr<Buffer>>(memory->buffer);
  memory->user = user;
  *place = user;
  video::Picture picture(format, memory->buffer->bytes().subspan(memory->offset, memory->bytes),
                         user);
  memories_.push_back(std::move(memory));
  return picture;
}

PictureReconstruction::Block& PictureReconstruction::block_for(std::size_t bytes) {
  constexpr std::size_t kAlignment = video::PictureLayout::kPlaneAlignment;
  // Streams hold six to ten pictures; of large ones a buffer has fewer, and always one.
  constexpr std::size_t kMostPictures = 8;
  constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
  const std::size_t picture_bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (Block& block : blocks_) {
    if (block.picture_bytes == picture_bytes && block.free_place() != block.users.end())
      return block;
  }
  const std::size_t count = std::clamp<std::size_t>(kMostBytes / picture_bytes, 1, kMostPictures);
  Block block;
  block.buffer = device_.create_buffer(count * picture_bytes);
  block.picture_bytes = picture_bytes;
  block.users.resize(count);
  return blocks_.emplace_back(std::move(block));
}

PictureReconstruction::Memory& PictureReconstruction::memory_of(const vp9::FrameBuffer& frame) {
  const auto found =
      std::ranges::find_if(memories_, [&](const auto& memory) { return memory->holds(frame); });
  if (found == memories_.end()) throw usage_error("a frame is not in the device's memory");
  return **found;
}

vp9::ResidualMemory PictureReconstruction::residual_memory(std::size_t coefficient_bytes,
                                                           std::size_t transforms) {
  const bool on_cpu = !plan_.residual || plan_.divide_residual || !plan_.intra;
  if (on_cpu || !ParsedResidual::fits(device_.limits(), coefficient_bytes, transforms)) return {};
  const auto memory_of = [](const std::shared_ptr<ParsedResidual>& residual) {
    return vp9::ResidualMemory{residual->coefficients->bytes(),
                               residual->blocks->as<vp9::TransformBlock>(), residual};
  };
  {
    const std::lock_guard lock(residuals_mutex_);
    const auto is_free = [](const auto& residual) { return residual.use_count() == 1; };
    std::erase_if(residuals_, [&](const auto& residual) {
      return is_free(residual) && !residual->has_room(coefficient_bytes, transforms);
    });
    const auto found = std::ranges::find_if(residuals_, is_free);
    if (found != residuals_.end()) return memory_of(*found);
  }
  std::shared_ptr<ParsedResidual> made;
  {
    const std::lock_guard lock(mutex_);
    made = std::make_shared<ParsedResidual>(
        ParsedResidual::create(device_, coefficient_bytes, transforms));
  }
  const std::lock_guard lock(residuals_mutex_);
  return memory_of(residuals_.emplace_back(std::move(made)));
}

std::shared_ptr<const ParsedResidual> PictureReconstruction::residual_of(
    const vp9::PictureData& picture) {
  const std::lock_guard lock(residuals_mutex_);
  const auto found = std::ranges::find(residuals_, picture.residual_memory().owner);
  return found != residuals_.end() ? *found : nullptr;
}

PicturePlace PictureReconstruction::place_of(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  const Memory& memory = memory_of(frame);
  return {.buffer = memory.buffer.get(),
          .offset = memory.offset,
          .is_current = memory.on_device || !memory.buffer->staged()};
}

CommandList& PictureReconstruction::list(Memory& memory, int first_row) {
  if (list_ == nullptr) {
    list_ = device_.create_command_list();
    recorded_ = &memory;
    if (!memory.on_device) {
      memory.for_each_range(first_row, [&](const BufferRange& range) { list_->upload(range); });
    }
  }
  return *list_;
}

void PictureReconstruction::drop_list() {
  list_.reset();
  recorded_dispatches_ = {};
  read_residual_.reset();
  uploaded_.clear();
}

void PictureReconstruction::settle() {
  if (in_flight_) in_flight_->wait();
  in_flight_.reset();
}

void PictureReconstruction::listed(vp9::Stage stage, bool alone, vp9::StageClock& clock) {
  sole_ = alone ? std::optional(stage) : std::nullopt;
  const vp9::Stage row = sole_.value_or(vp9::Stage::submission);
  clock.lap(row);
  const Nanoseconds made = device_.counters().pipeline_creation;
  clock.move(made - std::exchange(programs_made_, made), row, vp9::Stage::other);
}

void PictureReconstruction::submit(CommandList& list) {
  list.finish();
  const DeviceCounters& counters = device_.counters();
  const auto copied = [&] { return counters.uploaded_bytes + counters.downloaded_bytes; };
  const std::uint64_t before = copied();
  in_flight_ = device_.submit(list);
  statistics_.copied_bytes += copied() - before;
  ++statistics_.submissions;
  statistics_.dispatches += list.dispatch_count();
}

void PictureReconstruction::submit_recorded(vp9::StageClock& clock) {
  submit(*list_);
  statistics_.by_stage += recorded_dispatches_;
  clock.lap(sole_.value_or(vp9::Stage::submission));
}

void PictureReconstruction::await() {
  settle();
  ++statistics_.fence_waits;
}

void PictureReconstruction::await_list(vp9::StageClock& clock) {
  await();
  clock.lap(sole_.value_or(vp9::Stage::waiting));
  for (Memory* const reference : uploaded_) reference->on_device = true;
  drop_list();
}

void PictureReconstruction::run(Memory& memory, vp9::StageClock& clock, bool to_host) {
  if (list_ == nullptr) return;
  if (to_host) list_->download(memory.whole());
  submit_recorded(clock);
  await_list(clock);
  memory.on_device = true;
  memory.on_host = to_host;
}

void PictureReconstruction::reconstruct(const vp9::ParsedFrame& parsed,
                                        const vp9::StageContext& context) {
  const std::lock_guard lock(mutex_);
  settle();
  drop_list();  // of a frame that was given up
  dispatches_ = {};
  Memory& memory = memory_of(parsed.frame);
  memory.on_device = memory.on_host = true;  // whatever they have: nobody reads it
  // References that the CPU predicts from have to be there.
  wants_on_host_ = parsed.header.show_frame || !plan_.prediction || plan_.divide_prediction;
  if (const int bits = parsed.header.pixel.bits; bits != bits_) {
    bits_ = 0;
    inter_.emplace(device_, bits);
    transform_.emplace(device_, bits);
    intra_.emplace(device_, bits);
    bits_ = bits;
    context.clock.lap(vp9::Stage::other);
  }
  programs_made_ = device_.counters().pipeline_creation;
  vp9::ReconstructionParts on_cpu{false, false, false};  // at the next opportunity
  const auto use_cpu = [&] {
    if (on_cpu.prediction || on_cpu.residual || on_cpu.intra) {
      reconstruct_on_cpu(memory, parsed, on_cpu, context);
    }
    on_cpu = {false, false, false};
  };
  const int rows = parsed.picture.superblock_rows();
  const bool may_divide = !parsed.header.intra_frame();
  const bool divide_prediction = may_divide && plan_.prediction && plan_.divide_prediction;
  const bool divide_residual = may_divide && plan_.residual && plan_.divide_residual;
  const int first_row = rows - division_.rows_of_qpu(rows);  // of a divided stage's on the QPU
  if (plan_.prediction) {
    predict_inter(memory, parsed, divide_prediction ? first_row : 0, context.clock);
    if (divide_prediction && !divide_residual) {
      run_beside_cpu(memory, parsed, {true, false, false}, first_row, context);
    }
  } else {
    on_cpu.prediction = true;
  }
  if (plan_.residual) {
    use_cpu();
    if (divide_residual && !divide_prediction) run(memory, context.clock);
    add_residual(memory, parsed, divide_residual ? first_row : 0, context.clock);
    if (divide_residual) {
      run_beside_cpu(memory, parsed, {divide_prediction, true, false}, first_row, context);
    }
  } else {
    on_cpu.residual = true;
  }
  if (plan_.intra) {
    use_cpu();
    predict_intra(memory, parsed, context);
  } else {
    on_cpu.intra = true;
  }
  use_cpu();
}

void PictureReconstruction::predict_inter(Memory& memory, const vp9::ParsedFrame& parsed,
                                          int first_row, vp9::StageClock& clock) {
  if (parsed.header.intra_frame()) return;
  InterReferences references;
  for (std::size_t index = 0; index < references.size(); ++index) {
    const vp9::FrameBuffer& reference = *parsed.references[index];
    Memory& of_reference = memory_of(reference);
    references[index] = {of_reference.buffer, of_reference.planes, reference.size};
    if (of_reference.on_device || std::ranges::find(uploaded_, &of_reference) != uploaded_.end()) {
      continue;
    }
    list(memory, first_row).upload(of_reference.whole());
    uploaded_.push_back(&of_reference);
  }
  inter_->set_blocks(parsed.header, parsed.picture,
                     {memory.buffer, memory.planes, parsed.frame.size}, references, first_row);
  dispatches_.prediction = inter_->dispatches();
  if (dispatches_.prediction > 0) inter_->record(list(memory, first_row));
  recorded_dispatches_.prediction = dispatches_.prediction;
  listed(vp9::Stage::prediction, alone_.prediction, clock);
}

void PictureReconstruction::reconstruct_on_cpu(Memory& memory, const vp9::ParsedFrame& parsed,
                                               const vp9::ReconstructionParts& parts,
                                               const vp9::StageContext& context) {
  run(memory, context.clock);
  memory.on_device = false;
  reconstruct_rows(parsed, parsed.picture.superblock_rows(), parts, context);
}

void PictureReconstruction::run_beside_cpu(Memory& memory, const vp9::ParsedFrame& parsed,
                                           const vp9::ReconstructionParts& parts, int first_row,
                                           const vp9::StageContext& context) {
  const bool beside = list_ != nullptr;  // else the QPU's rows have nothing
  if (beside) {
    memory.for_each_range(first_row, [&](const BufferRange& range) { list_->download(range); });
    submit_recorded(context.clock);
  }
  const Clock::time_point start = Clock::now();
  memory.on_device = false;
  reconstruct_rows(parsed, first_row, parts, context);
  const Nanoseconds on_cpu = Clock::now() - start;
  if (!beside) return;
  const bool waited = in_flight_->done();
  await_list(context.clock);
  const int rows = parsed.picture.superblock_rows();
  division_.took(rows, rows - first_row, on_cpu,
                 waited ? std::nullopt : std::optional<Nanoseconds>(Clock::now() - start));
  statistics_.divided_rows += static_cast<std::uint64_t>(rows);
  statistics_.divided_rows_on_gpu += static_cast<std::uint64_t>(rows - first_row);
}

void PictureReconstruction::reconstruct_rows(const vp9::ParsedFrame& parsed, int rows,
                                             const vp9::ReconstructionParts& parts,
                                             const vp9::StageContext& context) {
  const vp9::Reconstruction reconstruction(context.dsp, parsed.header, parsed.picture, parsed.frame,
                                           parsed.references);
  const auto reconstruct_row = [&](std::size_t row, vp9::StageClock& clock) {
    for (int column = 0; column < parsed.picture.superblock_columns(); ++column) {
      reconstruction.superblock(static_cast<int>(row), column, parts, clock);
    }
  };
  const auto count = static_cast<std::size_t>(rows);
  CallingThread alone;  // for intra blocks, which build on one another
  context.run(parts.intra ? alone : context.team, count, reconstruct_row);
}

// That of intra blocks is left for who predicts them, and is the CPU's where it does.
void PictureReconstruction::add_residual(Memory& memory, const vp9::ParsedFrame& parsed,
                                         int first_row, vp9::StageClock& clock) {
  if (auto residual = residual_of(parsed.picture)) {
    transform_->set_blocks(parsed.picture, *residual);
    read_residual_ = std::move(residual);
  } else {
    const int all_rows = parsed.picture.superblock_rows();
    transform_->set_blocks(parsed.picture,
                           {.inter = first_row, .intra = plan_.intra ? 0 : all_rows});
  }
  statistics_.packed_bytes += transform_->packed_bytes();
  dispatches_.residual = transform_->dispatches();
  if (dispatches_.residual > 0) {
    transform_->record(list(memory, first_row), *memory.buffer, memory.planes);
  }
  recorded_dispatches_.residual = dispatches_.residual;
  listed(vp9::Stage::residual, alone_.residual, clock);
}

void PictureReconstruction::predict_intra(Memory& memory, const vp9::ParsedFrame& parsed,
                                          const vp9::StageContext& context) {
  intra_schedule_.schedule(parsed.header, parsed.picture);
  if (intra_schedule_.blocks().empty()) {
    return context.clock.lap(alone_.intra ? vp9::Stage::intra : vp9::Stage::submission);
  }
  intra_->set_blocks(intra_schedule_, memory.planes);
  dispatches_.intra = recorded_dispatches_.intra = intra_->dispatches();
  CommandList& commands = list(memory);
  if (!plan_.residual) {
    listed(vp9::Stage::intra, alone_.intra, context.clock);
    std::visit([&](const auto* dsp) { make_residual(*dsp, parsed.picture); }, context.dsp);
    context.clock.lap(vp9::Stage::residual);
    commands.upload({.buffer = residual_.get()});
  }
  intra_->record(commands, {.buffer = memory.buffer.get()},
                 {.buffer = plan_.residual ? transform_->residuals().get() : residual_.get()});
  listed(vp9::Stage::intra, alone_.intra, context.clock);
}

// The table's transforms add to samples and clamp. On top of the least and of the greatest sample
// they show all of a residual that can matter: from the least to the greatest difference of
// samples.
template <class Sample>
void PictureReconstruction::make_residual(const vp9::Dsp<Sample>& dsp,
                                          const vp9::PictureData& picture) {
  using Coefficient = typename vp9::Dsp<Sample>::Coefficient;
  constexpr std::size_t kMostSamples = 32 * 32;
  std::size_t end = kMostSamples;
  for (const auto& [block, step] : intra_schedule_.blocks()) {
    if (block.transform == nullptr) continue;
    end = std::max<std::size_t>(
        end, block.transform->first_coefficient + (std::size_t{16} << (2 * block.size)));
  }
  device_.reserve(residual_, end * sizeof(Coefficient));
  const auto most = static_cast<Sample>((1 << dsp.bits) - 1);
  alignas(64) std::array<Sample, kMostSamples> above;
  alignas(64) std::array<Sample, kMostSamples> below;
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
  programs_made_ = device_.counters().pipeline_creation;  // some by allocate() meanwhile
  Memory& memory = memory_of(frame);
  if (plan_.loop_filter && !edges.all().empty()) {
    const vp9::EdgeSteps& schedule = filter_schedule_.schedule(edges.all());
    statistics_.steps += schedule.count();
    statistics_.edges_on_gpu += edges.all().size();
    memory.filter->set_edges(schedule, schedule.count(), sharpness);
    filtered_ = LoopFilter::dispatch_sizes(schedule, schedule.count());
    large_levels_ = schedule.leading_steps_of(LoopFilter::kLeastEdgesOfADispatch);
    memory.filter->record(list(memory));
    dispatches_.loop_filter = recorded_dispatches_.loop_filter = memory.filter->dispatches();
    listed(vp9::Stage::filter, alone_.loop_filter, context.clock);
  }
  const bool cpu_filters = !plan_.loop_filter && !edges.all().empty();
  run(memory, context.clock, wants_on_host_ || cpu_filters);
  if (!cpu_filters) return;
  cpu_filter_->filter(frame, edges, sharpness, context);
  memory.on_device = false;
}

void PictureReconstruction::finish(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  if (list_ == nullptr || !recorded_->holds(frame)) return;
  vp9::StageClock off(false);  // the caller's is
  run(memory_of(frame), off);
}

void PictureReconstruction::leave(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  settle();
  if (list_ != nullptr && recorded_->holds(frame)) drop_list();
  for (const auto& memory : memories_) {
    if (!memory->holds(frame)) continue;
    memory->on_device = false;
    memory->on_host = true;
  }
}

void PictureReconstruction::fetch(const vp9::FrameBuffer& frame) {
  if (!staged_) return;  // not even for the lock, which a later frame may hold for long
  const std::lock_guard lock(mutex_);
  settle();
  const auto found =
      std::ranges::find_if(memories_, [&](const auto& memory) { return memory->holds(frame); });
  if (found == memories_.end() || (*found)->on_host) return;
  const std::unique_ptr<CommandList> list = device_.create_command_list();
  list->download((*found)->whole());
  submit(*list);
  await();
  (*found)->on_host = true;
}

vp9::FilterStatistics PictureReconstruction::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

vp9::StageDispatches PictureReconstruction::dispatches() const {
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

vp9::FramePool::Allocator frame_allocator(std::shared_ptr<PictureReconstruction> stage) {
  return [kept = std::move(stage)](const video::PictureFormat& format) {
    return kept->allocate(format);
  };
}

}  // namespace sidecore::qpu
