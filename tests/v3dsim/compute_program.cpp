#include "v3dsim/compute_program.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "v3dsim/vulkan_device.h"

namespace sidecore::v3dsim_client {
namespace {

std::vector<std::byte> contents_of(const BufferSpec& spec) {
  if (!spec.contents.empty()) return spec.contents;
  std::vector<std::byte> bytes(spec.bytes);
  if (spec.seed == 0) return bytes;
  Random random(spec.seed);
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const std::uint32_t word = random() & spec.mask;
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  return bytes;
}

VkDescriptorType type_of(const BufferSpec& buffer) {
  return buffer.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

/// All state of one run; its objects live until the process ends with the device.
class Program {
 public:
  Program(const ProgramSpec& spec, const VulkanDevice& device) : spec_(spec), device_(device) {
    for (const BufferSpec& buffer : spec.buffers) {
      buffers_.emplace_back(device, buffer.bytes,
                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                            spec.memory_offset);
      std::ranges::copy(contents_of(buffer), buffers_.back().bytes().begin());
    }
    if (spec.image.width != 0) image_.emplace(device, spec.image.width, spec.image.height);
    if (!spec.spirv.empty()) {
      make_layouts();
      make_pipeline();
    }
  }

  ~Program() {
    const VkDevice device = device_.handle();
    vkDestroyEvent(device, event_, nullptr);
    vkDestroyQueryPool(device, timestamps_, nullptr);
    vkDestroyFence(device, fence_, nullptr);
    vkDestroyCommandPool(device, commands_, nullptr);
    vkDestroyDescriptorPool(device, descriptors_, nullptr);
    vkDestroyPipeline(device, pipeline_, nullptr);
    vkDestroyPipelineLayout(device, layout_, nullptr);
    for (const VkDescriptorSetLayout layout : set_layouts_) {
      vkDestroyDescriptorSetLayout(device, layout, nullptr);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> statistics() const;
  std::uint64_t run();
  [[nodiscard]] std::uint64_t median_time();

  [[nodiscard]] std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (const MappedBuffer& buffer : buffers_) {
      all.emplace_back(buffer.memory_bytes().begin(), buffer.memory_bytes().end());
    }
    return all;
  }

 private:
  void make_layouts();
  void make_pipeline();
  void bind(VkCommandBuffer commands);
  void record_transfers(VkCommandBuffer commands);
  void record_image_job(VkCommandBuffer commands);
  void record_dispatches(VkCommandBuffer commands);
  void restore_buffers();
  [[nodiscard]] std::vector<std::uint32_t> push_words() const;
  void push(VkCommandBuffer commands, std::uint32_t dispatch);

  const ProgramSpec& spec_;
  const VulkanDevice& device_;
  std::vector<MappedBuffer> buffers_;
  std::vector<MappedBuffer> grid_;
  std::optional<StorageImage> image_;
  std::vector<VkDescriptorSetLayout> set_layouts_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkQueryPool timestamps_ = VK_NULL_HANDLE;
  VkEvent event_ = VK_NULL_HANDLE;
  std::vector<std::uint64_t> times_;  ///< times from submission to fence, in ns
};

void Program::make_layouts() {
  std::map<std::uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
  for (const BufferSpec& buffer : spec_.buffers) {
    sets[buffer.set].push_back(
        {buffer.binding, type_of(buffer), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  if (image_) {
    sets[spec_.image.set].push_back({spec_.image.binding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
                                     VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  const std::uint32_t set_count = sets.empty() ? 0 : sets.rbegin()->first + 1;
  for (std::uint32_t set = 0; set < set_count; ++set) {
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<std::uint32_t>(sets[set].size());
    info.pBindings = sets[set].data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(device_.handle(), &info, nullptr, &layout),
          "vkCreateDescriptorSetLayout");
    set_layouts_.push_back(layout);
  }
  const std::uint32_t push_bytes = static_cast<std::uint32_t>(push_words().size() * 4);
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = set_count;
  info.pSetLayouts = set_layouts_.data();
  info.pushConstantRangeCount = push_bytes != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  check(vkCreatePipelineLayout(device_.handle(), &info, nullptr, &layout_),
        "vkCreatePipelineLayout");
}

void Program::make_pipeline() {
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spec_.spirv.size() * 4;
  module_info.pCode = spec_.spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_.handle(), &module_info, nullptr, &module),
        "vkCreateShaderModule");

  std::vector<VkSpecializationMapEntry> entries;
  entries.reserve(spec_.constants.size());
  for (std::size_t i = 0; i < spec_.constants.size(); ++i) {
    entries.push_back({spec_.constants[i].first,
                       static_cast<std::uint32_t>(i * sizeof spec_.constants[0] + 4), 4});
  }
  const VkSpecializationInfo constants{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                       spec_.constants.size() * sizeof spec_.constants[0],
                                       spec_.constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
  if (device_.has_executable_properties()) {
    info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  }
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout_;
  const VkResult result =
      vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vkDestroyShaderModule(device_.handle(), module, nullptr);
  check(result, "vkCreateComputePipelines");
}

std::vector<std::pair<std::string, std::uint64_t>> Program::statistics() const {
  if (!device_.has_executable_properties() || pipeline_ == VK_NULL_HANDLE) return {};
  const auto query = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
      vkGetDeviceProcAddr(device_.handle(), "vkGetPipelineExecutableStatisticsKHR"));
  VkPipelineExecutableInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  info.pipeline = pipeline_;
  std::uint32_t count = 0;
  check(query(device_.handle(), &info, &count, nullptr), "vkGetPipelineExecutableStatisticsKHR");
  VkPipelineExecutableStatisticKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> found(count, empty);
  check(query(device_.handle(), &info, &count, found.data()),
        "vkGetPipelineExecutableStatisticsKHR");
  std::vector<std::pair<std::string, std::uint64_t>> all;
  all.reserve(found.size());
  for (const auto& statistic : found) all.emplace_back(statistic.name, statistic.value.u64);
  return all;
}

std::vector<std::uint32_t> Program::push_words() const {
  std::vector<std::uint32_t> words;
  if (spec_.push_addresses) {
    for (const MappedBuffer& buffer : buffers_) {
      words.push_back(static_cast<std::uint32_t>(buffer.address()));
      words.push_back(static_cast<std::uint32_t>(buffer.address() >> 32));
    }
  }
  words.insert(words.end(), spec_.push_words.begin(), spec_.push_words.end());
  return words;
}

void Program::push(VkCommandBuffer commands, std::uint32_t dispatch) {
  auto words = push_words();
  if (words.empty()) return;
  words.front() += dispatch * spec_.push_step;
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                     static_cast<std::uint32_t>(words.size() * 4), words.data());
}

void Program::bind(VkCommandBuffer commands) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  push(commands, 0);
  if (set_layouts_.empty()) return;

  const auto buffer_count = static_cast<std::uint32_t>(spec_.buffers.size());
  const std::array<VkDescriptorPoolSize, 3> sizes{{
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer_count},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, buffer_count},
      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
  }};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = static_cast<std::uint32_t>(set_layouts_.size());
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  check(vkCreateDescriptorPool(device_.handle(), &pool, nullptr, &descriptors_),
        "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = descriptors_;
  allocate.descriptorSetCount = pool.maxSets;
  allocate.pSetLayouts = set_layouts_.data();
  std::vector<VkDescriptorSet> sets(set_layouts_.size());
  check(vkAllocateDescriptorSets(device_.handle(), &allocate, sets.data()),
        "vkAllocateDescriptorSets");
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    const VkDescriptorBufferInfo buffer{buffers_[i].handle(), 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets[spec_.buffers[i].set];
    write.dstBinding = spec_.buffers[i].binding;
    write.descriptorCount = 1;
    write.descriptorType = type_of(spec_.buffers[i]);
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
  }
  if (image_) {
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, image_->view(), VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets[spec_.image.set];
    write.dstBinding = spec_.image.binding;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
  }
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, pool.maxSets,
                          sets.data(), 0, nullptr);
}

void barrier(VkCommandBuffer commands) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  vkCmdPipelineBarrier(commands, kAll, kAll, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Program::record_image_job(VkCommandBuffer commands) {
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageMemoryBarrier to_general{};
  to_general.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  to_general.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  to_general.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  to_general.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  to_general.srcQueueFamilyIndex = to_general.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  to_general.image = image_->handle();
  to_general.subresourceRange = whole;
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  vkCmdPipelineBarrier(commands, kAll, kAll, 0, 0, nullptr, 0, nullptr, 1, &to_general);
  if (spec_.image_job == ImageJob::clear) {
    const VkClearColorValue color{};
    vkCmdClearColorImage(commands, image_->handle(), VK_IMAGE_LAYOUT_GENERAL, &color, 1, &whole);
  } else if (spec_.image_job == ImageJob::copy_from_buffer) {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {spec_.image.width, spec_.image.height, 1};
    vkCmdCopyBufferToImage(commands, buffers_.at(0).handle(), image_->handle(),
                           VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }
}

void Program::record_transfers(VkCommandBuffer commands) {
  if (spec_.fill) {
    vkCmdFillBuffer(commands, buffers_.at(0).handle(), 0, VK_WHOLE_SIZE, *spec_.fill);
    barrier(commands);
  }
  Random random(spec_.transfers.seed);
  const auto pick = [&] { return random.below(static_cast<std::uint32_t>(buffers_.size())); };
  for (std::uint32_t i = 0; i < spec_.transfers.count; ++i) {
    const std::uint32_t from = pick();
    const std::uint32_t to = pick();
    const std::uint32_t size = spec_.buffers[to].bytes;
    const std::uint32_t kind = random.below(4);
    if (kind <= 1 && from != to) {  // a copy may have any byte offset and length
      const std::uint32_t most = std::min(size, spec_.buffers[from].bytes);
      const std::uint32_t bytes = 1 + random.below(kind == 0 ? most : std::min(most, 64U));
      const VkBufferCopy region{random.below(spec_.buffers[from].bytes - bytes + 1),
                                random.below(size - bytes + 1), bytes};
      vkCmdCopyBuffer(commands, buffers_[from].handle(), buffers_[to].handle(), 1, &region);
    } else if (kind == 2) {
      const std::uint32_t words = 1 + random.below(size / 4);
      const std::uint32_t first = random.below(size / 4 - words + 1);
      vkCmdFillBuffer(commands, buffers_[to].handle(), first * 4, words * 4, random());
    } else {
      const std::uint32_t words = 1 + random.below(std::min(size / 4, 512U));
      const std::uint32_t first = random.below(size / 4 - words + 1);
      std::vector<std::uint32_t> data(words);
      for (std::uint32_t& word : data) word = random();
      vkCmdUpdateBuffer(commands, buffers_[to].handle(), first * 4, words * 4, data.data());
    }
    barrier(commands);
  }
}

void Program::record_dispatches(VkCommandBuffer commands) {
  bind(commands);
  if (spec_.indirect) {
    grid_.emplace_back(device_, sizeof spec_.groups, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    std::memcpy(grid_.back().bytes().data(), spec_.groups.data(), sizeof spec_.groups);
  }
  const auto& [x, y, z] = spec_.groups;
  for (std::uint32_t i = 0; i < spec_.dispatches; ++i) {
    barrier(commands);
    if (spec_.push_step != 0) push(commands, i);
    if (spec_.indirect) {
      vkCmdDispatchIndirect(commands, grid_.back().handle(), 0);
    } else {
      vkCmdDispatchBase(commands, spec_.base[0], spec_.base[1], spec_.base[2], x, y, z);
    }
  }
}

void Program::restore_buffers() {
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    std::ranges::copy(contents_of(spec_.buffers[i]), buffers_[i].bytes().begin());
  }
}

std::uint64_t Program::median_time() {
  std::ranges::sort(times_);
  return times_[times_.size() / 2];
}

std::uint64_t Program::run() {
  const VkDevice device = device_.handle();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = device_.queue_family();
  check(vkCreateCommandPool(device, &pool, nullptr, &commands_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = commands_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  check(vkCreateFence(device, &fence, nullptr, &fence_), "vkCreateFence");
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = 2;
  check(vkCreateQueryPool(device, &queries, nullptr, &timestamps_), "vkCreateQueryPool");
  VkEventCreateInfo event{};
  event.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  check(vkCreateEvent(device, &event, nullptr, &event_), "vkCreateEvent");

  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vkCmdResetQueryPool(commands, timestamps_, 0, 2);
  if (spec_.wait_for_event) {
    constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    vkCmdSetEvent(commands, event_, kCompute);
    vkCmdWaitEvents(commands, 1, &event_, kCompute, kCompute, 0, nullptr, 0, nullptr, 0, nullptr);
  }
  record_transfers(commands);
  if (image_) record_image_job(commands);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, timestamps_, 0);
  if (pipeline_ != VK_NULL_HANDLE) record_dispatches(commands);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, timestamps_, 1);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");

  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  for (std::uint32_t i = 0; i < spec_.repeats; ++i) {
    if (i != 0) {
      restore_buffers();
      check(vkResetFences(device, 1, &fence_), "vkResetFences");
    }
    const auto start = Clock::now();
    check(vkQueueSubmit(device_.queue(), 1, &submit, fence_), "vkQueueSubmit");
    check(vkWaitForFences(device, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    times_.push_back(static_cast<std::uint64_t>(Nanoseconds(Clock::now() - start).count()));
  }
  std::array<std::uint64_t, 2> ticks{};
  check(vkGetQueryPoolResults(device, timestamps_, 0, 2, sizeof ticks, ticks.data(), 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  return static_cast<std::uint64_t>(static_cast<double>(ticks[1] - ticks[0]) *
                                    device_.timestamp_period_ns());
}

}  // namespace

std::vector<std::uint32_t> read_spirv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.empty() || bytes.size() % 4 != 0) {
    throw usage_error("{} is not a SPIR-V file", path);
  }
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

void materialize(ProgramSpec& spec) {
  for (BufferSpec& buffer : spec.buffers) buffer.contents = contents_of(buffer);
}

ProgramResult run_program(const ProgramSpec& spec) {
  return run_program(spec, VulkanDevice(spec.robust));
}

ProgramResult run_program(const ProgramSpec& spec, const VulkanDevice& device) {
  ProgramResult result;
  result.device = device.name();
  Program program(spec, device);
  if (spec.compile_only) {
    result.statistics = program.statistics();
    return result;
  }
  result.gpu_ns = program.run();
  result.submit_to_fence_ns = program.median_time();
  result.buffers = program.contents();
  return result;
}

}  // namespace sidecore::v3dsim_client
