#include "sidecore/sidecore.h"

#include "base/cpu_affinity.h"
#include "capi/boundary.h"
#include "sidecore/vulkan.h"

namespace sidecore::capi {
namespace {

thread_local char last_error[512];

qpu::BorrowedDevice borrowed(const sidecore_vulkan_device& vulkan) {
  require((vulkan.lock_queue == nullptr) == (vulkan.unlock_queue == nullptr),
          "set both lock_queue and unlock_queue, or neither");
  qpu::BorrowedDevice device;
  device.get_instance_proc_addr = vulkan.get_instance_proc_addr;
  device.instance = vulkan.instance;
  device.physical_device = vulkan.physical_device;
  device.device = vulkan.device;
  device.queue_family = vulkan.queue_family;
  device.queue = vulkan.queue;
  if (vulkan.lock_queue != nullptr) {
    device.lock_queue = [vulkan] { vulkan.lock_queue(vulkan.cookie); };
    device.unlock_queue = [vulkan] { vulkan.unlock_queue(vulkan.cookie); };
  }
  return device;
}

}  // namespace

int fail(const Log& log, int error, const char* message) noexcept {
  const std::size_t length = std::min(std::strlen(message), sizeof last_error - 1);
  std::memcpy(last_error, message, length);
  last_error[length] = '\0';
  // The message is copied first, because the callback may use other objects, whose failures
  // overwrite this thread's last_error.
  char own[sizeof last_error];
  std::memcpy(own, last_error, length + 1);
  log(SIDECORE_LOG_ERROR, own);
  std::memcpy(last_error, own, length + 1);
  return error;
}

int fail_as_thrown(const Log& log, int usage) noexcept {
  try {
    throw;
  } catch (const ArgumentError& error) {
    return fail(log, SIDECORE_ERROR_ARGUMENT, error.what());
  } catch (const Error& error) {
    const int environment = error.out_of_memory() ? SIDECORE_ERROR_MEMORY : SIDECORE_ERROR_DEVICE;
    return fail(log, error.kind() == ErrorKind::usage ? usage : environment, error.what());
  } catch (const std::bad_alloc&) {
    return fail(log, SIDECORE_ERROR_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return fail(log, SIDECORE_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(log, SIDECORE_ERROR_INTERNAL, "an exception of an unknown type");
  }
}

int threads_of(int threads) {
  require(threads >= 0 && threads <= kMaxThreads, "threads must be 1 to 256, or 0 for one per CPU");
  return threads > 0 ? threads : default_threads();
}

std::unique_ptr<qpu::Device> open_device(const char* selector, const sidecore_vulkan_device* vulkan,
                                         const Log& log) {
  require(selector == nullptr || vulkan == nullptr, "set device or vulkan, not both");
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
  if (selector != nullptr) options.selector = selector;
  if (vulkan != nullptr) {
    options.borrowed = borrowed(copy_options(vulkan));
    options.validation = false;  // validation is off, because the device's owner decides about it
  }
  std::unique_ptr<qpu::Device> device = qpu::Device::open(options);
  log(SIDECORE_LOG_INFO, fmt::format("QPU stages run on {}", device->info().name).c_str());
  return device;
}

}  // namespace sidecore::capi

const char* sidecore_version(void) {
  return SIDECORE_VERSION;
}

const char* sidecore_error_text(int error) {
  switch (error) {
    case SIDECORE_OK:
      return "no error";
    case SIDECORE_ERROR_AGAIN:
      return "another call must come first";
    case SIDECORE_ERROR_ARGUMENT:
      return "an argument is wrong";
    case SIDECORE_ERROR_DATA:
      return "the data is damaged or not supported";
    case SIDECORE_ERROR_MEMORY:
      return "there is not enough memory";
    case SIDECORE_ERROR_DEVICE:
      return "a driver, GPU or thread is missing or failed";
    case SIDECORE_ERROR_INTERNAL:
      return "the library has a defect";
    default:
      return "an unknown error";
  }
}

const char* sidecore_last_error(void) {
  return sidecore::capi::last_error;
}
