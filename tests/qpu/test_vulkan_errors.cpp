// Tests the messages of failed Vulkan calls.
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "qpu/vulkan_api.h"

namespace sidecore::qpu::test_vulkan_errors {
namespace {

TEST(VulkanErrors, HaveTheNamesOfTheSpecification) {
  EXPECT_EQ(vulkan_name(vk::Result::eErrorInitializationFailed), "VK_ERROR_INITIALIZATION_FAILED");
  EXPECT_EQ(vulkan_name(vk::Result::eErrorOutOfDateKHR), "VK_ERROR_OUT_OF_DATE_KHR");
  EXPECT_EQ(vulkan_name(vk::Result::eErrorDeviceLost), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(vulkan_name(vk::Result::eTimeout), "VK_TIMEOUT");
}

std::string told(const char* call, vk::Result result) {
  try {
    checked("doing it", [&] { throw vk::SystemError(vk::make_error_code(result), call); });
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(VulkanErrors, NameTheCallHoweverTheLibraryDoes) {
  for (const char* call : {"vk::Device::allocateMemory", "vkAllocateMemory"}) {
    EXPECT_EQ(told(call, vk::Result::eErrorDeviceLost),
              "doing it: vkAllocateMemory returned VK_ERROR_DEVICE_LOST");
    EXPECT_EQ(told(call, vk::Result::eErrorOutOfDeviceMemory),
              "doing it: vkAllocateMemory returned VK_ERROR_OUT_OF_DEVICE_MEMORY");
  }
}

}  // namespace
}  // namespace sidecore::qpu::test_vulkan_errors
