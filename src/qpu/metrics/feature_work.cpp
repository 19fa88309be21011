#include "qpu/metrics/feature_work.h"

#include "qpu/metrics/families.h"

namespace sidecore::qpu {

std::span<const FamilyWork> family_works() {
  static const FamilyWork kAll[] = {
#define NO_QPU(name)
#define HAS_QPU(name) name##_work(),
#define SIDECORE_FAMILY(name, neon, qpu) qpu(name)
#include "metrics/families.inc"
#undef SIDECORE_FAMILY
#undef HAS_QPU
#undef NO_QPU
  };
  return kAll;
}

void record_in_clip(FeatureWork& work, CommandList& list, const DevicePicture& reference,
                    const DevicePicture& distorted, std::span<const DevicePicture* const> earlier,
                    const BufferRange& results) {
  if (auto* const temporal = dynamic_cast<TemporalWork*>(&work)) {
    temporal->record_in_clip(list, reference, earlier, results);
  } else {
    work.record(list, reference, distorted, results);
  }
}

}  // namespace sidecore::qpu
