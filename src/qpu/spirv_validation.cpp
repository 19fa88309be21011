// Shaders of the build were validated when they were compiled; this is for files that users bring.
#include "qpu/shader_library.h"

#include <memory>

#include <spirv-tools/libspirv.h>

namespace sidecore::qpu {

std::optional<std::string> validate_spirv(std::span<const std::uint32_t> words) {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(SPV_ENV_VULKAN_1_1), spvContextDestroy);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result =
      spvValidateBinary(context.get(), words.data(), words.size(), &diagnostic);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> owner(
      diagnostic, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS) return std::nullopt;
  if (diagnostic == nullptr || diagnostic->error == nullptr) {
    return "the validator rejects it without a reason";
  }
  const std::string complaint = diagnostic->error;
  return complaint.substr(0, complaint.find('\n'));
}

}  // namespace sidecore::qpu
