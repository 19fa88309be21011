# Script: writes OUTPUT, a C++ file that defines sidecore::qpu::FUNCTION() over INPUTS.
set(code "#include \"qpu/shader_library.h\"\n\nnamespace sidecore::qpu {\nnamespace {\n")
set(rows "")
foreach(input ${INPUTS})
  cmake_path(GET input STEM stem)
  file(READ ${input} hex HEX)
  # SPIR-V is little-endian on disk here: spirv-opt writes the host's order, and every host is.
  string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words ${hex})
  string(REGEX REPLACE "(0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,)"
    "\\1\n" words ${words})
  string(APPEND code "constexpr std::uint32_t ${stem}[] = {\n${words}};\n")
  string(APPEND rows "    {\"${stem}\", ${stem}},\n")
endforeach()
string(APPEND code "constexpr Shader kShaders[] = {\n${rows}};\n}  // namespace\n\n"
  "std::span<const Shader> ${FUNCTION}();\n"
  "std::span<const Shader> ${FUNCTION}() { return kShaders; }\n\n"
  "}  // namespace sidecore::qpu\n")
file(WRITE ${OUTPUT} "${code}")
