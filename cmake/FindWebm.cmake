# Finds libwebm's parser. Debian's package has neither a pkg-config file nor one for CMake.
find_path(Webm_INCLUDE_DIR webm/webm_parser.h)
find_library(Webm_LIBRARY webm)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Webm REQUIRED_VARS Webm_LIBRARY Webm_INCLUDE_DIR)
if(Webm_FOUND AND NOT TARGET webm::webm)
  add_library(webm::webm UNKNOWN IMPORTED)
  set_target_properties(webm::webm PROPERTIES IMPORTED_LOCATION ${Webm_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Webm_INCLUDE_DIR})
endif()
