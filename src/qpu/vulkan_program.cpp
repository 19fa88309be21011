#include "qpu/vulkan_program.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "qpu/shader_interface.h"

namespace sidecore::qpu {

VulkanProgram::VulkanProgram(std::shared_ptr<VulkanContext> context,
                             const ShaderDirectory& replacements, const Shader& shader,
                             const Specialization& specialization)
    : context_(std::move(context)),
      name_(shader.name),
      spirv_(shader.spirv),
      specialization_(specialization) {
  const ShaderInterface host = interface_of(shader, specialization_);
  if (const auto replacement = replacements.find(name_)) {
    const std::string origin = fmt::format("shader '{}'", replacements.path_of(name_).native());
    try {
      interface_ = read_interface(*replacement, specialization_);
    } catch (const Error& error) {
      throw usage_error("{}: {}", origin, error.what());
    }
    check_interface(host, origin);
    create_pipeline(*replacement);
  } else {
    interface_ = host;
    check_interface(host, fmt::format("shader {}", name_));
    create_pipeline(spirv_);
  }
}

bool VulkanProgram::is_made_for(const Shader& shader, const Specialization& specialization) const {
  return shader.name == name_ && shader.spirv.data() == spirv_.data() &&
         shader.spirv.size() == spirv_.size() && specialization == specialization_;
}

// Checks the shader's interface against the host code and the device's limits, before the driver
// sees the shader.
void VulkanProgram::check_interface(const ShaderInterface& host, const std::string& origin) const {
  const auto drift = find_interface_differences(interface_, host, specialization_);
  if (!drift.empty()) {
    throw usage_error("{} does not fit its interface: {}", origin, fmt::join(drift, "; "));
  }
  const auto missing = find_missing_features(context_->info(), context_->limits(), interface_);
  if (!missing.empty()) {
    throw environment_error("{} cannot run on {}: {}", origin, context_->info().name,
                            fmt::join(missing, "; "));
  }
}

void VulkanProgram::create_layout() {
  std::vector<vk::DescriptorSetLayoutBinding> bindings;
  for (std::uint32_t binding = 0; binding < interface_.bindings.size(); ++binding) {
    bindings.emplace_back(binding, vk::DescriptorType::eStorageBuffer, 1,
                          vk::ShaderStageFlagBits::eCompute);
  }
  set_layout_ = context_->device().createDescriptorSetLayout({{}, bindings});
  const vk::DescriptorSetLayout set = *set_layout_;
  vk::PipelineLayoutCreateInfo layout({}, set);
  const vk::PushConstantRange push(vk::ShaderStageFlagBits::eCompute, 0,
                                   interface_.push_constant_bytes);
  if (interface_.push_constant_bytes != 0) layout.setPushConstantRanges(push);
  layout_ = context_->device().createPipelineLayout(layout);
}

void VulkanProgram::create_pipeline(std::span<const std::uint32_t> spirv) {
  std::vector<vk::SpecializationMapEntry> entries;
  std::vector<std::uint32_t> values;
  for (const auto& [id, value] : specialization_.constants) {
    entries.emplace_back(id, static_cast<std::uint32_t>(values.size() * sizeof(value)),
                         sizeof(value));
    values.push_back(value);
  }
  const vk::SpecializationInfo constants(static_cast<std::uint32_t>(entries.size()), entries.data(),
                                         values.size() * sizeof(std::uint32_t), values.data());
  vk::PipelineCreateFlags flags;
  if (context_->compiler_figures()) flags |= vk::PipelineCreateFlagBits::eCaptureStatisticsKHR;
  context_->run(fmt::format("compiling shader {}", name_), [&] {
    create_layout();
    const Clock::time_point start = Clock::now();
    // The module is needed only until the pipeline exists.
    const vk::raii::ShaderModule module = context_->device().createShaderModule(
        {{}, spirv.size() * sizeof(std::uint32_t), spirv.data()});
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module,
                                                  "main", entries.empty() ? nullptr : &constants);
    pipeline_ = context_->device().createComputePipeline(context_->pipeline_cache(),
                                                         {flags, stage, *layout_});
    ++context_->counters().pipelines_created;
    context_->counters().pipeline_creation +=
        std::chrono::duration_cast<Nanoseconds>(Clock::now() - start);
  });
  context_->validation_log().throw_if_any();
}

std::vector<CompilerFigure> VulkanProgram::compiler_figures() const {
  if (!context_->compiler_figures()) return {};
  return context_->run(fmt::format("reading the compiler's figures of shader {}", name_), [&] {
    // A compute pipeline has exactly one executable.
    std::vector<CompilerFigure> figures;
    for (const auto& figure :
         context_->device().getPipelineExecutableStatisticsKHR({*pipeline_, 0})) {
      using Format = vk::PipelineExecutableStatisticFormatKHR;
      if (figure.format != Format::eUint64 && figure.format != Format::eInt64) continue;
      figures.push_back({figure.name.data(), figure.value.u64});
    }
    return figures;
  });
}

}  // namespace sidecore::qpu
