#include "qpu/vulkan_context.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/blocked_signals.h"
#include "base/error.h"

namespace sidecore::qpu {
namespace {

// Returns the stricter limit in every field, because a device may offer less than V3D in some of
// them.
DeviceLimits stricter(DeviceLimits a, const DeviceLimits& b) {
  const auto lower = [](auto& value, const auto& other) { value = std::min(value, other); };
  lower(a.max_workgroup_invocations, b.max_workgroup_invocations);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower(a.max_workgroup_size[axis], b.max_workgroup_size[axis]);
    lower(a.max_workgroup_count[axis], b.max_workgroup_count[axis]);
  }
  lower(a.max_shared_memory_bytes, b.max_shared_memory_bytes);
  lower(a.max_storage_buffers, b.max_storage_buffers);
  lower(a.max_push_constant_bytes, b.max_push_constant_bytes);
  lower(a.max_storage_buffer_range, b.max_storage_buffer_range);
  a.min_storage_buffer_offset_alignment =
      std::max(a.min_storage_buffer_offset_alignment, b.min_storage_buffer_offset_alignment);
  return a;
}

VulkanInstance::Candidate choose(const std::vector<VulkanInstance::Candidate>& candidates,
                                 const std::string& selector) {
  std::vector<DeviceInfo> infos;
  infos.reserve(candidates.size());
  for (const auto& candidate : candidates) infos.push_back(candidate.info);
  return candidates[choose_device(infos, selector).index];
}

}  // namespace

VulkanContext::VulkanContext(const DeviceOptions& options) : borrowed_(options.borrowed) {
  if (borrowed_ &&
      (options.validation || options.compiler_figures || options.performance_counters)) {
    throw usage_error(
        "a borrowed device cannot be used with validation, compiler figures or "
        "performance counters");
  }
  instance_ = borrowed_ ? std::make_unique<VulkanInstance>(*borrowed_)
                        : std::make_unique<VulkanInstance>(options.validation);
  const VulkanInstance::Candidate chosen =
      borrowed_ ? instance_->candidate(*borrowed_) : choose(instance_->devices(), options.selector);
  info_ = chosen.info;
  check_limits(info_.limits, info_.name);
  limits_ = options.v3d_limits ? stricter(info_.limits, v3d_limits()) : info_.limits;
  staged_ = !info_.unified_memory || options.force_staging;
  queue_family_ = chosen.queue_family;
  timestamp_bits_ =
      chosen.device.getQueueFamilyProperties()[chosen.queue_family].timestampValidBits;
  memory_ = chosen.device.getMemoryProperties();
  compiler_figures_ = options.compiler_figures && info_.compiler_figures;
  if (options.performance_counters) {
    counter_set_ = choose_counter_set(chosen.device, queue_family_);
  }
  if (borrowed_) {
    borrow_device(chosen.device);
  } else {
    open_device(chosen.device);
  }
  if (options.performance_counters) profiling_.emplace(device_);
  if (options.pipeline_cache) cache_file_.emplace(options.cache_directory, info_);
  open_pipeline_cache();
}

VulkanContext::~VulkanContext() {
  save_pipeline_cache();
  // A borrowed device is not waited for: vkDeviceWaitIdle() requires access to all its queues.
  // Device has already waited for its own submissions.
  if (*device_ && !borrowed_) {
    try {
      device_.waitIdle();
    } catch (const vk::SystemError&) {
      // The device is lost: nothing runs any more.
      lost_ = true;
    }
  }
}

// Opens the device. Enables no shader feature except 8-bit storage, so that shaders cannot depend
// on a feature that V3D lacks.
void VulkanContext::open_device(const vk::raii::PhysicalDevice& physical) {
  const float priority = 1;
  const vk::DeviceQueueCreateInfo queue({}, queue_family_, 1, &priority);
  std::vector<const char*> extensions;
  vk::PhysicalDevice8BitStorageFeatures storage;
  vk::DeviceCreateInfo create({}, queue);
  if (info_.storage_8bit) {
    extensions.push_back(VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
    storage.storageBuffer8BitAccess = VK_TRUE;
    create.pNext = &storage;
  }
  vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
  if (compiler_figures_) {
    extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    executables.pipelineExecutableInfo = VK_TRUE;
    if (info_.storage_8bit) executables.pNext = &storage;
    create.pNext = &executables;
  }
  vk::PhysicalDevicePerformanceQueryFeaturesKHR queries;
  if (!counter_set_.counters.empty()) {
    extensions.push_back(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
    queries.performanceCounterQueryPools = VK_TRUE;
    queries.pNext = const_cast<void*>(create.pNext);
    create.pNext = &queries;
  }
  create.setPEnabledExtensionNames(extensions);
  const std::string doing = "opening device " + info_.name;
  // Blocks signals, because Mesa's drivers start threads here or in the first submission.
  const BlockedSignals blocked;
  device_ = checked(doing, [&] { return vk::raii::Device(physical, create); });
  queue_ = checked(doing, [&] { return device_.getQueue(queue_family_, 0); });
}

void VulkanContext::borrow_device(const vk::raii::PhysicalDevice& physical) {
  device_ = vk::raii::Device(physical, borrowed_->device);
  never_destroy(device_);
  queue_ = vk::raii::Queue(device_, borrowed_->queue);
}

void VulkanContext::submit(const vk::SubmitInfo& work, vk::Fence fence) const {
  if (borrowed_ && borrowed_->lock_queue) borrowed_->lock_queue();
  const auto unlock = [&] {
    if (borrowed_ && borrowed_->unlock_queue) borrowed_->unlock_queue();
  };
  try {
    const BlockedSignals blocked;  // blocks signals, because a driver may start a thread here
    queue_.submit(work, fence);
  } catch (...) {
    unlock();
    throw;
  }
  unlock();
}

void VulkanContext::open_pipeline_cache() {
  std::optional<std::vector<std::byte>> payload;
  if (cache_file_) payload = cache_file_->load();
  counters_.pipeline_cache_loaded = payload.has_value();
  vk::PipelineCacheCreateInfo create;
  if (payload) {
    create.initialDataSize = payload->size();
    create.pInitialData = payload->data();
  }
  pipeline_cache_ =
      checked("opening the pipeline cache", [&] { return device_.createPipelineCache(create); });
}

void VulkanContext::save_pipeline_cache() noexcept {
  if (!cache_file_ || !*pipeline_cache_ || counters_.pipelines_created == 0 || lost_) return;
  try {
    const std::vector<std::uint8_t> data = pipeline_cache_.getData();
    const auto payload = std::as_bytes(std::span(data));
    // The file is written only if it lacks a pipeline, because writing costs an fsync.
    const auto present = cache_file_->load();
    if (present && std::equal(present->begin(), present->end(), payload.begin(), payload.end()))
      return;
    cache_file_->save(payload);
  } catch (const std::exception&) {
    // The failure is ignored, as for a file that cannot be written: the next run compiles again.
    return;
  }
}

void VulkanContext::require_alive(const std::string& doing) const {
  if (lost_) throw environment_error("{}: device {} was lost earlier", doing, info_.name);
}

vk::raii::Fence VulkanContext::take_fence() {
  {
    const std::scoped_lock lock(fences_mutex_);
    if (!fences_.empty()) {
      vk::raii::Fence fence = std::move(fences_.back());
      fences_.pop_back();
      return fence;
    }
  }
  return run("creating a fence", [&] { return device_.createFence({}); });
}

void VulkanContext::give_fence(vk::raii::Fence fence) {
  run("resetting a fence", [&] { device_.resetFences(*fence); });
  const std::scoped_lock lock(fences_mutex_);
  fences_.push_back(std::move(fence));
}

}  // namespace sidecore::qpu
