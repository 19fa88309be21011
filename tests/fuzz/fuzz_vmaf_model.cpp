// Fuzzes VMAF model files with any bytes. The result must be an Error, or a model that scores a
// picture and whose inputs all have a column.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "metrics/vmaf_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sidecore::metrics;
  static const sidecore::fuzz::MemoryFile kFile;
  if (!kFile.fill(bytes, size)) return -1;
  try {
    ModelRequest request = parse_model_request("path=" + kFile.path());
    if (request.model.transform) request.model.transform->enabled = true;
    std::vector<FeatureRequest> features;
    add_model_features({&request, 1}, features);
    if (features.empty()) std::abort();
    for (const double feature : {0.0, 0.5, 1.0, 100.0}) {
      const std::vector<double> picture(request.model.inputs.size(), feature);
      static_cast<void>(request.model.predict(picture));
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
