// Dictionaries of options, and the requests that they make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libvmaf/feature.h"
#include "metrics/feature.h"

struct VmafFeatureDictionary {
  struct Option {
    std::string name;
    std::string value;
  };
  std::vector<Option> options;  ///< options in the order of the first setting; names are unique
};

namespace sidecore::libvmaf {

/// A feature that a program asks for.
struct RequestedFeature {
  metrics::FeatureRequest request;
  /// True if psnr's errors also give the PSNR of the clip (libvmaf's option enable_apsnr). The
  /// request then has the option enable_mse.
  bool has_psnr_total = false;
  bool hides_errors = false;  ///< the program did not ask for enable_mse itself
};

/// Returns the request for a feature with options; `options` may be null. As in libvmaf, an option
/// that the feature does not have is ignored. Throws Error (usage) for an unknown feature, for a
/// value that the feature does not accept, and for an option of libvmaf's that sidecore lacks,
/// unless it has its default.
[[nodiscard]] RequestedFeature request_of(std::string_view feature,
                                          const VmafFeatureDictionary* options);

/// Returns the options among `options` that sidecore's feature has. Throws as request_of() does.
[[nodiscard]] std::vector<VmafFeatureDictionary::Option> known_options(
    const metrics::Feature& feature, const VmafFeatureDictionary& options);

/// Returns the name of a request's output in libvmaf's interface.
[[nodiscard]] std::string interface_name(const metrics::FeatureRequest& request,
                                         const std::string& output);

}  // namespace sidecore::libvmaf
