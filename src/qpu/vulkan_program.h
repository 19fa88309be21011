// Compute pipelines.
#pragma once

#include <memory>
#include <string>

#include "qpu/program.h"
#include "qpu/shader_library.h"
#include "qpu/vulkan_context.h"

namespace sidecore::qpu {

class VulkanProgram final : public Program, public std::enable_shared_from_this<VulkanProgram> {
 public:
  /// Throws Error (environment) naming what the device lacks, or (usage) when the shader and the
  /// host's interface differ.
  VulkanProgram(std::shared_ptr<VulkanContext> context, const ShaderDirectory& replacements,
                const ProgramInterface& interface, const Specialization& specialization);

  [[nodiscard]] const ProgramInterface& interface() const override { return interface_; }
  [[nodiscard]] std::array<std::uint32_t, 3> workgroup_size() const override {
    return workgroup_size_;
  }
  [[nodiscard]] const Specialization& specialization() const override { return specialization_; }
  [[nodiscard]] std::vector<CompilerFigure> compiler_figures() const override;

  /// Whether it was made for exactly this.
  [[nodiscard]] bool made_for(const ProgramInterface& interface,
                              const Specialization& specialization) const;

  [[nodiscard]] const std::shared_ptr<VulkanContext>& context() const { return context_; }
  [[nodiscard]] vk::DescriptorSetLayout set_layout() const { return *set_layout_; }
  [[nodiscard]] vk::PipelineLayout layout() const { return *layout_; }
  [[nodiscard]] vk::Pipeline pipeline() const { return *pipeline_; }

 private:
  void judge(std::span<const std::uint32_t> spirv, const std::string& origin);
  void create_layout();
  void create_pipeline(std::span<const std::uint32_t> spirv);

  std::shared_ptr<VulkanContext> context_;
  std::string name_;
  ProgramInterface interface_;
  Specialization specialization_;
  std::array<std::uint32_t, 3> workgroup_size_{};
  vk::raii::DescriptorSetLayout set_layout_{nullptr};
  vk::raii::PipelineLayout layout_{nullptr};
  vk::raii::Pipeline pipeline_{nullptr};
};

}  // namespace sidecore::qpu
