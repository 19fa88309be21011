// Device for tests of shaders: the default one, with V3D's limits and the validation layer. The
// layer takes about a third of these tests' time. Sanitized builds, which make the same calls, and
// SIDECORE_VALIDATION=0 run without it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "qpu/device.h"

namespace sidecore::test {

inline qpu::DeviceOptions qpu_test_options() {
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
#ifndef SIDECORE_SANITIZED
  const char* const validation = std::getenv("SIDECORE_VALIDATION");
  options.validation = validation == nullptr || std::string_view(validation) != "0";
#endif
  options.v3d_limits = true;
  options.pipeline_cache = false;
  return options;
}

/// Opens the device. Without any Vulkan device, returns null and sets `reason`.
inline std::unique_ptr<qpu::Device> open_qpu_test_device(std::string& reason) {
  try {
    (void)qpu::list_devices();
  } catch (const Error& error) {
    reason = error.what();
    return nullptr;
  }
  return qpu::Device::open(qpu_test_options());
}

/// Test with the device, which is opened once per program. It is closed before the program ends,
/// because some drivers fail if a device outlives their cleanup on exit.
class QpuTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!device_) device_ = open_qpu_test_device(no_device_);
  }
  void SetUp() override {
    if (!device_) GTEST_SKIP() << no_device_;
  }

  static qpu::Device* device() { return device_.get(); }

 private:
  struct Closer : testing::Environment {
    void TearDown() override { device_.reset(); }
  };

  static inline std::unique_ptr<qpu::Device> device_;
  static inline std::string no_device_;
  static inline testing::Environment* const closer_ =
      testing::AddGlobalTestEnvironment(new Closer);  // gtest deletes the object
};

}  // namespace sidecore::test
