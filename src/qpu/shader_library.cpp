#include "qpu/shader_library.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include <spirv-tools/libspirv.h>

#include "base/error.h"
#include "qpu/shader_interface.h"

namespace sidecore::qpu {
namespace {

// Upper limit, far above the size of any real shader: a wrong path must not fill memory.
constexpr std::uintmax_t kMaxShaderBytes = std::uintmax_t{16} << 20U;
constexpr std::uint32_t kSpirvMagic = 0x07230203;

std::vector<std::uint32_t> read_words(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw usage_error("cannot read shader '{}': {}", path.native(), error.message());
  if (bytes == 0 || bytes % 4 != 0 || bytes > kMaxShaderBytes) {
    throw usage_error(
        "shader '{}' has {} bytes; SPIR-V must have a multiple of 4 bytes, at most {}",
        path.native(), bytes, kMaxShaderBytes);
  }
  std::vector<std::uint32_t> words(static_cast<std::size_t>(bytes / 4));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes));
  if (!file) throw usage_error("cannot read shader '{}'", path.native());
  return words;
}

}  // namespace

const Shader& resolve(const Shader& shader) {
  if (!shader.spirv.empty()) return shader;
  for (const Shader& embedded : embedded_shaders()) {
    if (embedded.name == shader.name) return embedded;
  }
  throw usage_error("no shader is called '{}'", shader.name);
}

ShaderInterface interface_of(const Shader& shader, const Specialization& specialization) {
  if (shader.interface != nullptr && !shader.interface->sizes_are_specialized) {
    return *shader.interface;
  }
  return read_interface(shader.spirv, specialization);
}

// Validates files that users provide. The build has already validated the embedded shaders.
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

ShaderDirectory::ShaderDirectory(std::filesystem::path directory)
    : directory_(std::move(directory)) {
  if (directory_.empty()) return;
  std::error_code error;
  if (!std::filesystem::is_directory(directory_, error)) {
    throw usage_error(
        "shader directory '{}' {}", directory_.native(),
        std::filesystem::exists(directory_, error) ? "is not a directory" : "does not exist");
  }
  const auto shaders = embedded_shaders();
  if (std::none_of(shaders.begin(), shaders.end(), [&](const Shader& shader) {
        return std::filesystem::exists(path_of(shader.name), error);
      })) {
    throw usage_error("shader directory '{}' has no NAME.spv of any of the {} shaders built in",
                      directory_.native(), shaders.size());
  }
}

std::filesystem::path ShaderDirectory::path_of(std::string_view shader) const {
  return directory_ / (std::string(shader) + ".spv");
}

std::optional<std::vector<std::uint32_t>> ShaderDirectory::find(std::string_view shader) const {
  std::error_code error;
  if (directory_.empty() || !std::filesystem::exists(path_of(shader), error)) return std::nullopt;
  const std::filesystem::path path = path_of(shader);
  std::vector<std::uint32_t> words = read_words(path);
  if (words[0] != kSpirvMagic) {
    throw usage_error("shader '{}' is not SPIR-V: it starts with {:#010x}, expected {:#010x}",
                      path.native(), words[0], kSpirvMagic);
  }
  if (const auto complaint = validate_spirv(words)) {
    throw usage_error("shader '{}' is not valid SPIR-V for Vulkan 1.1: {}", path.native(),
                      *complaint);
  }
  return words;
}

}  // namespace sidecore::qpu
