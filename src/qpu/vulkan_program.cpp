#include "qpu/vulkan_program.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "qpu/spirv_reflection.h"

namespace sidecore::qpu {

VulkanProgram::VulkanProgram(std::shared_ptr<VulkanContext> context,
                             const ShaderDirectory& replacements, const ProgramInterface& interface,
                             const Specialization& specialization)
    : context_(std::move(context)),
      name_(interface.shader),
      interface_(interface),
      specialization_(specialization) {
  interface_.shader = name_;
  if (const auto replacement = replacements.find(name_)) {
    judge(*replacement, fmt::format("shader '{}'", replacements.path_of(name_).native()));
    create_pipeline(*replacement);
  } else {
    const auto spirv = embedded_spirv(interface_);
    judge(spirv, fmt::format("shader {}", name_));
    create_pipeline(spirv);
  }
}

bool VulkanProgram::made_for(const ProgramInterface& interface,
                             const Specialization& specialization) const {
  return interface.shader == interface_.shader && interface.bindings == interface_.bindings &&
         interface.push_constant_bytes == interface_.push_constant_bytes &&
         interface.needs_8bit_storage == interface_.needs_8bit_storage &&
         interface.spirv.data() == interface_.spirv.data() &&
         interface.spirv.size() == interface_.spirv.size() && specialization == specialization_;
}

// Everything that can be known without a driver is checked before a driver sees the shader.
void VulkanProgram::judge(std::span<const std::uint32_t> spirv, const std::string& origin) {
  SpirvReflection shader;
  try {
    shader = reflect_spirv(spirv, specialization_);
  } catch (const Error& error) {
    throw usage_error("{}: {}", origin, error.what());
  }
  const auto drift = interface_drift(shader, interface_, specialization_);
  if (!drift.empty()) {
    throw usage_error("{} does not fit its interface: {}", origin, fmt::join(drift, "; "));
  }
  const auto missing = missing_for(context_->info(), context_->limits(), shader);
  if (!missing.empty()) {
    throw environment_error("{} cannot run on {}: {}", origin, context_->info().name,
                            fmt::join(missing, "; "));
  }
  workgroup_size_ = shader.local_size;
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
    // Needed until the pipeline exists, no longer.
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
  return context_->run(fmt::format("asking about the code of shader {}", name_), [&] {
    // A compute pipeline is one executable.
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
