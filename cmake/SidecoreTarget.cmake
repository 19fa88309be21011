# Compile options every target of the project shares, and the library-per-module helper.
include(GNUInstallDirs)
cmake_path(SET SIDECORE_TREE NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/..)

add_library(sidecore_options INTERFACE)
add_library(sidecore::options ALIAS sidecore_options)
target_compile_features(sidecore_options INTERFACE cxx_std_20)
# Contraction is off because a fused multiply-add rounds once where the definitions round twice;
# results must not depend on the instruction set (docs/design.md, "Floating-point results do not depend on the device").
target_compile_options(sidecore_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
# At -O3 gcc 12 takes a literal + a temporary string for a copy onto itself (its bug 105651). clang-tidy,
# which reads the dev build's commands, does not know the warning.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sidecore_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
# In a unity unit gcc takes a .cpp for a header, where a type in an unnamed namespace would be suspicious.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sidecore_options INTERFACE -Wno-subobject-linkage)
endif()
if(SIDECORE_WERROR)
  target_compile_options(sidecore_options INTERFACE -Werror)
endif()
if(SIDECORE_FUZZ)
  target_compile_options(sidecore_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SIDECORE_SANITIZE)
  target_compile_options(sidecore_options INTERFACE
    -fsanitize=${SIDECORE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(sidecore_options INTERFACE -fsanitize=${SIDECORE_SANITIZE})
  if(SIDECORE_SANITIZE MATCHES "undefined")
    # A null pointer that is used, and what lies beyond an object, the address sanitizer finds by itself.
    target_compile_options(sidecore_options INTERFACE
      -fno-sanitize-recover=undefined -fno-sanitize=null,object-size)
  endif()
  # For tests; clang 14 has no macro of its own for every sanitizer.
  target_compile_definitions(sidecore_options INTERFACE SIDECORE_SANITIZED)
  add_library(sidecore_sanitized_drivers OBJECT ${SIDECORE_TREE}/tests/sanitizers/drivers.cpp)
  target_sources(sidecore_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:sidecore_sanitized_drivers>>)
  target_link_options(sidecore_options INTERFACE -Wl,--export-dynamic-symbol=dlclose)
endif()

# What writes and reads documents, pages and tables, and computes on no sample: gcc takes half as long at -O1,
# and nobody would notice the rest. clang, for sanitizers, takes less than half at -O0; fuzzers are to be fast.
function(sidecore_optimise_little target)
  if(SIDECORE_FUZZ)
    target_compile_options(${target} PRIVATE -O1)
  elseif(SIDECORE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
endfunction()

# sidecore_library(MODULE [sources...]): the static library sidecore_MODULE, alias sidecore::MODULE, of the folder
# MODULE in src or bench; headers are included as "MODULE/name.h". Without sources: all of its folder, so that a new file needs no line here.
function(sidecore_library module)
  set(sources ${ARGN})
  if(NOT sources)
    file(GLOB sources CONFIGURE_DEPENDS *.cpp core/*.cpp metrics/*.cpp vp9/*.cpp)
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH include_root)
  add_library(sidecore_${module} STATIC ${sources})
  add_library(sidecore::${module} ALIAS sidecore_${module})
  set_target_properties(sidecore_${module} PROPERTIES EXPORT_NAME ${module} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(sidecore_${module} PUBLIC
    $<BUILD_INTERFACE:${include_root}>)
  target_link_libraries(sidecore_${module} PRIVATE $<BUILD_INTERFACE:sidecore::options>)
  target_compile_features(sidecore_${module} PUBLIC cxx_std_20)
  # Sanitized, only what computes on samples is worth the compiler's time; fuzzers are to be fast.
  if(SIDECORE_SANITIZE AND NOT SIDECORE_FUZZ AND NOT module MATCHES "^(base|video|vp9|metrics|neon|v3dsim)$")
    target_compile_options(sidecore_${module} PRIVATE -O0)
  endif()
endfunction()
