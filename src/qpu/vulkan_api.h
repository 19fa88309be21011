// Configures Vulkan-Hpp. Only vulkan_*.cpp and vulkan_*.h of this folder include this header.
#pragma once

// No Vulkan function is linked: the loader is opened at run time, and every call uses the dispatch
// table of its RAII handle.
#define VK_NO_PROTOTYPES 1
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#define VULKAN_HPP_ENABLE_DYNAMIC_LOADER_TOOL 0
#include <vulkan/vulkan_raii.hpp>

#include <string>
#include <type_traits>

namespace sidecore::qpu {

/// Returns the result's Vulkan name, e.g. "VK_ERROR_OUT_OF_DEVICE_MEMORY".
[[nodiscard]] std::string vulkan_name(vk::Result result);

/// Throws Error (environment) that names the operation `doing`, the failed call and its result.
[[noreturn]] void throw_vulkan_error(const std::string& doing, const vk::SystemError& error);

/// Runs Vulkan calls and turns their failure into an Error. `doing` reads like "creating a buffer
/// of 64 bytes".
template <class Calls>
auto checked(const std::string& doing, const Calls& calls) -> decltype(calls()) {
  try {
    return calls();
  } catch (const vk::SystemError& error) {
    throw_vulkan_error(doing, error);
  }
}

/// Makes the destructor of a borrowed handle destroy nothing. Vulkan-Hpp's RAII handles cannot
/// release ownership (as of Vulkan 1.3.239), so the destroy function in their dispatch table is
/// replaced by one that does nothing. Each handle has its own table.
inline void never_destroy(const vk::raii::Instance& instance) {
  using Table = std::remove_cvref_t<decltype(*instance.getDispatcher())>;
  const_cast<Table*>(instance.getDispatcher())->vkDestroyInstance =
      [](VkInstance, const VkAllocationCallbacks*) {};
}
inline void never_destroy(const vk::raii::Device& device) {
  using Table = std::remove_cvref_t<decltype(*device.getDispatcher())>;
  const_cast<Table*>(device.getDispatcher())->vkDestroyDevice = [](VkDevice,
                                                                   const VkAllocationCallbacks*) {};
}

}  // namespace sidecore::qpu
