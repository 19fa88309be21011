// The implementation that computes the scores of `sidecore metrics` and `compare`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metrics/feature.h"
#include "metrics/picture_scorer.h"
#include "metrics/result_file.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::cli {

struct MetricsBackendOptions {
  std::string backend;  ///< requested backend: "scalar", "neon", "qpu", or "auto"
  qpu::DeviceOptions device;
  std::size_t threads = 1;  ///< number of threads of scalar and neon
};

/// A scorer and facts about it.
struct MetricsBackend {
  std::string name;                     ///< backend: "scalar", "neon" or "qpu"; never "auto"
  std::unique_ptr<qpu::Device> device;  ///< the scorer's device, destroyed after it; null if no QPU
  std::unique_ptr<metrics::PictureScorer> scorer;

  /// Returns members of the result file's "sidecore" object, for `pictures` scored pictures.
  [[nodiscard]] std::vector<std::pair<std::string, metrics::Fact>> facts(
      std::uint64_t pictures) const;
};

/// Makes a scorer. "auto" chooses the QPU if a hardware GPU is found and all requests have shaders,
/// else NEON. Throws Error as the scorers do.
[[nodiscard]] MetricsBackend make_metrics_backend(
    const MetricsBackendOptions& options, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests);

}  // namespace sidecore::cli
