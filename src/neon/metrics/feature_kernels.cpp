#include "neon/metrics/feature_kernels.h"

#include "base/error.h"
#include "metrics/families.h"
#include "neon/metrics/families.h"

namespace sidecore::neon {
namespace {

struct Entry {
  const metrics::FeatureFamily* family;
  metrics::KernelMaker make;
};

std::span<const Entry> entries() {
  static const Entry kAll[] = {
#define NO_NEON(name)
#define HAS_NEON(name) {&metrics::name##_family(), make_##name},
#define SIDECORE_FAMILY(name, neon, qpu) neon(name)
#include "metrics/families.inc"
#undef SIDECORE_FAMILY
#undef HAS_NEON
#undef NO_NEON
  };
  return kAll;
}

}  // namespace

metrics::KernelMaker kernels(const metrics::FeatureFamily& family) {
  for (const Entry& entry : entries()) {
    if (entry.family == &family) return entry.make;
  }
  throw usage_error("{} has no NEON implementation", family.name);
}

}  // namespace sidecore::neon
