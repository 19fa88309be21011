// embed_shaders OUTPUT FUNCTION SPIRV_FILE... writes the C++ file OUTPUT. It defines
// sidecore::qpu::FUNCTION(), which returns the shaders, each under the name of its file. The build
// compiles and runs this program (cmake/SidecoreShaders.cmake).
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "qpu/shader_interface.h"

namespace sidecore::qpu {
namespace {

std::vector<std::uint32_t> read_words(const std::filesystem::path& path) {
  std::vector<std::uint32_t> words(std::filesystem::file_size(path) / sizeof(std::uint32_t));
  std::ifstream file(path, std::ios::binary);
  // spirv-opt writes SPIR-V in the host's byte order, and all supported hosts are little-endian.
  file.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
  if (!file) throw environment_error("cannot read '{}'", path.native());
  return words;
}

constexpr std::string_view name_of(Access access) {
  switch (access) {
    case Access::none:
      return "none";
    case Access::read:
      return "read";
    case Access::write:
      return "write";
    case Access::read_write:
      break;
  }
  return "read_write";
}

template <class List, class Text>
std::string initializer(const List& list, const Text& text) {
  std::string result = "{";
  for (const auto& element : list) result += text(element) + ",";
  return result + "}";
}

std::string initializer(const ShaderInterface& shader) {
  const auto number = [](std::uint32_t value) { return fmt::format("{}", value); };
  return fmt::format(
      "{{\n    .bindings = {},\n    .push_constant_bytes = {},\n    .workgroup_size = {},\n"
      "    .shared_memory_bytes = {},\n    .capabilities = {},\n    .specialization_ids = {},\n"
      "    .foreign_resources = {},\n    .sizes_are_specialized = {},\n}}",
      initializer(shader.bindings,
                  [](Access access) { return fmt::format("Access::{}", name_of(access)); }),
      shader.push_constant_bytes, initializer(shader.workgroup_size, number),
      shader.shared_memory_bytes, initializer(shader.capabilities, number),
      initializer(shader.specialization_ids, number),
      initializer(shader.foreign_resources,
                  [](const ForeignResource& resource) {
                    return fmt::format("ForeignResource{{{}, {}, {}}}", resource.set,
                                       resource.binding, resource.is_storage_buffer);
                  }),
      shader.sizes_are_specialized);
}

void append_definitions(const std::string& name, std::span<const std::uint32_t> words,
                        std::string& code) {
  code += fmt::format("constexpr std::uint32_t {}[] = {{", name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    fmt::format_to(std::back_inserter(code), "{}{:#x},", i % 8 == 0 ? "\n" : "", words[i]);
  }
  code += fmt::format("\n}};\nconstexpr ShaderInterface {}_interface{};\n", name,
                      initializer(read_interface(words, {})));
}

void embed(const std::filesystem::path& output, std::string_view function,
           std::span<char* const> files) {
  std::string code =
      "#include \"qpu/shader_library.h\"\n\nnamespace sidecore::qpu {\nnamespace {\n";
  std::string rows;
  for (const std::filesystem::path file : files) {
    const std::string name = file.stem().native();
    append_definitions(name, read_words(file), code);
    rows += fmt::format("    {{\"{0}\", {0}, &{0}_interface}},\n", name);
  }
  code += fmt::format(
      "constexpr Shader kShaders[] = {{\n{0}}};\n}}  // namespace\n\n"
      "std::span<const Shader> {1}();\nstd::span<const Shader> {1}() {{ return kShaders; }}\n\n"
      "}}  // namespace sidecore::qpu\n",
      rows, function);
  std::ofstream stream(output, std::ios::binary);
  stream << code;
  stream.close();
  if (!stream) throw environment_error("cannot write '{}'", output.native());
}

}  // namespace
}  // namespace sidecore::qpu

int main(int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() < 3) {
    fmt::print(stderr, "Usage: embed_shaders OUTPUT FUNCTION SPIRV_FILE...\n");
    return 2;
  }
  try {
    sidecore::qpu::embed(arguments[1], arguments[2], arguments.subspan(3));
  } catch (const std::exception& error) {
    fmt::print(stderr, "embed_shaders: {}\n", error.what());
    return 1;
  }
  return 0;
}
