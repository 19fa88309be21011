# cpack: a Debian package of the command alone, for this machine's or the sysroot's release of Debian.
# scripts/package makes them; scripts/board-root unpacks them again, with all they depend on.

# Debian names the package of a shared library after its SONAME: libavformat.so.59 is in libavformat59.
function(debian_package_of library result)
  file(REAL_PATH ${library} file)
  if(NOT file MATCHES "/(lib[a-z]+)\\.so\\.([0-9]+)[0-9.]*$")
    message(FATAL_ERROR "${library} is not a shared library with a version: no Debian package is known")
  endif()
  set(${result} ${CMAKE_MATCH_1}${CMAKE_MATCH_2} PARENT_SCOPE)
endfunction()

if(NOT SIDECORE_SHARED_LIBRARIES)
  get_target_property(fmt_library fmt::fmt IMPORTED_LOCATION_NONE)
  if(NOT fmt_library)
    get_target_property(fmt_library fmt::fmt LOCATION)
  endif()
  set(SIDECORE_SHARED_LIBRARIES ${fmt_library} ${Libav_LINK_LIBRARIES})
endif()
set(dependencies "")
foreach(library ${SIDECORE_SHARED_LIBRARIES})
  debian_package_of(${library} package)
  list(APPEND dependencies ${package})
  if(package MATCHES "^libavformat([0-9]+)$")
    set(libavformat ${CMAKE_MATCH_1})
  endif()
endforeach()
# The release of these libraries marks the version; the compiler's glibc is the least that serves.
set(release_of_libavformat59 12)
set(release_of_libavformat61 13)
set(release ${release_of_libavformat${libavformat}})
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -dM -include cstdlib -x c++ /dev/null
  OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "__GLIBC_MINOR__ ([0-9]+)" glibc "${macros}")
set(glibc ${CMAKE_MATCH_1})
string(REGEX MATCH "^[0-9]+" gcc ${CMAKE_CXX_COMPILER_VERSION})
list(APPEND dependencies "libc6 (>= 2.${glibc})" "libgcc-s1 (>= 3.0)" "libstdc++6 (>= ${gcc})" libvulkan1)
list(REMOVE_DUPLICATES dependencies)
list(SORT dependencies)

set(SIDECORE_BOARD "" CACHE STRING "Processor that the package is for (pi4, pi5); empty: any")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sidecore)
set(CPACK_PACKAGE_VENDOR sidecore)
set(CPACK_PACKAGE_CONTACT "sidecore maintainers <maintainers@sidecore.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find out whether a small board's GPU pays as a side core")
set(CPACK_PACKAGE_DESCRIPTION
  "Runs VP9 decoder stages and video quality metrics as Vulkan compute shaders
and as NEON code, compares their results byte by byte, and measures whether
handing a kernel to the GPU beats keeping it on the CPU.")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_NAME sidecore)
if(SIDECORE_BOARD)
  set(CPACK_DEBIAN_PACKAGE_NAME sidecore-${SIDECORE_BOARD})
  string(APPEND CPACK_PACKAGE_DESCRIPTION "\nCompiled for the processor of ${SIDECORE_BOARD}: it starts on no older one.")
  set(CPACK_DEBIAN_PACKAGE_PROVIDES sidecore)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS sidecore)
  set(CPACK_DEBIAN_PACKAGE_REPLACES sidecore)
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(release)
  string(APPEND CPACK_DEBIAN_PACKAGE_RELEASE "+deb${release}")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
list(JOIN dependencies ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS mesa-vulkan-drivers)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, linux-perf")
set(debian_architecture_of_aarch64 arm64)
set(debian_architecture_of_x86_64 amd64)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_architecture_of_${CMAKE_SYSTEM_PROCESSOR}})

# What Debian wants to see beside a program.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_PACKAGE_NAME} COMPONENT command)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${PROJECT_BINARY_DIR}/changelog.Debian)
file(WRITE ${changelog} "sidecore (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; urgency=medium

  * Version ${PROJECT_VERSION}, packaged from its source tree.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_PACKAGE_NAME}
  COMPONENT command)
include(CPack)
