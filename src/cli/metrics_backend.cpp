#include "cli/metrics_backend.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/host_scorer.h"
#include "neon/feature_kernels.h"
#include "qpu/picture_scorer.h"

namespace sidecore::cli {
namespace {

/// Whether the device that the selector means is a GPU; no device at all is no error here.
bool gpu_is_there(const std::string& selector) {
  try {
    const std::vector<qpu::DeviceInfo> devices = qpu::list_devices();
    return !qpu::choose_device(devices, selector).is_cpu();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    return false;
  }
}

std::string choose_backend(const MetricsBackendOptions& options,
                           const std::vector<std::string_view>& features) {
  if (options.backend != "auto") return options.backend;
  return std::ranges::all_of(features, qpu::has_feature) && gpu_is_there(options.device.selector)
             ? "qpu"
             : "neon";
}

}  // namespace

std::vector<std::pair<std::string, metrics::Fact>> MetricsBackend::facts(
    std::uint64_t pictures) const {
  std::vector<std::pair<std::string, metrics::Fact>> facts{{"backend", name},
                                                           {"pictures", pictures}};
  if (device == nullptr) return facts;
  const qpu::DeviceInfo& info = device->info();
  const qpu::DeviceCounters& counters = device->counters();
  facts.insert(facts.end(), {{"device", info.name},
                             {"driver", info.driver},
                             {"submits", counters.submits},
                             {"submits_per_picture", static_cast<double>(counters.submits) /
                                                         static_cast<double>(pictures)},
                             {"dispatches", counters.dispatches},
                             {"barriers", counters.barriers},
                             {"uploaded_bytes", counters.uploaded_bytes},
                             {"downloaded_bytes", counters.downloaded_bytes},
                             {"pipelines_created", counters.pipelines_created},
                             {"pipeline_creation_ms", 1e3 * seconds(counters.pipeline_creation)}});
  return facts;
}

MetricsBackend make_metrics_backend(const MetricsBackendOptions& options,
                                    const video::PictureFormat& format,
                                    const std::vector<std::string_view>& features) {
  MetricsBackend backend{choose_backend(options, features), nullptr, nullptr};
  if (backend.name == "qpu") {
    for (const std::string_view feature : features) metrics::find_feature(feature).check(format);
    backend.device = qpu::Device::open(options.device);
    backend.scorer = qpu::make_picture_scorer(backend.device, format, features);
    return backend;
  }
  std::vector<metrics::HostFeature> host_features;
  host_features.reserve(features.size());
  for (const std::string_view feature : features) {
    host_features.emplace_back(
        &metrics::find_feature(feature),
        backend.name == "scalar" ? metrics::scalar_kernel(feature) : neon::feature_kernel(feature));
  }
  backend.scorer = metrics::make_host_scorer(format, host_features, options.threads);
  return backend;
}

}  // namespace sidecore::cli
