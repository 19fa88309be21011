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
  /// Of a shader that resolve() returned. Throws Error (environment) naming what the device lacks,
  /// or (usage) when a replacement declares what the shader does not.
  VulkanProgram(std::shared_ptr<VulkanContext> context, const ShaderDirectory& replacements,
                const Shader& shader, const Specialization& specialization);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] const ShaderInterface& interface() const override { return interface_; }
  [[nodiscard]] const Specialization& specialization() const override { return specialization_; }
  [[nodiscard]] std::vector<CompilerFigure> compiler_figures() const override;

  /// Whether it was made for exactly this.
  [[nodiscard]] bool made_for(const Shader& shader, const Specialization& specialization) const;

  [[nodiscard]] const std::shared_ptr<VulkanContext>& context() const { return context_; }
  [[nodiscard]] vk::DescriptorSetLayout set_layout() const { return *set_layout_; }
  [[nodiscard]] vk::PipelineLayout layout() const { return *layout_; }
  [[nodiscard]] vk::Pipeline pipeline() const { return *pipeline_; }

 private:
  void judge(const ShaderInterface& host, const std::string& origin) const;
  void create_layout();
  void create_pipeline(std::span<const std::uint32_t> spirv);

  std::shared_ptr<VulkanContext> context_;
  std::string name_;
  std::span<const std::uint32_t> spirv_;  // before any replacement: what the host was written for
  Specialization specialization_;
  ShaderInterface interface_;
  vk::raii::DescriptorSetLayout set_layout_{nullptr};
  vk::raii::PipelineLayout layout_{nullptr};
  vk::raii::Pipeline pipeline_{nullptr};
};

}  // namespace sidecore::qpu
