# Compile options that all targets of the project share, and the function that makes a module's library.
include(GNUInstallDirs)
cmake_path(SET SIDECORE_TREE NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/..)

add_library(sidecore_options INTERFACE)
add_library(sidecore::options ALIAS sidecore_options)
target_compile_features(sidecore_options INTERFACE cxx_std_20)
# Contraction is off because a fused multiply-add rounds once, but the scalar definitions round twice.
# Results must not depend on the instruction set (docs/design.md, "Floating-point results do not depend on the device").
target_compile_options(sidecore_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
# At -O3 gcc 12 wrongly warns that a literal + a temporary string copies onto itself (gcc bug 105651). clang-tidy reads
# the dev build's commands and does not know the warning.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sidecore_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
# The warning is off because in a unity build gcc treats a .cpp as a header, and warns about types in unnamed
# namespaces.
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
    # The address sanitizer finds null pointers and accesses outside objects, so these checks are left out.
    target_compile_options(sidecore_options INTERFACE
      -fno-sanitize-recover=undefined -fno-sanitize=null,object-size)
  endif()
  # Tests read this macro, because clang 14 does not define one for every sanitizer.
  target_compile_definitions(sidecore_options INTERFACE SIDECORE_SANITIZED)
  add_library(sidecore_sanitized_drivers OBJECT ${SIDECORE_TREE}/tests/sanitizers/drivers.cpp)
  target_sources(sidecore_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:sidecore_sanitized_drivers>>)
  target_link_options(sidecore_options INTERFACE -Wl,--export-dynamic-symbol=dlclose)
endif()

# sidecore_optimise_little(TARGET): lowers the optimisation of code that reads and writes documents and does not
# compute on samples. At -O1 gcc compiles in half the time, and the slower code does not matter. Under sanitizers the
# level is -O0, at which clang takes less than half the time, except in fuzz targets, which must be fast.
function(sidecore_optimise_little target)
  if(SIDECORE_FUZZ)
    target_compile_options(${target} PRIVATE -O1)
  elseif(SIDECORE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
endfunction()

# Saves a fifth of the time of a build from scratch. The preset dev leaves it out, so that developers' builds find missing
# includes.
option(SIDECORE_PRECOMPILED_HEADERS "Compile the most common headers once instead of once per target" OFF)

# sidecore_share_headers(TARGET [headers...]): with SIDECORE_PRECOMPILED_HEADERS, gives the target the most common headers
# and `headers` in compiled form. Targets with the same options share them. It takes effect at the end of the folder's
# CMakeLists.txt, where the target's options are final.
function(sidecore_share_headers target)
  if(SIDECORE_PRECOMPILED_HEADERS)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL sidecore_use_shared_headers [[${target}]] [[${ARGN}]])")
  endif()
endfunction()

function(sidecore_use_shared_headers target headers)
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  string(MD5 key "${options} ${independent} ${headers}")
  set(owner sidecore_headers_${key})
  if(NOT TARGET ${owner})
    if(NOT EXISTS ${PROJECT_BINARY_DIR}/shared_headers.cpp)
      file(WRITE ${PROJECT_BINARY_DIR}/shared_headers.cpp "")
    endif()
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/shared_headers.cpp)
    if(options)
      set_target_properties(${owner} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ${independent} UNITY_BUILD OFF)
    target_link_libraries(${owner} PRIVATE sidecore::options fmt::fmt)
    if(headers MATCHES gtest)
      target_link_libraries(${owner} PRIVATE GTest::gtest)
    endif()
    target_precompile_headers(${owner} PRIVATE <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory>
      <optional> <span> <string> <utility> <vector> <fmt/format.h> ${headers})
  endif()
  # gcc takes the optimisation options of a function from the compiled headers. So a file with options of its own
  # compiles the headers itself.
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(own_options ${source} COMPILE_OPTIONS)
    if(own_options)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  # The headers were compiled with fmt's definitions, which a target that does not use fmt lacks.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# sidecore_library(MODULE [sources...]): makes the static library sidecore_MODULE, alias sidecore::MODULE, of the folder
# MODULE in src or bench. Headers are included as "MODULE/name.h". Without sources it uses all files of the folder.
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
  # Under sanitizers only the modules that compute on samples are optimised, to save compile time. Fuzz targets must
  # be fast.
  if(SIDECORE_SANITIZE AND NOT SIDECORE_FUZZ AND NOT module MATCHES "^(base|video|vp9|metrics|neon|v3dsim)$")
    target_compile_options(sidecore_${module} PRIVATE -O0)
  endif()
  if(NOT module STREQUAL neon)  # NEON's instruction counts must not depend on this option
    sidecore_share_headers(sidecore_${module})
  endif()
endfunction()
