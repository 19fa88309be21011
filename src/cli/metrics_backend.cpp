#include "cli/metrics_backend.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/host_scorer.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"

namespace sidecore::cli {
namespace {

/// Returns true if the selected device is a hardware GPU; false if there is no Vulkan device.
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
                           std::span<const metrics::FeatureRequest> requests) {
  if (options.backend != "auto") return options.backend;
  const auto has_shader = [](const metrics::FeatureRequest& request) {
    return qpu::refusal(request).empty();
  };
  return std::ranges::all_of(requests, has_shader) && gpu_is_there(options.device.selector)
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
                             {"host_recomputations", scorer->host_recomputations()},
                             {"host_recomputed_values", scorer->host_recomputed_values()},
                             {"pipeline_cache", counters.pipeline_cache_loaded ? "warm" : "cold"},
                             {"pipelines_created", counters.pipelines_created},
                             {"pipeline_creation_ms", 1e3 * seconds(counters.pipeline_creation)}});
  return facts;
}

MetricsBackend make_metrics_backend(const MetricsBackendOptions& options,
                                    const video::PictureFormat& format,
                                    std::span<const metrics::FeatureRequest> requests) {
  MetricsBackend backend{choose_backend(options, requests), nullptr, nullptr};
  if (backend.name == "qpu") {
    for (const metrics::FeatureRequest& request : requests) request.check(format);
    backend.device = qpu::Device::open(options.device);
    backend.scorer = qpu::make_picture_scorer(*backend.device, format, requests, neon::kernels);
    return backend;
  }
  backend.scorer = metrics::make_host_scorer(
      format, requests, backend.name == "scalar" ? metrics::scalar_kernels : neon::kernels,
      options.threads);
  return backend;
}

}  // namespace sidecore::cli
