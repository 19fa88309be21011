// Compute pipelines made from shaders.
#pragma once

#include <memory>
#include <string>

#include "qpu/program.h"
#include "qpu/shader_library.h"
#include "qpu/vulkan_context.h"

namespace sidecore::qpu {

class VulkanProgram final : public Program, public std::enable_shared_from_this<VulkanProgram> {
 public:
  /// Makes a program from a shader that resolve() returned. Throws Error (environment) naming what
  /// the device lacks, or Error (usage) if a replacement's interface differs from the shader's.
  VulkanProgram(std::shared_ptr<VulkanContext> context, const ShaderDirectory& replacements,
                const Shader& shader, const Specialization& specialization);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] const ShaderInterface& interface() const override { return interface_; }
  [[nodiscard]] const Specialization& specialization() const override { return specialization_; }
  [[nodiscard]] std::vector<CompilerFigure> compiler_figures() const override;

  /// Returns true if the program was made for exactly this shader and specialization.
  [[nodiscard]] bool is_made_for(const Shader& shader, const Specialization& specialization) const;

  [[nodiscard]] const std::shared_ptr<VulkanContext>& context() const { return context_; }
  [[nodiscard]] vk::DescriptorSetLayout set_layout() const { return *set_layout_; }
  [[nodiscard]] vk::PipelineLayout layout() const { return *layout_; }
  [[nodiscard]] vk::Pipeline pipeline() const { return *pipeline_; }

 private:
  void check_interface(const ShaderInterface& host, const std::string& origin) const;
  void create_layout();
  void create_pipeline(std::span<const std::uint32_t> spirv);

  std::shared_ptr<VulkanContext> context_;
  std::string name_;
  std::span<const std::uint32_t> spirv_;  // SPIR-V of the host's own shader, before any replacement
  Specialization specialization_;
  ShaderInterface interface_;
  vk::raii::DescriptorSetLayout set_layout_{nullptr};
  vk::raii::PipelineLayout layout_{nullptr};
  vk::raii::Pipeline pipeline_{nullptr};
};

}  // namespace sidecore::qpu
