// A Vulkan layer that loses the device. From submission number SIDECORE_LOSE_DEVICE_AT on,
// submissions and waits for fences fail with VK_ERROR_DEVICE_LOST; earlier submissions have
// finished. SIDECORE_LARGEST_BUFFER sets the device's limit of storage buffers, in bytes. Without
// these variables the layer does nothing. It supports one device at a time.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <string_view>

namespace {

PFN_vkGetInstanceProcAddr g_next_of_instance = nullptr;
PFN_vkGetDeviceProcAddr g_next_of_device = nullptr;
VkInstance g_instance = VK_NULL_HANDLE;
PFN_vkGetPhysicalDeviceProperties2 g_properties = nullptr;
PFN_vkQueueSubmit g_submit = nullptr;
PFN_vkWaitForFences g_wait = nullptr;
PFN_vkQueueWaitIdle g_wait_idle = nullptr;
std::atomic<int> g_submissions = 0;
std::atomic<bool> g_lost = false;

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties2* properties) {
  g_properties(device, properties);
  const char* const most = std::getenv("SIDECORE_LARGEST_BUFFER");
  if (most == nullptr) return;
  properties->properties.limits.maxStorageBufferRange = static_cast<std::uint32_t>(std::atoi(most));
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                      VkFence fence) {
  const char* const at = std::getenv("SIDECORE_LOSE_DEVICE_AT");
  if (++g_submissions < (at != nullptr ? std::atoi(at) : INT_MAX)) {
    return g_submit(queue, count, infos, fence);
  }
  // Waits for the queue, because the caller may free memory of a lost device, which the real device
  // still uses.
  if (!g_lost) g_wait_idle(queue);
  g_lost = true;
  return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, std::uint32_t count, const VkFence* fences,
                                    VkBool32 all, std::uint64_t timeout) {
  return g_lost ? VK_ERROR_DEVICE_LOST : g_wait(device, count, fences, all, timeout);
}

/// Returns the loader's link to the next layer, from the chain of structures that a creation call
/// gets.
template <class Link>
Link* link_of(const void* chain, VkStructureType type) {
  auto* link = static_cast<Link*>(const_cast<void*>(chain));
  while (link->sType != type || link->function != VK_LAYER_LINK_INFO) {
    link = static_cast<Link*>(const_cast<void*>(link->pNext));
  }
  return link;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
  auto* const link = link_of<VkLayerInstanceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  g_next_of_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(g_next_of_instance(nullptr, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  g_instance = *instance;
  g_properties = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
      g_next_of_instance(*instance, "vkGetPhysicalDeviceProperties2"));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                             const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator,
                                             VkDevice* device) {
  auto* const link =
      link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  g_next_of_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(next(g_instance, "vkCreateDevice"));
  const VkResult result = create(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  g_submissions = 0;
  g_lost = false;
  g_submit = reinterpret_cast<PFN_vkQueueSubmit>(g_next_of_device(*device, "vkQueueSubmit"));
  g_wait = reinterpret_cast<PFN_vkWaitForFences>(g_next_of_device(*device, "vkWaitForFences"));
  g_wait_idle = reinterpret_cast<PFN_vkQueueWaitIdle>(g_next_of_device(*device, "vkQueueWaitIdle"));
  return result;
}

}  // namespace

extern "C" {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name) {
  const std::string_view asked = name;
  if (asked == "vkGetDeviceProcAddr") {
    return reinterpret_cast<PFN_vkVoidFunction>(vkGetDeviceProcAddr);
  }
  if (asked == "vkQueueSubmit") return reinterpret_cast<PFN_vkVoidFunction>(submit);
  if (asked == "vkWaitForFences") return reinterpret_cast<PFN_vkVoidFunction>(wait);
  return g_next_of_device(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char* name) {
  const std::string_view asked = name;
  if (asked == "vkGetInstanceProcAddr") {
    return reinterpret_cast<PFN_vkVoidFunction>(vkGetInstanceProcAddr);
  }
  if (asked == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (asked == "vkGetPhysicalDeviceProperties2") {
    return reinterpret_cast<PFN_vkVoidFunction>(get_properties);
  }
  if (asked == "vkCreateDevice") return reinterpret_cast<PFN_vkVoidFunction>(create_device);
  if (asked == "vkGetDeviceProcAddr") {
    return reinterpret_cast<PFN_vkVoidFunction>(vkGetDeviceProcAddr);
  }
  return g_next_of_instance == nullptr ? nullptr : g_next_of_instance(instance, name);
}
}
