#include "vp9/decoder.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "vp9/superframe.h"

namespace sidecore::vp9 {
namespace {

/// Returns the number of frames that a decoder works on at a time. Two of them are one that is
/// parsed and one that is reconstructed. A third can begin before the last rows of the second are
/// done, and a fourth gives several threads more rows to choose from. Because frames differ, those
/// that take long to parse should overlap with those that take long to reconstruct.
std::size_t choose_frames_in_flight(int threads) {
  return threads == 1 ? 1 : static_cast<std::size_t>(std::min(threads + 1, 4));
}

FramePool::Allocator allocator_of(const DecoderOptions& options) {
  if (!options.back_end) return options.allocator;
  return [kept = options.back_end](const video::PictureFormat& format) {
    return kept->allocate(format);
  };
}

ResidualAllocator residual_allocator_of(const DecoderOptions& options) {
  BackEnd* const back_end = options.back_end.get();
  if (back_end == nullptr || !back_end->reconstructs()) return {};
  return [back_end](std::size_t coefficient_bytes, std::size_t transforms) {
    return back_end->residual_memory(coefficient_bytes, transforms);
  };
}

}  // namespace

Decoder::Decoder(DecoderOptions options)
    : options_(std::move(options)),
      frame_pool_(allocator_of(options_)),
      clock_(options_.time_stages),
      parser_(options_.max_luma_samples, residual_allocator_of(options_)),
      own_pool_(options_.pool != nullptr
                    ? nullptr
                    : std::make_unique<ThreadPool>(static_cast<std::size_t>(options_.threads) - 1)),
      pool_(options_.pool != nullptr ? *options_.pool : *own_pool_) {
  if (options_.observer.watches() && !options_.back_end) {
    options_.back_end = make_cpu_loop_filter();
  }
  settings_ = {.back_end = options_.back_end.get(),
               .reconstructs = options_.back_end && options_.back_end->reconstructs(),
               .observer = &options_.observer,
               .parser = options_.threads == 1 && !options_.back_end ? &parser_ : nullptr,
               .times = options_.time_stages ? &times_ : nullptr};
  for (std::size_t count = choose_frames_in_flight(options_.threads); count > 0; --count) {
    in_flight_.push_back(std::make_unique<InFlight>());
  }
}

// Destroying the decoder's own pool drops the pieces that it has not begun. A shared pool must
// first finish them.
Decoder::~Decoder() {
  own_pool_.reset();
  if (options_.pool != nullptr) drop_all();
}

BackEndStatistics Decoder::back_end_statistics() const {
  return options_.back_end ? options_.back_end->statistics() : BackEndStatistics{};
}

LoopFilterEdges Decoder::edges() const {
  LoopFilterEdges edges;
  if (last_ != nullptr) edges.derive(last_->header(), last_->picture());
  return edges;
}

Error Decoder::at(std::uint64_t frame, const Error& error) const {
  const std::string stream = options_.stream.empty() ? "" : options_.stream + ": ";
  return error.reworded(fmt::format("{}frame {}: {}", stream, frame, error.what()));
}

template <class Step>
void Decoder::in_order(std::uint64_t frame, const Show& show, const Step& step) {
  try {
    return step();
  } catch (const Error& error) {
    const Error located = at(frame, error);
    show_all(show);
    throw located;
  } catch (const std::bad_alloc&) {
    show_all(show);
    throw at(frame, Error::of_memory("not enough memory"));
  }
}

void Decoder::decode(std::span<const std::uint8_t> packet, const Show& show, const PacketTag& tag) {
  start_clock();
  tag_ = tag;
  Superframe superframe;
  in_order(next_number_, show, [&] { superframe = split_superframe(packet); });
  for (std::size_t index = 0; index < superframe.count; ++index) {
    const bool is_last = index + 1 == superframe.count;
    take(superframe.frames[index], is_last || !options_.last_of_packet, show);
  }
  if (options_.low_delay || options_.threads == 1) show_all(show);
  update_stage_times();
}

std::shared_ptr<const FrameBuffer> Decoder::decode_frame(
    std::span<const std::uint8_t> frame, const video::PixelFormat& pixel,
    const std::array<std::shared_ptr<const FrameBuffer>, kReferenceSlots>& slots, const Show& show,
    const PacketTag& tag) {
  start_clock();
  tag_ = tag;
  parser_.assume(pixel);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) hold(slot, slots[slot]);
  take(frame, true, show);
  std::shared_ptr<const FrameBuffer> taken = in_flight_at(count_ - 1).task.frame();
  if (options_.low_delay || options_.threads == 1) show_all(show);
  update_stage_times();
  return taken;
}

std::shared_ptr<const FrameBuffer> Decoder::grey_frame(const FrameSize& size,
                                                       const video::PixelFormat& pixel) {
  const std::shared_ptr<FrameBuffer> frame = frame_pool_.acquire(size, pixel);
  if (settings_.back_end != nullptr)
    settings_.back_end->leave(*frame);  // ends work on the previous frame in this memory
  const auto fill = [&]<class Sample>(Sample grey) {
    for (int index = 0; index < pixel.planes(); ++index) {
      const video::PlaneView<Sample> plane = frame->memory.plane<Sample>(index);
      for (int y = 0; y < plane.height; ++y) std::fill_n(plane.row(y), plane.width, grey);
    }
  };
  const int grey = 1 << (pixel.bits - 1);
  if (pixel.bits > 8) {
    fill(static_cast<std::uint16_t>(grey));
  } else {
    fill(static_cast<std::uint8_t>(grey));
  }
  frame->render_size = size;
  frame->color = {};
  frame->key_frame = false;
  frame->final_rows.publish(FinalRows::kAll);
  return frame;
}

void Decoder::flush(const Show& show) {
  start_clock();
  show_all(show);
  update_stage_times();
}

void Decoder::reset() {
  drop_all();
  forget_slots(0xff);
}

void Decoder::show_all(const Show& show) {
  while (count_ > 0) retire(show);
}

void Decoder::take(std::span<const std::uint8_t> bytes, bool may_be_shown, const Show& show) {
  while (count_ == in_flight_.size()) retire(show);
  InFlight& next = in_flight_at(count_);
  next.number = next_number_;
  next.tag = tag_;
  in_order(next_number_, show, [&] {
    ++next_number_;
    const FrameHeader header = parser_.parse_header(bytes);
    next.repeated = header.show_existing_frame;
    next.shown = may_be_shown && (header.show_frame || next.repeated);
    if (next.repeated) {
      next.task.repeat(slots_[static_cast<std::size_t>(header.existing_slot)]);
    } else {
      take_coded(bytes, header, next.task);
    }
    ++count_;
  });
}

void Decoder::take_coded(std::span<const std::uint8_t> bytes, const FrameHeader& header,
                         FrameTask& task) {
  const bool by_rows = settings_.parser != nullptr;
  if (by_rows) {
    parser_.begin(header, bytes, task.picture());
  } else {
    parser_.parse(header, bytes, task.picture(), pool_);
  }
  clock_.lap(ClockRow::parsing);
  try {
    std::shared_ptr<FrameBuffer> frame = start(header, task);
    if (by_rows) task.finish(pool_);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if ((header.refresh_slots >> slot & 1) != 0) slots_[slot] = frame;
    }
  } catch (...) {
    // The parser treats a frame that it has parsed completely as decoded, so its slots must be
    // emptied.
    if (!parser_.parsing()) forget_slots(header.refresh_slots);
    static_cast<void>(task.release());
    throw;
  }
  clock_.restart();
}

std::shared_ptr<FrameBuffer> Decoder::start(const FrameHeader& header, FrameTask& task) {
  if (header.pixel.bits != dsp_bits_) {
    dsp_ = options_.dsp->of(header.pixel.bits);
    dsp_bits_ = header.pixel.bits;
  }
  std::shared_ptr<FrameBuffer> frame = frame_pool_.acquire(header.size, header.pixel);
  frame->render_size = header.render_size;
  frame->color = header.color;
  frame->key_frame = header.key_frame;
  statistics_.frame_allocations = frame_pool_.allocations();
  FrameTask::References references;
  if (!header.intra_frame()) {
    for (std::size_t index = 0; index < references.size(); ++index) {
      references[index] = slots_[header.reference_slots[index]];
    }
  }
  clock_.lap(ClockRow::other);
  // A back end processes one frame after another, so earlier frames must be finished first.
  for (std::size_t index = 0; settings_.back_end != nullptr && index < count_; ++index) {
    in_flight_at(index).task.wait(pool_);
  }
  task.start(settings_, header, dsp_, frame, std::move(references), pool_);
  return frame;
}

// Empties the given slots, in the decoder and in the parser.
void Decoder::forget_slots(std::uint8_t slots) {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if ((slots >> slot & 1) == 0) continue;
    slots_[slot] = nullptr;
    parser_.forget(slot);
  }
}

void Decoder::hold(std::size_t slot, const std::shared_ptr<const FrameBuffer>& frame) {
  if (slots_[slot] == frame) return;
  if (frame == nullptr) return forget_slots(static_cast<std::uint8_t>(1U << slot));
  // The cast is safe because the frame was created by this decoder's pool as non-const.
  slots_[slot] = std::const_pointer_cast<FrameBuffer>(frame);
  parser_.hold(slot, frame->size, frame->memory.format().pixel);
}

void Decoder::retire(const Show& show) {
  InFlight& first = in_flight_at(0);
  clock_.lap(ClockRow::other);
  try {
    first.task.finish(pool_);
    clock_.restart();  // the task measures its own time
    const FrameBuffer& frame = *first.task.frame();
    const bool wanted = first.shown || options_.show_hidden;
    if (settings_.reconstructs) {
      // A frame that is shown when decoded is complete on the host when filter() returns; hidden
      // and repeated frames may not be.
      const bool was_hidden = !first.shown || first.repeated;
      if (wanted && was_hidden) settings_.back_end->fetch(frame);
    } else if (wanted && settings_.back_end != nullptr) {
      settings_.back_end->wait(frame);
      clock_.lap(ClockRow::loop_filter);
    }
  } catch (const Error& error) {
    const Error located = at(first.number, error);
    drop_all();
    throw located;
  } catch (const std::bad_alloc&) {
    const std::uint64_t number = first.number;
    drop_all();
    throw at(number, Error::of_memory("not enough memory"));
  } catch (...) {
    drop_all();
    throw;
  }
  clock_.restart();
  const std::shared_ptr<FrameBuffer> frame = first.task.release();
  if (!first.repeated) {
    ++statistics_.frames;
    if (frame->key_frame) ++statistics_.key_frames;
    const EdgeCounts counts = first.task.edge_counts();
    for (std::size_t direction = 0; direction < counts.size(); ++direction) {
      for (std::size_t width = 0; width < counts[direction].size(); ++width) {
        statistics_.edges[direction][width] += counts[direction][width];
      }
    }
    last_ = &first.task;
  }
  first_ = (first_ + 1) % in_flight_.size();
  --count_;
  if (first.shown) ++statistics_.shown;
  shown_ = {.tag = first.tag, .hidden = !first.shown, .repeated = first.repeated};
  if (first.shown || options_.show_hidden) present(frame, show);
}

// Ends all frames in flight. Later frames must not predict from the failed frame or from frames
// that are never shown, so their slots are emptied.
void Decoder::drop_all() {
  for (; count_ > 0; --count_) {
    InFlight& dropped = in_flight_at(count_ - 1);
    try {
      dropped.task.finish(pool_);
    } catch (...) {  // only the first failure is reported
    }
    if (!dropped.repeated) {
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (slots_[slot] == dropped.task.frame())
          forget_slots(static_cast<std::uint8_t>(1U << slot));
      }
    }
    static_cast<void>(dropped.task.release());
  }
}

void Decoder::present(const std::shared_ptr<const FrameBuffer>& frame, const Show& show) {
  clock_.lap(ClockRow::other);
  const Clock::time_point begin = Clock::now();
  show(frame);
  begin_ += Clock::now() - begin;
  clock_.restart();
}

void Decoder::start_clock() {
  begin_ = Clock::now();
  clock_.restart();
}

// Divides the elapsed time between the stages in proportion to all threads' own times since the
// last call.
void Decoder::update_stage_times() {
  if (!clock_.on()) return;
  clock_.lap(ClockRow::other);
  times_.add(clock_.take());
  const StageTimes own = times_.take();
  const auto sum = std::accumulate(own.begin(), own.end(), Nanoseconds{});
  if (sum.count() == 0) return;
  const double share = seconds(Clock::now() - begin_) / seconds(sum);
  for (std::size_t stage = 0; stage < own.size(); ++stage) {
    const double part = static_cast<double>(own[stage].count()) * share;
    statistics_.stages[stage] += Nanoseconds(static_cast<Nanoseconds::rep>(part));
  }
}

}  // namespace sidecore::vp9
