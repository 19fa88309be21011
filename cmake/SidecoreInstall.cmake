# Rules of cmake --install for the command, the players' plugins, the C library, and the shared object with libvmaf's
# interface. find_package(sidecore) defines sidecore::sidecore, the shared library, and sidecore::sidecore_static.
# tests/consumer tests this.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/sidecore)

# Static libraries that libsidecore.a needs; they are installed without headers.
set(libraries sidecore_base sidecore_video sidecore_vp9 sidecore_metrics sidecore_neon sidecore_qpu
  sidecore_capi sidecore_shared)
# Components follow Debian's packages: files to run programs, and files to build them.
install(TARGETS ${libraries} EXPORT sidecoreTargets ARCHIVE COMPONENT library_dev
  LIBRARY COMPONENT library NAMELINK_COMPONENT library_dev)
add_custom_target(installed DEPENDS ${libraries} sidecore)
if(SIDECORE_VA_DRIVER)
  add_dependencies(installed sidecore_va)
endif()
if(SIDECORE_GSTREAMER)
  add_dependencies(installed sidecore_gst)
endif()

# The C library's headers, and libsidecore.pc for programs that do not use CMake.
install(FILES include/sidecore/sidecore.h include/sidecore/decoder.h include/sidecore/metrics.h
  include/sidecore/vulkan.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sidecore COMPONENT library_dev)
file(RELATIVE_PATH include_from_libdir /${CMAKE_INSTALL_LIBDIR} /${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/libsidecore.pc.in ${PROJECT_BINARY_DIR}/libsidecore.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libsidecore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT library_dev)
if(SIDECORE_LIBVMAF)
  add_dependencies(installed sidecore_libvmaf)
  install(TARGETS sidecore_libvmaf LIBRARY COMPONENT libvmaf NAMELINK_COMPONENT libvmaf_dev)
  install(DIRECTORY include/libvmaf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libvmaf_dev)
  configure_file(cmake/libvmaf.pc.in ${PROJECT_BINARY_DIR}/libvmaf.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/libvmaf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libvmaf_dev)
endif()
install(EXPORT sidecoreTargets NAMESPACE sidecore:: DESTINATION ${package_directory} COMPONENT library_dev)

configure_package_config_file(cmake/sidecoreConfig.cmake.in ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  INSTALL_DESTINATION ${package_directory})
# Before version 1.0 a minor version may change the public interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  ${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  DESTINATION ${package_directory} COMPONENT library_dev)
