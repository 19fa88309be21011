#include "va/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "base/error.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::va {
template <class Text>
void Stream::tell(const Report& log, const Text& text) noexcept {
  try {
    log(text());
  } catch (...) {  // if memory is short, the line is lost
  }
}

Stream::Stream(const Settings& settings, Report report, Report complain)
    : settings_(settings),
      report_(std::move(report)),
      complain_(std::move(complain)),
      resources_(std::make_shared<qpu::SharedPictureResources>()),
      tables_(vp9::tables_of(settings.plan, neon::vp9_dsp())) {
  open_decoder();
}

void Stream::open_decoder() {
  vp9::DecoderOptions options;
  options.threads = settings_.threads;
  options.show_hidden = true;
  options.max_luma_samples = settings_.max_pixels;
  options.dsp = &tables_;
  options.time_stages = settings_.stage_times;
  options.observer = settings_.observer;
  std::string device;
  if (settings_.plan.uses_qpu()) {
    qpu::DeviceOptions opened = qpu::DeviceOptions::from_environment();
    opened.selector = settings_.device;
    resources_->device = qpu::Device::open(opened);
    options.back_end = qpu::make_back_end(*resources_->device, settings_.plan);
    device = fmt::format(", QPU stages on {}", resources_->device->info().name);
  }
  std::string told =
      fmt::format("plan {}, threads {}{}", to_text(settings_.plan), settings_.threads, device);
  decoder_ = std::make_unique<vp9::Decoder>(std::move(options));
  tell(report_, [&] { return told; });
}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (decoded_ + concealed_ > 0) {
    tell(report_, [this] { return statistics(); });
  }
  decoder_.reset();
  resources_->returned.close();
}

void Stream::lose_picture() {
  const std::lock_guard submitting(submitting_);
  lost_before_next_ = true;
}

std::shared_ptr<Picture> Stream::submit(Submission submission) {
  const std::lock_guard submitting(submitting_);
  Job job;
  for (std::size_t slot = 0; slot < submission.references.size(); ++slot) {
    const std::shared_ptr<Picture>& reference = submission.references[slot];
    if (reference != nullptr && reference->is_of(resources_)) {
      job.references[slot] = reference;
      checker_.hold(slot, reference->size(), reference->pixel());
    } else {
      checker_.hold(slot, {}, submission.pixel);
    }
  }
  const vp9::FrameHeader header = checker_.check(submission.data);
  if (!(header.size == submission.size)) {
    throw usage_error("the frame is {}x{}, but the picture parameters say {}x{}", header.size.width,
                      header.size.height, submission.size.width, submission.size.height);
  }
  if (std::int64_t{header.size.width} * header.size.height > settings_.max_pixels) {
    throw usage_error("a frame of {}x{} exceeds max_pixels, which is {}", header.size.width,
                      header.size.height, settings_.max_pixels);
  }
  if (header.pixel != submission.pixel) {
    throw usage_error("the frame is {}, but its surface and profile need {}",
                      to_string(header.pixel), to_string(submission.pixel));
  }
  if (header.size.width > submission.most.width || header.size.height > submission.most.height) {
    throw usage_error("a frame of {}x{} does not fit into a surface of {}x{}", header.size.width,
                      header.size.height, submission.most.width, submission.most.height);
  }
  if (!header.intra_frame()) job.last = job.references[header.reference_slots[0]];
  job.data = std::move(submission.data);
  job.after_loss = lost_before_next_;
  job.picture = std::make_shared<Picture>(resources_, submission.number, header.size, header.pixel);
  std::shared_ptr<Picture> picture = job.picture;
  {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) {
      const BlockedSignals blocked;
      thread_ = std::thread([this] { work(); });
    }
    changed_.wait(lock, [this] { return queue_.size() < kMaxQueued; });
    queue_.push_back(std::move(job));
  }
  changed_.notify_all();
  checker_.keep(header);
  lost_before_next_ = false;
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
    // The pictures in flight are finished now, because the player may wait for them and never send
    // more.
    lock.unlock();
    attempt([this](const vp9::Decoder::Show& show) { decoder_->flush(show); });
    lock.lock();
  }
  for (const Job& job : queue_) job.picture->finish();
  // The decoder's threads still write to frames in flight, so these pictures get no frame.
  for (const InFlight& dropped : in_flight_) {
    dropped.picture->set_frame(nullptr);
    dropped.picture->finish();
  }
}

void Stream::decode(const Job& job) {
  const InFlight taken{job.picture, job.last, job.after_loss};
  resources_->returned.reclaim();
  try {
    in_flight_.push_back(taken);
  } catch (const std::bad_alloc&) {
    return conceal(taken);
  }
  attempt([&](const vp9::Decoder::Show& show) {
    std::array<std::shared_ptr<const vp9::FrameBuffer>, vp9::kReferenceSlots> slots;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const std::shared_ptr<Picture>& reference = job.references[slot];
      if (reference == nullptr) continue;
      slots[slot] = reference->frame();
      if (slots[slot] != nullptr) continue;
      slots[slot] = decoder_->grey_frame(reference->size(), reference->pixel());
    }
    const auto frame = decoder_->decode_frame(job.data, job.picture->pixel(), slots, show, {});
    if (!in_flight_.empty()) job.picture->set_frame(frame);
  });
}

template <class Step>
void Stream::attempt(const Step& step) {
  const vp9::Decoder::Show show = [this](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    const std::shared_ptr<Picture> picture = std::move(in_flight_.front().picture);
    damaged_ = (damaged_ || in_flight_.front().after_loss) && !frame->key_frame;
    in_flight_.pop_front();
    picture->set_damaged(damaged_);
    picture->set_frame(frame);
    picture->finish();
    ++decoded_;
  };
  bool device_failed = false;
  try {
    return step(show);
  } catch (const Error& error) {
    device_failed = qpu::is_failed_device(settings_.plan, error);
    tell(report_, [&] { return fmt::format("{}; the picture is concealed", error.what()); });
  } catch (const std::exception& error) {
    tell(report_, [&] { return fmt::format("{}; the picture is concealed", error.what()); });
  }
  decoder_->reset();
  if (device_failed) move_to_cpu();
  for (; !in_flight_.empty(); in_flight_.pop_front()) conceal(in_flight_.front());
}

// resources_ keeps the lost device, so that its frames stay valid.
void Stream::move_to_cpu() {
  const vp9::Plan plan = std::exchange(settings_.plan, vp9::without_qpu(settings_.plan));
  try {
    open_decoder();
    // The old decoder stays, and its next failure calls this function again.
  } catch (const std::exception& error) {
    settings_.plan = plan;
    return tell(report_, [&] { return std::string(error.what()); });
  }
  tell(complain_, [] { return std::string(qpu::kCpuTakesOverMessage); });
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
      tell(report_, [&] { return std::string(error.what()); });
      frame = nullptr;
    }
  }
  damaged_ = true;
  picture.set_damaged(true);
  picture.set_frame(std::move(frame));
  picture.finish();
}

std::string Stream::statistics() const {
  std::string text = fmt::format("{} pictures decoded, {} concealed", decoded_, concealed_);
  const vp9::BackEndStatistics filter = decoder_->back_end_statistics();
  if (settings_.plan.uses_qpu()) {
    const vp9::PerStage<std::uint64_t>& of = filter.by_stage;
    text += fmt::format(
        ", {} dispatches in {} submissions to the QPU (prediction {}, residual {}, intra {}, "
        "loop_filter {}), {} fence waits",
        filter.dispatches, filter.submissions, of.prediction, of.residual, of.intra, of.loop_filter,
        filter.fence_waits);
  }
  if (settings_.stage_times) {
    const vp9::StageTimes times = decoder_->statistics().stages;
    for (const vp9::ClockRow stage : vp9::kClockRows) {
      if (vp9::needs_gpu(stage) && !settings_.plan.uses_qpu()) continue;
      text += fmt::format(", {} {:.3f} s", to_string(stage),
                          seconds(times[static_cast<std::size_t>(stage)]));
    }
  }
  return text;
}

}  // namespace sidecore::va
