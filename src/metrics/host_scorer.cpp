#include "metrics/host_scorer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace sidecore::metrics {
namespace {

/// Threads that run tasks in the order they came.
class Workers {
 public:
  explicit Workers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
    }
  }

  [[nodiscard]] std::future<void> start(std::packaged_task<void()> task) {
    std::future<void> done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return done;
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::packaged_task<void()> task;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  std::vector<std::jthread> threads_;  // last: joined before what they use goes
};

class HostScorer final : public PictureScorer {
 public:
  HostScorer(const video::PictureFormat& format, std::span<const HostFeature> features,
             std::size_t threads)
      : features_(features.begin(), features.end()), workers_(std::max<std::size_t>(threads, 1)) {
    std::size_t scores = 0;
    for (const auto& [feature, kernel] : features_) {
      feature->check(format);
      scores += feature->outputs.size();
    }
    for (std::size_t i = 0; i <= std::max<std::size_t>(threads, 1); ++i) {
      slots_.push_back({video::Picture(format), video::Picture(format), std::vector<double>(scores),
                        std::future<void>()});
    }
  }

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return slots_[slot].reference;
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return slots_[slot].distorted;
  }

  void submit(std::size_t slot) override {
    slots_[slot].done =
        workers_.start(std::packaged_task<void()>([this, slot] { score(slots_[slot]); }));
  }

  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    slots_[slot].done.get();
    return slots_[slot].scores;
  }

 private:
  struct Slot {
    video::Picture reference;
    video::Picture distorted;
    std::vector<double> scores;
    std::future<void> done;
  };

  void score(Slot& slot) const {
    std::span<double> rest(slot.scores);
    for (const auto& [feature, kernel] : features_) {
      kernel(slot.reference, slot.distorted, rest.first(feature->outputs.size()));
      rest = rest.subspan(feature->outputs.size());
    }
  }

  std::vector<HostFeature> features_;
  std::vector<Slot> slots_;
  Workers workers_;  // last: its threads write to the slots
};

}  // namespace

std::unique_ptr<PictureScorer> make_host_scorer(const video::PictureFormat& format,
                                                std::span<const HostFeature> features,
                                                std::size_t threads) {
  return std::make_unique<HostScorer>(format, features, threads);
}

}  // namespace sidecore::metrics
