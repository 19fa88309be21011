#include "qpu/vulkan_instance.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                                          VkDebugUtilsMessageTypeFlagsEXT /*types*/,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data,
                                          void* log) {
  static_cast<ValidationLog*>(log)->add(data->pMessage == nullptr ? "" : data->pMessage);
  return VK_FALSE;
}

// Excludes messages of the type "general": the loader uses it for remarks on drivers that it
// skipped.
vk::DebugUtilsMessengerCreateInfoEXT messenger_info(ValidationLog& log) {
  // The structure is Vulkan's own, because the callback's type differs between releases of
  // Vulkan-Hpp.
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &log;
  return info;
}

template <class Properties, class Name>
bool contains(const std::vector<Properties>& list, std::string_view wanted, Name name) {
  return std::any_of(list.begin(), list.end(), [&](const Properties& properties) {
    return std::string_view((properties.*name).data()) == wanted;
  });
}

}  // namespace

// Converts a result from Vulkan-Hpp's CamelCase to Vulkan's name. Vulkan-Hpp writes only extension
// names in capitals, e.g. "ErrorOutOfDateKHR".
std::string vulkan_name(vk::Result result) {
  std::string name = "VK";
  bool in_word = false;
  for (const char c : vk::to_string(result)) {
    const bool begins_word = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (begins_word && (in_word || name.size() == 2)) name += '_';
    in_word = !begins_word;
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

void throw_vulkan_error(const std::string& doing, const vk::SystemError& error) {
  // Vulkan-Hpp's error text is, for example, "vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
  // or sometimes "vkEnumeratePhysicalDevices: ErrorOutOfDeviceMemory".
  const std::string_view what = error.what();
  std::string_view call = what.substr(0, what.find(": "));
  if (const auto colons = call.rfind("::"); colons != call.npos) call.remove_prefix(colons + 2);
  if (call.starts_with("vk")) call.remove_prefix(2);
  std::string name = "vk" + std::string(call);
  if (name.size() > 2)
    name[2] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[2])));
  const auto result = static_cast<vk::Result>(error.code().value());
  if (result == vk::Result::eErrorOutOfHostMemory ||
      result == vk::Result::eErrorOutOfDeviceMemory) {
    throw Error::of_memory("{}: {} returned {}", doing, name, vulkan_name(result));
  }
  throw environment_error("{}: {} returned {}", doing, name, vulkan_name(result));
}

void ValidationLog::add(std::string message) {
  ++count_;
  const std::scoped_lock lock(mutex_);
  messages_.push_back(std::move(message));
}

std::vector<std::string> ValidationLog::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(messages_, {});
}

void ValidationLog::throw_if_any() {
  const std::vector<std::string> messages = take();
  if (messages.empty()) return;
  std::string text = messages.front();
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string more =
      messages.size() == 1 ? "" : fmt::format(" (and {} more)", messages.size() - 1);
  throw environment_error("Vulkan validation: {}{}", text, more);
}

void VulkanLoader::Close::operator()(void* library) const {
  ::dlclose(library);
}

VulkanLoader::VulkanLoader() {
  // secure_getenv() is used because the variable selects code to load: a set-user-ID program must
  // ignore it.
  const char* other = ::secure_getenv("SIDECORE_VULKAN_LOADER");
  const char* name = other != nullptr && *other != '\0' ? other : "libvulkan.so.1";
  library_.reset(::dlopen(name, RTLD_NOW | RTLD_LOCAL));
  if (library_ == nullptr) {
    const char* reason = ::dlerror();
    throw environment_error("no Vulkan loader: {}; install libvulkan1",
                            reason == nullptr ? name : reason);
  }
  entry_ =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library_.get(), "vkGetInstanceProcAddr"));
  if (entry_ == nullptr) {
    throw environment_error("'{}' is not a Vulkan loader: it has no vkGetInstanceProcAddr", name);
  }
}

VulkanInstance::VulkanInstance(bool validation) : context_(loader_.emplace().entry()) {
  create(validation);
}

VulkanInstance::VulkanInstance(const BorrowedDevice& borrowed)
    : context_(borrowed.get_instance_proc_addr != nullptr ? borrowed.get_instance_proc_addr
                                                          : loader_.emplace().entry()) {
  if (borrowed.instance == nullptr) throw usage_error("the borrowed device has no instance");
  const vk::Instance instance(borrowed.instance);
  if (context_.getDispatcher()->vkGetInstanceProcAddr(
          static_cast<VkInstance>(instance), "vkGetPhysicalDeviceProperties2") == nullptr) {
    throw usage_error("the borrowed instance is older than Vulkan 1.1");
  }
  instance_ = vk::raii::Instance(context_, borrowed.instance);
  never_destroy(instance_);
}

VulkanInstance::~VulkanInstance() {
  for (const std::string& message : log_.take()) {
    std::fprintf(stderr, "Vulkan validation: %s\n", message.c_str());
  }
}

void VulkanInstance::create(bool validation) {
  std::vector<const char*> layers;
  std::vector<const char*> extensions;
  vk::ApplicationInfo application("sidecore", 1, "sidecore", 1, VK_API_VERSION_1_1);
  vk::InstanceCreateInfo info({}, &application);
  const vk::DebugUtilsMessengerCreateInfoEXT messenger = messenger_info(log_);
  if (validation) {
    const auto found = checked("listing Vulkan layers",
                               [&] { return context_.enumerateInstanceLayerProperties(); });
    if (!contains(found, kValidationLayer, &vk::LayerProperties::layerName)) {
      throw environment_error(
          "validation was requested, but {} is not installed: install "
          "vulkan-validationlayers",
          kValidationLayer);
    }
    layers.push_back(kValidationLayer);
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    info.pNext = &messenger;
  }
  info.setPEnabledLayerNames(layers).setPEnabledExtensionNames(extensions);
  try {
    instance_ = vk::raii::Instance(context_, info);
  } catch (const vk::IncompatibleDriverError&) {
    throw environment_error(
        "no Vulkan driver (vkCreateInstance returned VK_ERROR_INCOMPATIBLE_DRIVER): install "
        "mesa-vulkan-drivers; VK_DRIVER_FILES and VK_ICD_FILENAMES, if set, must name a driver");
  } catch (const vk::SystemError& error) {
    throw_vulkan_error("opening Vulkan", error);
  }
  if (validation) {
    messenger_ = checked("listening to the validation layer",
                         [&] { return instance_.createDebugUtilsMessengerEXT(messenger); });
  }
}

std::vector<VulkanInstance::Candidate> VulkanInstance::devices() const {
  std::vector<Candidate> found;
  const auto physical =
      checked("listing Vulkan devices", [&] { return instance_.enumeratePhysicalDevices(); });
  for (const vk::raii::PhysicalDevice& device : physical) {
    if (device.getProperties().apiVersion < VK_API_VERSION_1_1) continue;
    const auto queues = device.getQueueFamilyProperties();
    const auto queue = std::find_if(queues.begin(), queues.end(), [](const auto& properties) {
      return static_cast<bool>(properties.queueFlags & vk::QueueFlagBits::eCompute);
    });
    if (queue == queues.end()) continue;
    const auto family = static_cast<std::uint32_t>(queue - queues.begin());
    Candidate candidate{device, family, describe_device(device, family)};
    candidate.info.index = found.size();
    found.push_back(std::move(candidate));
  }
  if (found.empty()) {
    throw environment_error(
        "no Vulkan 1.1 device: on a Raspberry Pi check that /dev/dri/renderD128 exists and that "
        "you  "
        "may open it (group 'render'); elsewhere mesa-vulkan-drivers brings one that runs on the "
        "CPU");
  }
  return found;
}

VulkanInstance::Candidate VulkanInstance::candidate(const BorrowedDevice& borrowed) const {
  const std::vector<Candidate> all = devices();
  const auto found = std::ranges::find_if(all, [&](const Candidate& candidate) {
    return static_cast<VkPhysicalDevice>(*candidate.device) == borrowed.physical_device;
  });
  if (found == all.end()) {
    throw usage_error(
        "the borrowed physical device is unusable: it must belong to the given instance, support "
        "Vulkan 1.1 and have a compute queue");
  }
  Candidate candidate = *found;
  const auto families = candidate.device.getQueueFamilyProperties();
  if (borrowed.device == nullptr || borrowed.queue == nullptr ||
      borrowed.queue_family >= families.size() ||
      !(families[borrowed.queue_family].queueFlags & vk::QueueFlagBits::eCompute)) {
    throw usage_error("the borrowed device has no compute queue of family {}",
                      borrowed.queue_family);
  }
  candidate.queue_family = borrowed.queue_family;
  const std::size_t index = candidate.info.index;
  candidate.info = describe_device(candidate.device, borrowed.queue_family);
  candidate.info.index = index;
  // 8-bit storage is not used, because the owner may not have enabled it; only baselines need it.
  candidate.info.storage_8bit = false;
  candidate.info.compiler_figures = false;
  candidate.info.performance_counters = 0;
  candidate.info.no_performance_counters = "a borrowed device offers no performance counters";
  return candidate;
}

}  // namespace sidecore::qpu
