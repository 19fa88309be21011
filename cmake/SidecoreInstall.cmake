# cmake --install: the command, the players' plugins, and the C library, which is all that programs can build on:
# find_package(sidecore) gives sidecore::sidecore, the shared one, and sidecore::sidecore_static. tests/consumer holds it
# to that.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/sidecore)

# What libsidecore.a is linked with, archives without headers.
set(libraries sidecore_base sidecore_video sidecore_vp9 sidecore_metrics sidecore_neon sidecore_qpu
  sidecore_capi sidecore_shared)
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

configure_package_config_file(cmake/sidecoreConfig.cmake.in ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  INSTALL_DESTINATION ${package_directory})
# Before 1.0 a minor version may change what is public.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  ${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  DESTINATION ${package_directory} COMPONENT library_dev)
