// Tests of the C library on a Vulkan device that the test opens and keeps using, as a player would.
#define VK_NO_PROTOTYPES 1
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vulkan/vulkan_raii.hpp>

#include "capi/decoding.h"
#include "sidecore/vulkan.h"

namespace sidecore {
namespace {

using namespace capi_test;

/// Instance, device and queue of a player; messages of the validation layer are failures.
class OwnDevice {
 public:
  OwnDevice() {
    const vk::ApplicationInfo application("player", 1, nullptr, 0, VK_API_VERSION_1_1);
    std::vector<const char*> layers;
    std::vector<const char*> extensions;
#ifndef SIDECORE_SANITIZED  // the same exception as in QpuTest
    constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
    for (const vk::LayerProperties& layer : context_.enumerateInstanceLayerProperties()) {
      if (std::strcmp(layer.layerName.data(), kValidationLayer) != 0) continue;
      layers.push_back(kValidationLayer);
      extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
#endif
    instance_ =
        vk::raii::Instance(context_, vk::InstanceCreateInfo({}, &application, layers, extensions));
    if (!layers.empty()) {
      // Vulkan's own structure is used, because releases of Vulkan-Hpp differ in the callback's
      // type.
      VkDebugUtilsMessengerCreateInfoEXT info{};
      info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
      info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
      info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
      info.pfnUserCallback = fail_test;
      messenger_ = instance_.createDebugUtilsMessengerEXT(info);
    }
    for (vk::raii::PhysicalDevice& physical : instance_.enumeratePhysicalDevices()) {
      const auto families = physical.getQueueFamilyProperties();
      const auto found =
          std::ranges::find_if(families, [](const vk::QueueFamilyProperties& family) {
            return static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eCompute);
          });
      if (found == families.end()) continue;
      physical_ = std::move(physical);
      family_ = static_cast<std::uint32_t>(found - families.begin());
      break;
    }
    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, family_, 1, &priority);
    device_ = vk::raii::Device(physical_, vk::DeviceCreateInfo({}, queue));
    queue_ = device_.getQueue(family_, 0);
  }

  /// Returns true if the CPU and the device use the same memory.
  [[nodiscard]] bool shares_memory() const {
    const vk::PhysicalDeviceType type = physical_.getProperties().deviceType;
    return type == vk::PhysicalDeviceType::eCpu || type == vk::PhysicalDeviceType::eIntegratedGpu;
  }

  /// Returns the device as the C library's structure.
  [[nodiscard]] sidecore_vulkan_device lent() {
    sidecore_vulkan_device lent{};
    lent.size = sizeof lent;
    lent.instance = *instance_;
    lent.physical_device = *physical_;
    lent.device = *device_;
    lent.queue_family = family_;
    lent.queue = *queue_;
    lent.lock_queue = [](void* cookie) {
      auto* const own = static_cast<OwnDevice*>(cookie);
      own->mutex_.lock();
      ++own->locked_;
    };
    lent.unlock_queue = [](void* cookie) { static_cast<OwnDevice*>(cookie)->mutex_.unlock(); };
    lent.cookie = this;
    return lent;
  }
  [[nodiscard]] PFN_vkGetInstanceProcAddr loader() const {
    return context_.getDispatcher()->vkGetInstanceProcAddr;
  }
  [[nodiscard]] int times_locked() const {
    return locked_;
  }

  /// Submits work of the test to the queue.
  void use_queue() {
    const std::scoped_lock lock(mutex_);
    queue_.submit(vk::SubmitInfo());
  }

  /// Returns `bytes` bytes of a buffer, from `offset` on, in a copy that the device makes.
  [[nodiscard]] std::vector<std::byte> copy_of(VkBuffer buffer, VkDeviceSize offset,
                                               std::size_t bytes) {
    using Access = vk::AccessFlagBits;
    using Stage = vk::PipelineStageFlagBits;
    const vk::raii::Buffer target =
        device_.createBuffer({{}, bytes, vk::BufferUsageFlagBits::eTransferDst});
    const vk::MemoryRequirements needs = target.getMemoryRequirements();
    const vk::raii::DeviceMemory memory =
        device_.allocateMemory({needs.size, host_memory(needs.memoryTypeBits)});
    target.bindMemory(*memory, 0);
    const vk::raii::CommandPool pool = device_.createCommandPool({{}, family_});
    const vk::raii::CommandBuffers commands(device_, {*pool, vk::CommandBufferLevel::ePrimary, 1});
    commands[0].begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    const vk::MemoryBarrier written(
        Access::eShaderWrite | Access::eTransferWrite | Access::eHostWrite, Access::eTransferRead);
    commands[0].pipelineBarrier(Stage::eAllCommands | Stage::eHost, Stage::eTransfer, {}, written,
                                {}, {});
    commands[0].copyBuffer(buffer, *target, vk::BufferCopy(offset, 0, bytes));
    const vk::MemoryBarrier copied(Access::eTransferWrite, Access::eHostRead);
    commands[0].pipelineBarrier(Stage::eTransfer, Stage::eHost, {}, copied, {}, {});
    commands[0].end();
    const vk::raii::Fence done = device_.createFence({});
    {
      const std::scoped_lock lock(mutex_);
      const vk::CommandBuffer handle = *commands[0];
      queue_.submit(vk::SubmitInfo(nullptr, nullptr, handle), *done);
    }
    EXPECT_EQ(device_.waitForFences(*done, VK_TRUE, UINT64_MAX), vk::Result::eSuccess);
    std::vector<std::byte> copied_bytes(bytes);
    std::memcpy(copied_bytes.data(), memory.mapMemory(0, VK_WHOLE_SIZE), bytes);
    return copied_bytes;
  }

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL
  fail_test(VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
            VkDebugUtilsMessageTypeFlagsEXT /*types*/,
            const VkDebugUtilsMessengerCallbackDataEXT* data, void* /*nothing*/) {
    ADD_FAILURE() << data->pMessage;
    return VK_FALSE;
  }
  [[nodiscard]] std::uint32_t host_memory(std::uint32_t allowed) const {
    const auto wanted =
        vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    const auto types = physical_.getMemoryProperties();
    for (std::uint32_t type = 0; type < types.memoryTypeCount; ++type) {
      if ((allowed >> type & 1U) != 0 && (types.memoryTypes[type].propertyFlags & wanted) == wanted)
        return type;
    }
    ADD_FAILURE() << "no memory that the host sees";
    return 0;
  }

  vk::raii::Context context_;
  vk::raii::Instance instance_{nullptr};
  vk::raii::DebugUtilsMessengerEXT messenger_{nullptr};
  vk::raii::PhysicalDevice physical_{nullptr};
  vk::raii::Device device_{nullptr};
  vk::raii::Queue queue_{nullptr};
  std::uint32_t family_ = 0;
  std::mutex mutex_;
  std::atomic<int> locked_ = 0;
};

sidecore_decoder_options options_of(const sidecore_vulkan_device& device, const char* plan) {
  sidecore_decoder_options options = capi_test::options_of(2);
  EXPECT_EQ(sidecore_plan_parse(plan, &options.plan), SIDECORE_OK);
  options.vulkan = &device;
  return options;
}

int place_of(const Picture& picture, sidecore_vulkan_picture& place) {
  place = {};
  place.size = sizeof place;
  return sidecore_picture_get_vulkan(picture.get(), &place);
}

/// Expects that each plane in device memory equals the plane that the CPU reads.
void expect_the_device_has(OwnDevice& device, const Picture& picture) {
  const sidecore_picture_info info = info_of(picture);
  sidecore_vulkan_picture place{};
  ASSERT_EQ(place_of(picture, place), SIDECORE_OK) << sidecore_last_error();
  for (int plane = 0; plane < 3; ++plane) {
    const auto stride = static_cast<std::size_t>(info.stride[plane]);
    const auto rows = static_cast<std::size_t>(info.plane_height[plane]);
    const auto row_bytes =
        static_cast<std::size_t>(info.plane_width[plane]) * (info.bits > 8 ? 2 : 1);
    const auto found = device.copy_of(place.buffer, place.offset[plane], stride * rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto* const expected = static_cast<const std::byte*>(info.data[plane]) + row * stride;
      ASSERT_EQ(std::memcmp(found.data() + row * stride, expected, row_bytes), 0)
          << "plane " << plane << " row " << row;
    }
  }
}

// Parameter: false for the device's own kind of memory, true to force staging copies.
class CapiVulkan : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) setenv("SIDECORE_FORCE_STAGING", "1", 1);
  }
  void TearDown() override { unsetenv("SIDECORE_FORCE_STAGING"); }
};

TEST_P(CapiVulkan, PicturesAreThoseOfTheCorpusAndLieOnTheDevice) {
  OwnDevice device;
  for (const char* const stream : {"size-35x66", "profile-2-10"}) {
    Packets packets = packets_of(stream);
    std::vector<Picture> pictures;
    std::jthread player([&](const std::stop_token& stop) {
      for (; !stop.stop_requested(); std::this_thread::yield()) device.use_queue();
    });
    const sidecore_vulkan_device lent = device.lent();
    pictures = decode(options_of(lent, "qpu"), packets);
    EXPECT_EQ(checksums(pictures), frame_checksums(stream)) << stream;
    for (const std::size_t index : {std::size_t{0}, pictures.size() - 1}) {
      expect_the_device_has(device, pictures[index]);
    }
  }
  EXPECT_GT(device.times_locked(), 0);
  device.use_queue();  // the device still works
}

TEST_P(CapiVulkan, HiddenFramesHaveTheirSamplesForWhoAsks) {
  OwnDevice device;
  const sidecore_vulkan_device lent = device.lent();
  Packets packets = packets_of("alt-ref");
  sidecore_decoder_options on_cpu = capi_test::options_of(2);
  on_cpu.hidden_frames = 1;
  sidecore_decoder_options on_qpu = options_of(lent, "qpu");
  EXPECT_EQ(checksums(decode(on_qpu, packets)), frame_checksums("alt-ref"));
  on_qpu.hidden_frames = 1;
  EXPECT_EQ(checksums(decode(on_qpu, packets)), checksums(decode(on_cpu, packets)));
}

TEST_P(CapiVulkan, OneDeviceServesADecoderAfterAnotherAndAScorer) {
  OwnDevice device;
  const sidecore_vulkan_device lent = device.lent();
  Packets packets = packets_of("size-66x66");
  const std::vector<Picture> first = decode(options_of(lent, "qpu"), packets);
  const std::vector<Picture> second = decode(options_of(lent, "loop_filter=qpu"), packets);
  EXPECT_EQ(checksums(first), checksums(second));

  const char* const features[] = {"float_psnr", "float_ssim"};
  const auto score = [&](int processor) {
    sidecore_scorer_options options{};
    options.size = sizeof options;
    options.features = features;
    options.feature_count = std::size(features);
    options.width = options.height = 66;
    options.chroma = SIDECORE_CHROMA_420;
    options.bits = 8;
    options.processor = processor;
    options.vulkan = &lent;
    sidecore_scorer* opened = nullptr;
    EXPECT_EQ(sidecore_scorer_open(&opened, &options), SIDECORE_OK) << sidecore_last_error();
    const Scorer scorer(opened);
    const auto planes_of = [](const Picture& picture) {
      const sidecore_picture_info info = info_of(picture);
      sidecore_planes planes{};
      planes.size = sizeof planes;
      std::ranges::copy(info.data, planes.data);
      std::ranges::copy(info.stride, planes.stride);
      return planes;
    };
    const sidecore_planes reference = planes_of(first[0]);
    const sidecore_planes distorted = planes_of(second[1]);
    EXPECT_EQ(sidecore_scorer_push(opened, &reference, &distorted), SIDECORE_OK);
    std::vector<double> scores(sidecore_scorer_outputs(opened));
    for (std::size_t output = 0; output < scores.size(); ++output) {
      EXPECT_EQ(sidecore_scorer_score(opened, 0, output, &scores[output]), SIDECORE_OK);
    }
    return scores;
  };
  const int locked = device.times_locked();
  const std::vector<double> expected = score(SIDECORE_PROCESSOR_NEON);
  EXPECT_EQ(device.times_locked(), locked);
  EXPECT_EQ(score(SIDECORE_PROCESSOR_QPU), expected);
  EXPECT_GT(device.times_locked(), locked);
}

TEST_P(CapiVulkan, APictureThatTheDeviceDoesNotHaveIsNotGiven) {
  OwnDevice device;
  const sidecore_vulkan_device lent = device.lent();
  Packets packets = packets_of("size-66x66");
  sidecore_vulkan_picture place{};
  for (const Picture& picture : decode(options_of(lent, "neon"), packets)) {
    EXPECT_EQ(place_of(picture, place), SIDECORE_ERROR_ARGUMENT);
    EXPECT_NE(std::string(sidecore_last_error()).find("does not use the QPU"), std::string::npos);
  }
  const std::vector<Picture> filtered_by_cpu = decode(options_of(lent, "prediction=qpu"), packets);
  // Use the last picture: no later frame refers to it, so it was not copied to the device.
  const int error = place_of(filtered_by_cpu.back(), place);
  if (GetParam()) {
    EXPECT_EQ(error, SIDECORE_ERROR_ARGUMENT);
    EXPECT_NE(std::string(sidecore_last_error()).find("ran on the CPU"), std::string::npos);
  } else if (device.shares_memory()) {
    ASSERT_EQ(error, SIDECORE_OK) << sidecore_last_error();
    expect_the_device_has(device, filtered_by_cpu.back());
  } else {
    EXPECT_EQ(error, SIDECORE_ERROR_ARGUMENT);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, CapiVulkan, testing::Bool(), [](const auto& memory) {
  return std::string(memory.param ? "Staged" : "TheDevices");
});

TEST(CapiVulkanMistakes, AreToldAndHarmNothing) {
  OwnDevice device;
  const auto refuse = [&](const char* because,
                          const std::function<void(sidecore_vulkan_device&)>& spoil) {
    sidecore_vulkan_device lent = device.lent();
    spoil(lent);
    const sidecore_decoder_options options = options_of(lent, "qpu");
    sidecore_decoder* decoder = nullptr;
    EXPECT_EQ(sidecore_decoder_open(&decoder, &options), SIDECORE_ERROR_ARGUMENT) << because;
    EXPECT_EQ(decoder, nullptr);
    EXPECT_NE(std::string(sidecore_last_error()).find(because), std::string::npos)
        << sidecore_last_error();
  };
  refuse("must be set to its sizeof", [](sidecore_vulkan_device& lent) { lent.size = 0; });
  refuse("no instance", [](sidecore_vulkan_device& lent) { lent.instance = nullptr; });
  refuse("must belong to the given instance",
         [](sidecore_vulkan_device& lent) { lent.physical_device = nullptr; });
  refuse("no compute queue", [](sidecore_vulkan_device& lent) { lent.device = nullptr; });
  refuse("no compute queue", [](sidecore_vulkan_device& lent) { lent.queue = nullptr; });
  refuse("of family 99", [](sidecore_vulkan_device& lent) { lent.queue_family = 99; });
  refuse("older than Vulkan 1.1", [&device](sidecore_vulkan_device& lent) {
    static PFN_vkGetInstanceProcAddr loader = nullptr;
    loader = device.loader();
    lent.get_instance_proc_addr = [](VkInstance instance, const char* name) {
      const bool is_new = std::string_view(name) == "vkGetPhysicalDeviceProperties2";
      return is_new ? nullptr : loader(instance, name);
    };
  });
  refuse("both lock_queue and unlock_queue",
         [](sidecore_vulkan_device& lent) { lent.lock_queue = nullptr; });
  device.use_queue();

  const sidecore_vulkan_device lent = device.lent();
  sidecore_decoder_options options = options_of(lent, "qpu");
  options.device = "0";
  sidecore_decoder* decoder = nullptr;
  EXPECT_EQ(sidecore_decoder_open(&decoder, &options), SIDECORE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(sidecore_last_error()).find("not both"), std::string::npos);
  EXPECT_EQ(sidecore_picture_get_vulkan(nullptr, nullptr), SIDECORE_ERROR_ARGUMENT);
}

}  // namespace
}  // namespace sidecore
