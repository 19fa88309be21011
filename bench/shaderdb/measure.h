// Compiles and runs every variant of the kernels, and whole features, on the V3D at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gates/kernel.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "shaderdb/picture_features.h"
#include "shaderdb/simulator_records.h"
#include "shaderdb/table.h"

namespace sidecore::shaderdb {

/// What the table's executed figures are taken on: contents that take every branch both ways, as a
/// picture of a few thousand edges.
[[nodiscard]] const gates::WorkloadRequest& fixed_workload();

/// "7.1" of a device named "V3D 7.1.7.0". Throws Error (environment) for any other device.
[[nodiscard]] std::string v3d_version(const qpu::DeviceInfo& device);

/// One way to do one kind of a kernel's units, and nothing else: to compare with another way.
struct Design {
  std::string kernel;   ///< its name
  std::string variant;  ///< other than the kernel's
  std::string unit;     ///< singular
  std::uint64_t units = 0;
  std::function<std::unique_ptr<qpu::CommandList>(qpu::Device& device)> record;  ///< finished
};

/// What is compiled and run.
struct Subjects {
  std::vector<const gates::Kernel*> kernels;
  std::vector<PictureFeature> features;
  std::vector<Design> designs = {};
};

/// `records`: null on a board; then there are no executed figures. The device was opened with
/// DeviceOptions::compiler_figures, after SimulatorRecords::find(). Throws Error as the kernels do,
/// and (environment) when driver and simulator contradict each other.
[[nodiscard]] Table measure(const Subjects& subjects, qpu::Device& device,
                            const SimulatorRecords* records,
                            const gates::WorkloadRequest& size = fixed_workload());

}  // namespace sidecore::shaderdb
