# cmake --install: the command, and the libraries with their public headers as a package that gives
# find_package(sidecore) the targets sidecore::MODULE. tests/consumer holds it to that.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/sidecore)

# Without gates, split and the like: they serve the command.
set(modules base video libav vp9 metrics neon qpu)
list(TRANSFORM modules PREPEND sidecore_ OUTPUT_VARIABLE libraries)
list(APPEND libraries sidecore_capi sidecore_shared)
# Components as Debian has packages: what programs run with, and what they are built with.
install(TARGETS ${libraries} EXPORT sidecoreTargets ARCHIVE COMPONENT library_dev
  LIBRARY COMPONENT library NAMELINK_COMPONENT library_dev)
add_custom_target(installed DEPENDS ${libraries} sidecore)
if(SIDECORE_VA_DRIVER)
  add_dependencies(installed sidecore_va)
endif()
if(SIDECORE_GSTREAMER)
  add_dependencies(installed sidecore_gst)
endif()

# The C library's headers; for those without CMake, libsidecore.pc.
install(FILES include/sidecore/sidecore.h include/sidecore/decoder.h include/sidecore/metrics.h
  include/sidecore/vulkan.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sidecore COMPONENT library_dev)
file(RELATIVE_PATH include_from_libdir /${CMAKE_INSTALL_LIBDIR} /${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/libsidecore.pc.in ${PROJECT_BINARY_DIR}/libsidecore.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libsidecore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT library_dev)
install(EXPORT sidecoreTargets NAMESPACE sidecore:: DESTINATION ${package_directory} COMPONENT library_dev)

# What a user of the libraries includes. What these include is installed with them; all else is not.
set(public_headers
  base/error.h
  video/picture.h video/source.h video/packet_source.h video/synthetic_clip.h video/y4m_writer.h
  libav/open.h
  vp9/decoder.h vp9/superframe.h vp9/dsp.h vp9/loop_filter.h vp9/loop_filter_edges.h vp9/loop_filter_schedule.h
  metrics/families.h metrics/feature.h metrics/score_clips.h metrics/host_scorer.h metrics/result_file.h
  neon/metrics/feature_kernels.h neon/vp9/dsp.h
  qpu/device.h qpu/program.h qpu/command_list.h qpu/buffer.h
  qpu/metrics/picture_scorer.h qpu/vp9/loop_filter.h qpu/vp9/loop_filter_stage.h)
set(installed_headers)
while(public_headers)
  list(POP_FRONT public_headers header)
  if(header IN_LIST installed_headers)
    continue()
  endif()
  list(APPEND installed_headers ${header})
  set(path ${PROJECT_SOURCE_DIR}/src/${header})
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "A public header, or one that it includes, is not there: ${header}")
  endif()
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${path} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sidecore/${folder}
    COMPONENT library_dev)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} includes REGEX "^#include \"")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(APPEND public_headers ${includes})
endwhile()

configure_package_config_file(cmake/sidecoreConfig.cmake.in ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  INSTALL_DESTINATION ${package_directory})
# Before 1.0 a minor version may change what is public.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  ${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindLibav.cmake
  DESTINATION ${package_directory} COMPONENT library_dev)
