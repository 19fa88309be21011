# Finds only Vulkan's headers. The Vulkan loader is opened at run time, so that the program starts on a machine
# without a loader and reports that it is missing.
find_path(VulkanHeaders_INCLUDE_DIR vulkan/vulkan_raii.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(VulkanHeaders REQUIRED_VARS VulkanHeaders_INCLUDE_DIR)
if(VulkanHeaders_FOUND AND NOT TARGET sidecore::vulkan_headers)
  add_library(sidecore_vulkan_headers INTERFACE)
  add_library(sidecore::vulkan_headers ALIAS sidecore_vulkan_headers)
  target_include_directories(sidecore_vulkan_headers SYSTEM INTERFACE ${VulkanHeaders_INCLUDE_DIR})
endif()
