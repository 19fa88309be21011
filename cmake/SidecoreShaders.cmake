# Turns GLSL compute shaders into SPIR-V: glslang compiles them, SPIRV-Tools optimises and validates them. Embeds each as an
# array of 32-bit words, together with its declared interface.

find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
find_program(SPIRV_OPT spirv-opt REQUIRED)
find_program(SPIRV_VAL spirv-val REQUIRED)

# The compiled shaders (SPIR-V) are the same in every build tree, so other trees can use those of one tree.
set(SIDECORE_SHADERS_FROM "" CACHE PATH
  "Build tree of the same sources and options whose compiled shaders are used; empty: compile them in this tree")
if(SIDECORE_SHADERS_FROM)
  set(SIDECORE_SHADER_DIR ${SIDECORE_SHADERS_FROM}/shaders)
else()
  set(SIDECORE_SHADER_DIR ${PROJECT_BINARY_DIR}/shaders)
endif()
set_property(GLOBAL PROPERTY sidecore_shader_tables "")

# The program that writes the tables. It runs on the building machine, so a cross build compiles it separately.
set(embed_shaders_sources ${PROJECT_SOURCE_DIR}/shaders/embed_shaders.cpp
  ${PROJECT_SOURCE_DIR}/src/qpu/shader_interface.cpp)
if(NOT CMAKE_CROSSCOMPILING)
  add_executable(embed_shaders EXCLUDE_FROM_ALL ${embed_shaders_sources})
  target_include_directories(embed_shaders PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(embed_shaders PRIVATE cxx_std_20)
  target_compile_options(embed_shaders PRIVATE -O1)  # the option of a cross build, below
  target_link_libraries(embed_shaders PRIVATE fmt::fmt)
  set(SIDECORE_EMBED_SHADERS embed_shaders)
elseif(NOT SIDECORE_SHADERS_FROM)
  find_program(SIDECORE_BUILD_CXX NAMES c++ g++ clang++ DOC "Compiler for this machine, of C++20" REQUIRED)
  file(MAKE_DIRECTORY ${SIDECORE_SHADER_DIR})
  set(SIDECORE_EMBED_SHADERS ${SIDECORE_SHADER_DIR}/embed_shaders)
  add_custom_command(OUTPUT ${SIDECORE_EMBED_SHADERS}
    COMMAND ${SIDECORE_BUILD_CXX} -std=c++20 -O1 -I${PROJECT_SOURCE_DIR}/src -o ${SIDECORE_EMBED_SHADERS}
            ${embed_shaders_sources} -lfmt
    DEPENDS ${embed_shaders_sources} ${PROJECT_SOURCE_DIR}/src/qpu/shader_interface.h
            ${PROJECT_SOURCE_DIR}/src/qpu/program.h ${PROJECT_SOURCE_DIR}/src/base/error.h
    COMMENT "Building embed_shaders for this machine" VERBATIM)
  # Target by which other folders depend on the program.
  add_custom_target(embed_shaders DEPENDS ${SIDECORE_EMBED_SHADERS})
endif()

# sidecore_compile_shaders(): adds the target "shaders", which updates all shaders here or in the other tree. Call it after
# all tables are declared.
function(sidecore_compile_shaders)
  get_property(tables GLOBAL PROPERTY sidecore_shader_tables)
  if(SIDECORE_SHADER_DIR STREQUAL "${PROJECT_BINARY_DIR}/shaders")
    add_custom_target(shaders DEPENDS ${tables})
  else()
    add_custom_target(shaders BYPRODUCTS ${tables}
      COMMAND ${CMAKE_COMMAND} --build ${SIDECORE_SHADERS_FROM} --target shaders
      COMMENT "Shaders of ${SIDECORE_SHADERS_FROM}" VERBATIM)
  endif()
endfunction()

# sidecore_shader_table(TARGET FUNCTION shader ...): compiles each shader to build/shaders/<stem>.spv, and adds the source
# file <FUNCTION>.cpp to TARGET, which defines
#   std::span<const Shader> sidecore::qpu::FUNCTION()
# A shader is a file.comp, or file.comp|stem|NAME=VALUE|..., which compiles the file with definitions under another name.
function(sidecore_shader_table target function)
  set(table ${SIDECORE_SHADER_DIR}/${function}.cpp)
  set_property(GLOBAL APPEND PROPERTY sidecore_shader_tables ${table})
  set_source_files_properties(${table} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${table})
  if(NOT SIDECORE_SHADER_DIR STREQUAL "${PROJECT_BINARY_DIR}/shaders")
    add_dependencies(${target} shaders)
    return()
  endif()
  file(MAKE_DIRECTORY ${SIDECORE_SHADER_DIR})
  set(spirv_files)
  foreach(shader ${ARGN})
    string(REPLACE "|" ";" definitions ${shader})
    list(POP_FRONT definitions source stem)
    if(NOT stem)
      cmake_path(GET source STEM stem)
    endif()
    list(TRANSFORM definitions PREPEND -D)
    set(spirv ${SIDECORE_SHADER_DIR}/${stem}.spv)
    # Compiling and optimising are two commands, because ninja requires that glslang's dependency file names the output.
    add_custom_command(OUTPUT ${spirv}.raw
      COMMAND ${GLSLANG_VALIDATOR} --quiet -V --target-env vulkan1.1
              -I${PROJECT_SOURCE_DIR}/shaders ${definitions}
              --depfile ${spirv}.d -o ${spirv}.raw ${source}
      DEPENDS ${source} DEPFILE ${spirv}.d
      COMMENT "Shader ${stem}" VERBATIM)
    add_custom_command(OUTPUT ${spirv}
      # --preserve-spec-constants is needed because otherwise the constant of local_size_x_id counts as unused, and
      # the workgroup shrinks to 1. --loop-unroll is needed because a driver that is short of registers may not unroll
      # marked loops, which moves their arrays to memory.
      COMMAND ${SPIRV_OPT} --target-env=vulkan1.1 --preserve-spec-constants -O --loop-unroll -O
              ${spirv}.raw -o ${spirv}
      COMMAND ${SPIRV_VAL} --target-env vulkan1.1 ${spirv}
      DEPENDS ${spirv}.raw
      COMMENT "Optimising shader ${stem}" VERBATIM)
    list(APPEND spirv_files ${spirv})
  endforeach()
  add_custom_command(OUTPUT ${table}
    COMMAND ${SIDECORE_EMBED_SHADERS} ${table} ${function} ${spirv_files}
    DEPENDS ${spirv_files} embed_shaders ${SIDECORE_EMBED_SHADERS}
    COMMENT "Embedding shaders: ${function}" VERBATIM)
endfunction()

# sidecore_shaders(TARGET shader ...): embeds the product's shaders as embedded_shaders().
function(sidecore_shaders target)
  sidecore_shader_table(${target} embedded_shaders ${ARGN})
endfunction()
