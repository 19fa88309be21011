#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "qpu/vulkan_submission.h"

namespace sidecore::qpu {
namespace {

/// The Device that callers own. Buffers, programs and lists keep the context alive instead of this
/// object. It can therefore hold the submissions in flight without keeping itself alive.
class VulkanDevice final : public Device {
 public:
  // Checks the shader directory first, before the costly opening of the device.
  explicit VulkanDevice(const DeviceOptions& options)
      : options_(options),
        replacements_(options.shader_directory),
        context_(std::make_shared<VulkanContext>(options)) {}

  ~VulkanDevice() override {
    try {
      wait_idle();
    } catch (const Error&) {
      abandon_in_flight();
    }
  }

  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  [[nodiscard]] const DeviceInfo& info() const override { return context_->info(); }
  [[nodiscard]] const DeviceLimits& limits() const override { return context_->limits(); }
  [[nodiscard]] const DeviceCounters& counters() const override {
    context_->counters().validation_messages = context_->validation_log().count();
    return context_->counters();
  }

  [[nodiscard]] std::shared_ptr<Buffer> create_buffer(std::size_t bytes) override {
    return std::make_shared<VulkanBuffer>(context_, bytes);
  }

  [[nodiscard]] std::shared_ptr<Program> program(const Shader& shader,
                                                 const Specialization& specialization) override {
    const Shader& resolved = resolve(shader);
    for (const auto& made : programs_) {
      if (made->is_made_for(resolved, specialization)) return made;
    }
    programs_.push_back(
        std::make_shared<VulkanProgram>(context_, replacements_, resolved, specialization));
    return programs_.back();
  }

  [[nodiscard]] std::unique_ptr<CommandList> create_command_list() override {
    return std::make_unique<VulkanCommandList>(context_);
  }

  Ticket submit(CommandList& list) override { return submit_pass(list, 0); }
  void wait_idle() override;

  [[nodiscard]] std::unique_ptr<Device> open_with_counters() const override {
    DeviceOptions options = options_;
    options.selector = std::to_string(info().index);
    options.performance_counters = true;
    return Device::open(options);
  }
  [[nodiscard]] const CounterSet& counter_set() const override { return context_->counter_set(); }
  std::vector<double> count(CommandList& list, const std::function<void()>& restore) override;

 private:
  Ticket submit_pass(CommandList& list, std::uint32_t pass);
  void add_up(const Recording& recording);
  void abandon_in_flight() noexcept;

  DeviceOptions options_;
  ShaderDirectory replacements_;
  std::shared_ptr<VulkanContext> context_;
  std::vector<std::shared_ptr<VulkanProgram>> programs_;
  std::vector<std::shared_ptr<Ticket::State>> in_flight_;
};

// Submits one pass of a list. All counter passes share one query, which is reset before the first
// pass.
Ticket VulkanDevice::submit_pass(CommandList& any_list, std::uint32_t pass) {
  auto* list = dynamic_cast<VulkanCommandList*>(&any_list);
  if (list == nullptr || list->recording()->context != context_) {
    throw usage_error("submit: the command list belongs to another device");
  }
  if (!list->finished()) throw usage_error("submit: the command list is not finished");
  const std::shared_ptr<Recording>& recording = list->recording();
  if (const auto last = recording->last_submission.lock(); last != nullptr && !last->done()) {
    throw usage_error(
        "submit: the command list is still in flight; wait for its last ticket first");
  }
  std::erase_if(in_flight_, [](const auto& state) { return state->done(); });
  // After the queue has the work, nothing may throw, because the caller would have no ticket to
  // wait for. Therefore earlier validation messages are thrown and memory is reserved now. Messages
  // about this submission are thrown by its wait().
  context_->validation_log().throw_if_any();
  in_flight_.reserve(in_flight_.size() + 1);

  vk::raii::Fence fence = context_->take_fence();
  const vk::PerformanceQuerySubmitInfoKHR counting(pass);
  const bool counts = *recording->counters;
  auto state = std::make_shared<Ticket::State>(recording, std::move(fence));
  vk::SubmitInfo info(nullptr, nullptr, *recording->commands);
  if (counts) info.pNext = &counting;
  context_->run("submitting a command list", [&] {
    // The reset is a separate submission, because validation layers treat the command buffers of
    // one submission as one.
    if (counts && pass == 0) {
      context_->submit(vk::SubmitInfo(nullptr, nullptr, *recording->counter_reset));
    }
    context_->submit(info, state->fence());
  });
  recording->last_submission = state;
  in_flight_.push_back(state);
  add_up(*recording);
  return Ticket(std::move(state));
}

std::vector<double> VulkanDevice::count(CommandList& list, const std::function<void()>& restore) {
  if (counter_set().counters.empty())
    throw usage_error("count: the device was opened without performance counters");
  for (std::uint32_t pass = 0; pass < counter_set().passes; ++pass) {
    restore();
    submit_pass(list, pass).wait();
  }
  // The cast is safe because submit_pass() has checked the type.
  const auto& recording = dynamic_cast<VulkanCommandList&>(list).recording();
  return context_->run("reading performance counters",
                       [&] { return read_counters(recording->counters, counter_set()); });
}

void VulkanDevice::add_up(const Recording& recording) {
  DeviceCounters& counters = context_->counters();
  ++counters.submits;
  counters.dispatches += recording.dispatches;
  counters.barriers += recording.barriers;
  counters.uploaded_bytes += recording.uploaded_bytes;
  counters.downloaded_bytes += recording.downloaded_bytes;
}

// Leaks the submissions in flight: a hung device may still write to their memory. A lost device
// runs nothing any more.
void VulkanDevice::abandon_in_flight() noexcept {
  std::erase_if(in_flight_, [](const auto& state) { return state->done(); });
  // If this small allocation fails, the program may end here.
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  for (auto& state : in_flight_) (void)new std::shared_ptr<Ticket::State>(std::move(state));
}

void VulkanDevice::wait_idle() {
  while (!in_flight_.empty()) {
    in_flight_.front()->wait();
    in_flight_.erase(in_flight_.begin());
  }
}

}  // namespace

std::unique_ptr<Device> Device::open(const DeviceOptions& options) {
  return std::make_unique<VulkanDevice>(options);
}

}  // namespace sidecore::qpu
