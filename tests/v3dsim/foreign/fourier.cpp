// Runs third-party compute shaders: forward and inverse Fourier transforms by VkFFT (Debian's
// libvkfft-dev). VkFFT writes GLSL for the device that it finds, compiles it and dispatches it. The
// results are compared with a transform computed here in double precision. The arguments are the
// transform lengths.
#include <fmt/format.h>

// The library's single header is C code and causes warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#define VKFFT_BACKEND 0
#include <vkFFT.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "v3dsim/vulkan_device.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim_client;

using Signal = std::vector<std::complex<float>>;

Signal noise(std::size_t length) {
  Random random(length);
  Signal signal(length);
  const auto sample = [&] { return static_cast<float>(random.below(2001)) / 1000.0F - 1.0F; };
  for (auto& value : signal) value = {sample(), sample()};
  return signal;
}

/// Computes the transform by its definition in double, in O(n^2).
std::vector<std::complex<double>> transform(const Signal& signal) {
  const std::size_t n = signal.size();
  std::vector<std::complex<double>> turns(n), result(n);
  for (std::size_t k = 0; k < n; ++k) {
    turns[k] =
        std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      result[k] += std::complex<double>(signal[i]) * turns[i * k % n];
    }
  }
  return result;
}

/// Returns the largest difference, relative to the largest value.
template <class Expected>
double worst(const Expected& expected, const Signal& found) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::complex<double> want(expected[i]);
    difference = std::max(difference, std::abs(want - std::complex<double>(found[i])));
    largest = std::max(largest, std::abs(want));
  }
  return difference / largest;
}

void require(VkFFTResult result, const char* what) {
  if (result == VKFFT_SUCCESS) return;
  throw Error(ErrorKind::failed, fmt::format("{}: VkFFT error {}", what, static_cast<int>(result)));
}

class Transform {
 public:
  Transform(const VulkanDevice& device, std::size_t length)
      : device_(device),
        buffer_(device, length * sizeof(Signal::value_type), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_), "vkCreateCommandPool");
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    check(vkCreateFence(device.handle(), &fence, nullptr, &fence_), "vkCreateFence");

    physical_ = device.physical();
    logical_ = device.handle();
    queue_ = device.queue();
    handle_ = buffer_.handle();
    bytes_ = buffer_.bytes().size();
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.normalize = 1;
    configuration.physicalDevice = &physical_;
    configuration.device = &logical_;
    configuration.queue = &queue_;
    configuration.commandPool = &pool_;
    configuration.fence = &fence_;
    configuration.isCompilerInitialized = 1;
    configuration.buffer = &handle_;
    configuration.bufferSize = &bytes_;
    require(initializeVkFFT(&application_, configuration), "initializeVkFFT");
  }
  ~Transform() {
    deleteVkFFT(&application_);
    vkDestroyFence(logical_, fence_, nullptr);
    vkDestroyCommandPool(logical_, pool_, nullptr);
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  /// Runs a transform; `direction` is -1 for forward, 1 for inverse.
  Signal run(const Signal& input, int direction) {
    std::memcpy(buffer_.bytes().data(), input.data(), bytes_);
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool_;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(vkAllocateCommandBuffers(logical_, &allocate, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    VkFFTLaunchParams launch{};
    launch.commandBuffer = &commands;
    require(VkFFTAppend(&application_, direction, &launch), "VkFFTAppend");
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue_, 1, &submit, fence_), "vkQueueSubmit");
    check(vkWaitForFences(logical_, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(logical_, 1, &fence_), "vkResetFences");
    Signal output(input.size());
    std::memcpy(output.data(), buffer_.bytes().data(), bytes_);
    return output;
  }

 private:
  const VulkanDevice& device_;
  MappedBuffer buffer_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice logical_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkBuffer handle_ = VK_NULL_HANDLE;
  std::uint64_t bytes_ = 0;
  VkFFTApplication application_{};
};

int run(const std::vector<std::size_t>& lengths) {
  // Largest accepted difference, relative to the largest value, for single precision.
  constexpr double kTolerance = 2e-6;
  const VulkanDevice device(false);
  fmt::print("device: {}\n", device.name());
  bool good = true;
  for (const std::size_t length : lengths) {
    try {
      Transform fft(device, length);
      const Signal input = noise(length);
      const Signal output = fft.run(input, -1);
      const double forward = worst(transform(input), output);
      const double round_trip = worst(input, fft.run(output, 1));
      const bool close = forward < kTolerance && round_trip < kTolerance;
      fmt::print("{:5} points: forward off by {:.2g}, there and back by {:.2g}{}\n", length,
                 forward, round_trip, close ? "" : "  TOO FAR");
      good = good && close;
    } catch (const Error& error) {
      fmt::print("{:5} points: {}\n", length, error.what());
      good = false;
    }
  }
  return good ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

int main(int argc, char** argv) {
  // Standard output is line-buffered, so that a hanging driver hides no lines.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    glslang_initialize_process();
    std::vector<std::size_t> lengths;
    for (int i = 1; i < argc; ++i) lengths.push_back(std::strtoul(argv[i], nullptr, 10));
    return run(lengths);
  } catch (const Error& error) {
    fmt::print(stderr, "fourier: {}\n", error.what());
    return error.exit_status();
  }
}
