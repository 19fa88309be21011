#include "va/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "base/error.h"
#include "neon/vp9/dsp.h"

namespace sidecore::va {
namespace {

std::string to_text(const qpu::DecodePlan& plan) {
  std::string text;
  for (const qpu::PlannedStage stage : qpu::kPlannedStages) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", to_string(stage),
                        to_string(plan.of(stage)));
  }
  return text;
}

}  // namespace

Stream::Stream(const Settings& settings, Report report)
    : settings_(settings),
      report_(std::move(report)),
      home_(std::make_shared<Home>()),
      tables_(qpu::tables_of(settings.plan, neon::vp9_dsp())) {
  open_decoder();
}

void Stream::open_decoder() {
  vp9::DecoderOptions options;
  options.threads = settings_.threads;
  options.show_hidden = true;
  options.max_luma_samples = settings_.max_pixels;
  options.dsp = &tables_;
  options.time_stages = settings_.stage_times;
  options.before_filter = settings_.before_filter;
  std::string device;
  if (settings_.plan.uses_qpu()) {
    qpu::DeviceOptions opened = qpu::DeviceOptions::from_environment();
    opened.selector = settings_.device;
    home_->device = qpu::Device::open(opened);
    qpu::reconstruct_on(*home_->device, settings_.plan, options);
    device = fmt::format(", the QPU's part on {}", home_->device->info().name);
  }
  decoder_ = std::make_unique<vp9::Decoder>(std::move(options));
  report_(fmt::format("plan {}, threads {}{}", to_text(settings_.plan), settings_.threads, device));
}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (decoded_ + concealed_ > 0) {
    tell([this] { return statistics(); });
  }
  decoder_.reset();
  home_->returned.close();
}

std::shared_ptr<Picture> Stream::submit(Submission submission) {
  const std::lock_guard submitting(submitting_);
  Job job;
  // A missing one may be used: by a stream that is entered at an intra-only frame.
  std::uint8_t missing = 0;
  for (std::size_t slot = 0; slot < submission.references.size(); ++slot) {
    const std::shared_ptr<Picture>& reference = submission.references[slot];
    if (reference != nullptr && reference->is_of(home_)) {
      job.references[slot] = reference;
      checker_.hold(slot, reference->size(), reference->pixel());
    } else {
      missing = static_cast<std::uint8_t>(missing | 1U << slot);
      checker_.hold(slot, submission.size, submission.pixel);
    }
  }
  const vp9::FrameHeader header = checker_.check(submission.data);
  if (!(header.size == submission.size)) {
    throw usage_error("a frame of {}x{} was announced as {}x{}", header.size.width,
                      header.size.height, submission.size.width, submission.size.height);
  }
  if (std::int64_t{header.size.width} * header.size.height > settings_.max_pixels) {
    throw usage_error("{}x{} is more than the {} samples that max_pixels allows", header.size.width,
                      header.size.height, settings_.max_pixels);
  }
  if (header.pixel != submission.pixel) {
    throw usage_error("its {} is not the profile's {}", to_string(header.pixel),
                      to_string(submission.pixel));
  }
  if (header.size.width > submission.most.width || header.size.height > submission.most.height) {
    throw usage_error("a frame of {}x{} has no room in a surface of {}x{}", header.size.width,
                      header.size.height, submission.most.width, submission.most.height);
  }
  if (!header.intra_frame()) {
    job.last = job.references[header.reference_slots[0]];
    std::size_t absent = 0;
    for (const std::uint8_t slot : header.reference_slots) {
      if ((missing >> slot & 1) == 0) continue;
      ++absent;
      job.grey_slots = static_cast<std::uint8_t>(job.grey_slots | 1U << slot);
    }
    if (absent == header.reference_slots.size()) throw usage_error("its references are missing");
  }
  job.data = std::move(submission.data);
  job.picture = std::make_shared<Picture>(home_, submission.number, header.size, header.pixel);
  std::shared_ptr<Picture> picture = job.picture;
  {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) {
      const BlockedSignals blocked;
      thread_ = std::thread([this] { work(); });
    }
    changed_.wait(lock, [this] { return queue_.size() < kMostQueued; });
    queue_.push_back(std::move(job));
  }
  changed_.notify_all();
  checker_.keep(header);
  return picture;
}

void Stream::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) break;
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    changed_.notify_all();
    decode(job);
    lock.lock();
    if (stop_ || !queue_.empty()) continue;
    // Nobody knows whether more will come, and somebody may wait for what is in flight.
    lock.unlock();
    attempt([this](const vp9::Decoder::Show& show) { decoder_->flush(show); });
    lock.lock();
  }
  for (const Job& job : queue_) job.picture->finish();
  for (const InFlight& dropped : in_flight_) {  // the decoder's threads still write them
    dropped.picture->set_frame(nullptr);
    dropped.picture->finish();
  }
}

void Stream::decode(const Job& job) {
  const InFlight taken{job.picture, job.last};
  home_->returned.reclaim();
  try {
    in_flight_.push_back(taken);
  } catch (const std::bad_alloc&) {
    return conceal(taken);
  }
  attempt([&](const vp9::Decoder::Show& show) {
    std::array<std::shared_ptr<const vp9::FrameBuffer>, vp9::kReferenceSlots> slots;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const std::shared_ptr<Picture>& reference = job.references[slot];
      if (reference != nullptr) slots[slot] = reference->frame();
      if (slots[slot] != nullptr) continue;
      if (reference != nullptr) {
        slots[slot] = decoder_->grey_frame(reference->size(), reference->pixel());
      } else if ((job.grey_slots >> slot & 1) != 0) {
        slots[slot] = decoder_->grey_frame(job.picture->size(), job.picture->pixel());
      }
    }
    const auto frame = decoder_->decode_frame(job.data, job.picture->pixel(), slots, show, {});
    if (!in_flight_.empty()) job.picture->set_frame(frame);
  });
}

template <class Step>
void Stream::attempt(const Step& step) {
  const vp9::Decoder::Show show = [this](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    const std::shared_ptr<Picture> picture = std::move(in_flight_.front().picture);
    in_flight_.pop_front();
    picture->set_frame(frame);
    picture->finish();
    ++decoded_;
  };
  bool device_failed = false;
  try {
    return step(show);
  } catch (const Error& error) {
    device_failed = settings_.plan.uses_qpu() && error.kind() == ErrorKind::environment &&
                    !error.out_of_memory();
    tell([&] { return fmt::format("{}; the picture is concealed", error.what()); });
  } catch (const std::exception& error) {
    tell([&] { return fmt::format("{}; the picture is concealed", error.what()); });
  }
  decoder_->reset();
  if (device_failed) leave_device();
  for (; !in_flight_.empty(); in_flight_.pop_front()) conceal(in_flight_.front());
}

// Frames of the lost device stay where they are: home_ keeps it.
void Stream::leave_device() {
  for (qpu::Processor& processor : settings_.plan.processors) {
    if (processor != qpu::Processor::scalar) processor = qpu::Processor::neon;
  }
  try {
    open_decoder();
  } catch (
      const std::exception& error) {  // the old one goes on failing, and pictures are concealed
    tell([&] { return std::string(error.what()); });
  }
}

template <class Text>
void Stream::tell(const Text& text) noexcept {
  try {
    report_(text());
  } catch (...) {  // no memory for words
  }
}

void Stream::conceal(const InFlight& lost) {
  ++concealed_;
  std::shared_ptr<const vp9::FrameBuffer> frame;
  if (lost.last != nullptr) frame = lost.last->frame();
  Picture& picture = *lost.picture;
  if (frame == nullptr || !(frame->size == picture.size())) {
    try {
      frame = decoder_->grey_frame(picture.size(), picture.pixel());
    } catch (const std::exception& error) {
      tell([&] { return std::string(error.what()); });
      frame = nullptr;
    }
  }
  picture.set_frame(std::move(frame));
  picture.finish();
}

std::string Stream::statistics() const {
  std::string text = fmt::format("{} pictures decoded, {} concealed", decoded_, concealed_);
  const vp9::FilterStatistics filter = decoder_->filter_statistics();
  if (settings_.plan.uses_qpu()) {
    const vp9::StageDispatches& of = filter.by_stage;
    text += fmt::format(
        ", {} dispatches in {} submissions to the QPU (prediction {}, residual {}, intra {}, "
        "loop_filter {}), {} fence waits",
        filter.dispatches, filter.submissions, of.prediction, of.residual, of.intra, of.loop_filter,
        filter.fence_waits);
  }
  if (settings_.stage_times) {
    const vp9::StageTimes times = decoder_->statistics().stages;
    for (const vp9::Stage stage : vp9::kStages) {
      if (vp9::needs_gpu(stage) && !settings_.plan.uses_qpu()) continue;
      text += fmt::format(", {} {:.3f} s", to_string(stage),
                          seconds(times[static_cast<std::size_t>(stage)]));
    }
  }
  return text;
}

}  // namespace sidecore::va
