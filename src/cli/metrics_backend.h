// Who computes the scores of `sidecore metrics`.
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
  std::string backend;  ///< "scalar", "neon", "qpu", or "auto"
  qpu::DeviceOptions device;
  std::size_t threads = 1;  ///< of scalar and neon
};

/// A scorer and what can be told of it.
struct MetricsBackend {
  std::string name;                     ///< "scalar", "neon" or "qpu": what "auto" came to
  std::unique_ptr<qpu::Device> device;  ///< null unless qpu; the scorer's, so that it goes last
  std::unique_ptr<metrics::PictureScorer> scorer;

  /// Members of the result file's "sidecore" object, for `pictures` scored pictures.
  [[nodiscard]] std::vector<std::pair<std::string, metrics::Fact>> facts(
      std::uint64_t pictures) const;
};

/// "auto" is the QPU where a GPU is found that is none of software and has shaders for all of the
/// requests, else NEON. Throws Error as the scorers do.
[[nodiscard]] MetricsBackend make_metrics_backend(
    const MetricsBackendOptions& options, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests);

}  // namespace sidecore::cli
