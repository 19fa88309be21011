# cmake --install: the libraries with their headers, the command, and a package that gives
# find_package(sidecore) the targets sidecore::<room>. tests/consumer holds it to that.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/sidecore)

get_property(libraries GLOBAL PROPERTY SIDECORE_LIBRARIES)
install(TARGETS ${libraries} EXPORT sidecoreTargets)
add_custom_target(installed DEPENDS ${libraries} sidecore)
install(EXPORT sidecoreTargets NAMESPACE sidecore:: DESTINATION ${package_directory})

# Every header of a room is public but those that need headers of Vulkan, SIMDe or JSON, which a user of
# the libraries can do without.
foreach(library ${libraries})
  string(REPLACE "sidecore_" "" room ${library})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sidecore
    FILES_MATCHING PATTERN "*.h" PATTERN "vulkan_*.h" EXCLUDE PATTERN "neon.h" EXCLUDE
    PATTERN "base/json.h" EXCLUDE PATTERN "families.h" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sidecore
  FILES_MATCHING PATTERN "*.interface.h")

configure_package_config_file(cmake/sidecoreConfig.cmake.in ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  INSTALL_DESTINATION ${package_directory})
# Before 1.0 a minor version may change what is public.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/sidecoreConfig.cmake
  ${PROJECT_BINARY_DIR}/sidecoreConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindLibav.cmake
  DESTINATION ${package_directory})
