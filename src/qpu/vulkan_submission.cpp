#include "qpu/vulkan_submission.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "qpu/vulkan_buffer.h"

namespace sidecore::qpu {

Ticket::State::State(std::shared_ptr<Recording> recording, vk::raii::Fence fence)
    : context_(recording->context), recording_(std::move(recording)), fence_(std::move(fence)) {}

void Ticket::State::wait() {
  const std::scoped_lock lock(mutex_);
  if (recording_ != nullptr) {
    try {
      const bool signalled = context_->run("waiting for the GPU", [&] {
        return late_ ? fence_.getStatus() == vk::Result::eSuccess : context_->wait_for(*fence_);
      });
      if (!signalled) {
        late_ = true;
        throw environment_error("waiting for the GPU: {} did not finish within {} s",
                                context_->info().name, context_->wait_limit().count());
      }
      complete();
    } catch (const Error& error) {
      // After device loss the fence never signals. The work is released, and each call reports the
      // loss.
      if (context_->lost()) {
        failure_ = error.what();
        recording_.reset();
      }
      throw;
    }
  }
  if (!failure_.empty()) throw Error(ErrorKind::environment, failure_);
  context_->validation_log().throw_if_any();
}

bool Ticket::State::done() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  if (recording_ == nullptr) return true;
  try {
    const vk::Result result = context_->run("asking the GPU", [&] { return fence_.getStatus(); });
    if (result != vk::Result::eSuccess) return false;
    complete();
  } catch (const Error& error) {
    failure_ = error.what();
    recording_.reset();
  }
  return true;
}

std::optional<Nanoseconds> Ticket::State::gpu_time() const {
  const std::scoped_lock lock(mutex_);
  return gpu_time_;
}

void Ticket::State::complete() {
  const std::shared_ptr<Recording> recording = std::exchange(recording_, nullptr);
  gpu_time_ = read_timestamps(*recording);
  for (const std::shared_ptr<VulkanBuffer>& buffer : recording->buffers) {
    if (buffer->check_guard()) continue;
    context_->validation_log().add(fmt::format(
        "memory after the end of a buffer of {} bytes was overwritten", buffer->size()));
  }
  context_->give_fence(std::exchange(fence_, nullptr));
}

std::optional<Nanoseconds> Ticket::State::read_timestamps(const Recording& recording) const {
  if (!*recording.timestamps) return std::nullopt;
  const auto [result, stamps] = context_->run("reading timestamps", [&] {
    return recording.timestamps.getResults<std::uint64_t>(
        0, 2, 2 * sizeof(std::uint64_t), sizeof(std::uint64_t), vk::QueryResultFlagBits::e64);
  });
  if (result != vk::Result::eSuccess) return std::nullopt;
  const std::uint32_t bits = context_->timestamp_bits();
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto ticks = static_cast<double>((stamps[1] - stamps[0]) & mask);
  return Nanoseconds(static_cast<Nanoseconds::rep>(ticks * context_->info().timestamp_period));
}

Ticket::Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}

void Ticket::wait() {
  if (state_ != nullptr) state_->wait();
}

bool Ticket::done() const {
  return state_ == nullptr || state_->done();
}

std::optional<Nanoseconds> Ticket::gpu_time() const {
  return state_ == nullptr ? std::nullopt : state_->gpu_time();
}

}  // namespace sidecore::qpu
