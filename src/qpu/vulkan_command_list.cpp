#include "qpu/vulkan_command_list.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

using Stage = vk::PipelineStageFlagBits;

// Number of descriptor sets per pool; a list that needs more gets further pools.
constexpr std::uint32_t kSetsPerPool = 64;
constexpr std::size_t kDescriptorsPerPool = 256;

// Returns the pipeline stages that a list uses. On unified memory a list has only dispatches: a
// transfer stage in its barriers would make the driver wait for idle units.
vk::PipelineStageFlags working_stages(const VulkanContext& context) {
  vk::PipelineStageFlags stages = Stage::eComputeShader;
  if (context.staged()) stages |= Stage::eTransfer;
  return stages;
}

vk::AccessFlags writes(const VulkanContext& context) {
  vk::AccessFlags access = vk::AccessFlagBits::eShaderWrite;
  if (context.staged()) access |= vk::AccessFlagBits::eTransferWrite;
  return access;
}

vk::AccessFlags reads_and_writes(const VulkanContext& context) {
  vk::AccessFlags access = writes(context) | vk::AccessFlagBits::eShaderRead;
  if (context.staged()) access |= vk::AccessFlagBits::eTransferRead;
  return access;
}

std::uintptr_t identity(vk::Buffer buffer) {
  return reinterpret_cast<std::uintptr_t>(static_cast<VkBuffer>(buffer));
}

}  // namespace

Recording::Recording(std::shared_ptr<VulkanContext> device_context)
    : context(std::move(device_context)), pool(context->run("creating a command list", [&] {
        return context->device().createCommandPool({{}, context->queue_family()});
      })) {
  commands = context->run("creating a command list", [&] {
    return std::move(
        context->device().allocateCommandBuffers({*pool, vk::CommandBufferLevel::ePrimary, 1})[0]);
  });
}

VulkanCommandList::VulkanCommandList(std::shared_ptr<VulkanContext> context)
    : recording_(std::make_shared<Recording>(std::move(context))) {}

void VulkanCommandList::require_recording(const char* what) const {
  if (finished_) throw usage_error("{}: the command list is finished", what);
}

void VulkanCommandList::time_on_gpu() {
  require_recording("time_on_gpu");
  if (begun_) throw usage_error("time_on_gpu: the command list already has commands");
  timed_ = true;
}

// Starts the list with a barrier, because unknown earlier submissions may have written what the
// list reads. This barrier is one bit of state in the driver, not a job.
void VulkanCommandList::begin_commands() {
  if (begun_) return;
  begun_ = true;
  VulkanContext& context = *recording_->context;
  context.run("recording a command list", [&] {
    recording_->commands.begin({});
    begin_counting();
    barrier(working_stages(context), reads_and_writes(context));
    // A list has only one query, because devices need not support more.
    if (timed_ && context.info().timestamps && !*recording_->counters) {
      recording_->timestamps = context.device().createQueryPool({{}, vk::QueryType::eTimestamp, 2});
      recording_->commands.resetQueryPool(*recording_->timestamps, 0, 2);
      // The time stamp is written at the bottom of the pipe, so that the time starts after all
      // earlier submissions have ended.
      recording_->commands.writeTimestamp(Stage::eBottomOfPipe, *recording_->timestamps, 0);
    }
  });
}

// Begins the counter query as the list's first command; it ends as the last. Counters with the
// scope "command buffer" require that.
void VulkanCommandList::begin_counting() {
  const VulkanContext& context = *recording_->context;
  if (context.counter_set().counters.empty()) return;
  recording_->counters =
      create_counter_query(context.device(), context.queue_family(), context.counter_set());
  vk::raii::CommandBuffer& reset = recording_->counter_reset;
  reset = std::move(context.device().allocateCommandBuffers(
      {*recording_->pool, vk::CommandBufferLevel::ePrimary, 1})[0]);
  reset.begin({});
  reset.resetQueryPool(*recording_->counters, 0, 1);
  reset.end();
  recording_->commands.beginQuery(*recording_->counters, 0, {});
}

void VulkanCommandList::barrier(vk::PipelineStageFlags to, vk::AccessFlags access) {
  const VulkanContext& context = *recording_->context;
  const vk::MemoryBarrier memory(writes(context), access);
  recording_->commands.pipelineBarrier(working_stages(context), to, {}, memory, nullptr, nullptr);
}

void VulkanCommandList::order(std::span<const MemoryAccess> accesses) {
  if (!hazards_.add(accesses)) return;
  const VulkanContext& context = *recording_->context;
  barrier(working_stages(context), reads_and_writes(context));
  ++recording_->barriers;
}

VulkanCommandList::Range VulkanCommandList::resolve(const BufferRange& range,
                                                    const char* what) const {
  auto* buffer = dynamic_cast<VulkanBuffer*>(range.buffer);
  if (buffer == nullptr) throw usage_error("{}: the buffer is null or not a Vulkan buffer", what);
  if (buffer->context() != recording_->context) {
    throw usage_error("{}: the buffer belongs to another device than the command list", what);
  }
  if (range.offset >= buffer->size() || range.size > buffer->size() - range.offset) {
    throw usage_error("{}: {} bytes at offset {} do not fit in a buffer of {} bytes", what,
                      range.size, range.offset, buffer->size());
  }
  return {buffer->shared_from_this(), range.offset,
          range.size == 0 ? buffer->size() - range.offset : range.size};
}

void VulkanCommandList::copy(const Range& range, vk::Buffer from, vk::Buffer to) {
  begin_commands();
  const std::size_t end = range.offset + range.size;
  const MemoryAccess accesses[] = {{identity(from), range.offset, end, false},
                                   {identity(to), range.offset, end, true}};
  order(accesses);
  recording_->commands.copyBuffer(from, to, vk::BufferCopy(range.offset, range.offset, range.size));
  recording_->buffers.insert(range.buffer);
}

void VulkanCommandList::upload(const BufferRange& range) {
  require_recording("upload");
  const Range resolved = resolve(range, "upload");
  if (!resolved.buffer->staged()) return;
  copy(resolved, resolved.buffer->host_side(), resolved.buffer->device_side());
  recording_->uploaded_bytes += resolved.size;
}

void VulkanCommandList::download(const BufferRange& range) {
  require_recording("download");
  const Range resolved = resolve(range, "download");
  if (!resolved.buffer->staged()) return;
  copy(resolved, resolved.buffer->device_side(), resolved.buffer->host_side());
  recording_->downloaded_bytes += resolved.size;
  wrote_host_memory_ = true;
}

std::vector<VulkanCommandList::Range> VulkanCommandList::resolve_bindings(
    const VulkanProgram& program, std::span<const BufferRange> bindings) const {
  const ShaderInterface& interface = program.interface();
  if (bindings.size() != interface.bindings.size()) {
    throw usage_error("dispatch of {}: {} buffers are bound, but the shader has {}", program.name(),
                      bindings.size(), interface.bindings.size());
  }
  const std::uint32_t alignment = recording_->context->limits().min_storage_buffer_offset_alignment;
  std::vector<Range> ranges;
  for (std::size_t binding = 0; binding < bindings.size(); ++binding) {
    const std::string what = fmt::format("dispatch of {}, binding {}", program.name(), binding);
    const Range range = resolve(bindings[binding], what.c_str());
    if (range.offset % alignment != 0) {
      throw usage_error("{}: offset {} is not a multiple of {}", what, range.offset, alignment);
    }
    ranges.push_back(range);
  }
  return ranges;
}

void VulkanCommandList::check_dispatch(const VulkanProgram& program,
                                       std::span<const std::byte> push_constants,
                                       const std::array<std::uint32_t, 3>& groups) const {
  const ShaderInterface& interface = program.interface();
  if (program.context() != recording_->context) {
    throw usage_error("dispatch of {}: the program belongs to another device than the command list",
                      program.name());
  }
  if (push_constants.size() != interface.push_constant_bytes) {
    throw usage_error("dispatch of {}: {} bytes of push constants are given, but the shader has {}",
                      program.name(), push_constants.size(), interface.push_constant_bytes);
  }
  const auto& limit = recording_->context->limits().max_workgroup_count;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (groups[axis] > limit[axis]) {
      throw environment_error("dispatch of {}: {} workgroups in {}, but the device allows {}",
                              program.name(), groups[axis], "xyz"[axis], limit[axis]);
    }
  }
}

void VulkanCommandList::dispatch(Program& any_program, std::span<const BufferRange> bindings,
                                 std::span<const std::byte> push_constants,
                                 std::array<std::uint32_t, 3> groups) {
  require_recording("dispatch");
  auto* program = dynamic_cast<VulkanProgram*>(&any_program);
  if (program == nullptr) throw usage_error("dispatch: the program is not a Vulkan program");
  check_dispatch(*program, push_constants, groups);
  const std::vector<Range> ranges = resolve_bindings(*program, bindings);
  if (std::find(groups.begin(), groups.end(), 0U) != groups.end()) return;

  begin_commands();
  std::vector<MemoryAccess> accesses;
  for (std::size_t binding = 0; binding < ranges.size(); ++binding) {
    const Range& range = ranges[binding];
    recording_->buffers.insert(range.buffer);
    const Access access = program->interface().bindings[binding];
    if (access == Access::none) continue;
    const bool writes_it = access != Access::read;
    accesses.push_back({identity(range.buffer->device_side()), range.offset,
                        range.offset + range.size, writes_it});
    wrote_host_memory_ = wrote_host_memory_ || (writes_it && !range.buffer->staged());
  }
  order(accesses);
  recording_->programs.insert(program->shared_from_this());
  const vk::raii::CommandBuffer& commands = recording_->commands;
  if (bound_pipeline_ != program->pipeline()) {
    bound_pipeline_ = program->pipeline();
    commands.bindPipeline(vk::PipelineBindPoint::eCompute, bound_pipeline_);
  }
  if (!ranges.empty()) {
    commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, program->layout(), 0,
                                descriptor_set(*program, ranges), nullptr);
  }
  if (!push_constants.empty()) {
    commands.pushConstants<std::byte>(
        program->layout(), vk::ShaderStageFlagBits::eCompute, 0,
        vk::ArrayProxy<const std::byte>(static_cast<std::uint32_t>(push_constants.size()),
                                        push_constants.data()));
  }
  commands.dispatch(groups[0], groups[1], groups[2]);
  ++recording_->dispatches;
  dispatched_.push_back(program);
}

vk::DescriptorSet VulkanCommandList::descriptor_set(const VulkanProgram& program,
                                                    const std::vector<Range>& bindings) {
  const SetKey key(program.set_layout(), bindings);
  const auto known = sets_.find(key);
  if (known != sets_.end()) return known->second;
  const vk::DescriptorSet set = allocate_set(program.set_layout(), bindings.size());
  std::vector<vk::DescriptorBufferInfo> buffers;
  buffers.reserve(bindings.size());
  for (const Range& range : bindings) {
    buffers.emplace_back(range.buffer->device_side(), range.offset, range.size);
  }
  // One write updates consecutive bindings of the same type.
  recording_->context->device().updateDescriptorSets(
      vk::WriteDescriptorSet(set, 0, 0, vk::DescriptorType::eStorageBuffer, {}, buffers), nullptr);
  sets_.emplace(key, set);
  return set;
}

vk::DescriptorSet VulkanCommandList::allocate_set(vk::DescriptorSetLayout layout,
                                                  std::size_t bindings) {
  const vk::raii::Device& device = recording_->context->device();
  return recording_->context->run("allocating a descriptor set", [&] {
    if (sets_left_ == 0 || descriptors_left_ < bindings) {
      descriptors_left_ = std::max(kDescriptorsPerPool, bindings);
      sets_left_ = kSetsPerPool;
      const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer,
                                        static_cast<std::uint32_t>(descriptors_left_));
      recording_->descriptor_pools.push_back(device.createDescriptorPool({{}, sets_left_, size}));
    }
    --sets_left_;
    descriptors_left_ -= bindings;
    // The set is released from RAII: the pool frees its sets, and was created without permission to
    // free single sets.
    return device.allocateDescriptorSets({*recording_->descriptor_pools.back(), layout})[0]
        .release();
  });
}

void VulkanCommandList::finish() {
  require_recording("finish");
  begin_commands();
  VulkanContext& context = *recording_->context;
  if (wrote_host_memory_) {
    barrier(Stage::eHost, vk::AccessFlagBits::eHostRead | vk::AccessFlagBits::eHostWrite);
  }
  if (*recording_->timestamps) {
    recording_->commands.writeTimestamp(Stage::eBottomOfPipe, *recording_->timestamps, 1);
  }
  context.run("finishing a command list", [&] {
    if (*recording_->counters) recording_->commands.endQuery(*recording_->counters, 0);
    recording_->commands.end();
  });
  finished_ = true;
  context.validation_log().throw_if_any();
}

}  // namespace sidecore::qpu
