// Compiles and runs every variant of the kernels, and whole features, on a V3D.
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

/// Returns the workload of the table's executed figures: a picture with a few thousand edges, whose
/// content takes every branch both ways.
[[nodiscard]] const gates::WorkloadRequest& fixed_workload();

/// Returns "7.1" for a device named "V3D 7.1.7.0". Throws Error (environment) if it is not a V3D.
[[nodiscard]] std::string v3d_version(const qpu::DeviceInfo& device);

/// A shader design that processes one kind of a kernel's work units, for comparison with the
/// kernel.
struct Design {
  std::string kernel;   ///< name of the kernel
  std::string variant;  ///< name of the design; it differs from the names of the kernel's variants
  std::string unit;     ///< name of a work unit, singular
  std::uint64_t units = 0;
  std::function<std::unique_ptr<qpu::CommandList>(qpu::Device& device)>
      record;  ///< function that returns a finished command list
};

/// Kernels, features and designs that measure() compiles and runs.
struct Subjects {
  std::vector<const gates::Kernel*> kernels;
  std::vector<PictureFeature> features;
  std::vector<Design> designs = {};
};

/// Compiles and runs the subjects. `records` is null on a board; then there are no executed
/// figures. The device must be opened with DeviceOptions::compiler_figures, after
/// SimulatorRecords::find(). Throws Error as the kernels do, and (environment) if driver and
/// simulator contradict each other.
[[nodiscard]] Table measure(const Subjects& subjects, qpu::Device& device,
                            const SimulatorRecords* records,
                            const gates::WorkloadRequest& size = fixed_workload());

}  // namespace sidecore::shaderdb
