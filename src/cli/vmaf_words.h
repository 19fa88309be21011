// The words of libvmaf's command `vmaf`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/clip_options.h"
#include "libvmaf/libvmaf.h"

namespace sidecore::cli {

/// Options of a feature: names and values.
using VmafWordOptions = std::vector<std::pair<std::string, std::string>>;

struct VmafFeatureWords {
  std::string name;
  VmafWordOptions options;
};

struct VmafModelWords {
  std::string version;  ///< version of a built-in model; empty if `path` names it
  std::string path;
  std::string name = "vmaf";
  std::uint64_t flags = VMAF_MODEL_FLAGS_DEFAULT;
  std::vector<VmafFeatureWords> overloads;

  /// Returns the version or the path.
  [[nodiscard]] const std::string& source() const { return version.empty() ? path : version; }
};

struct VmafWords {
  ClipOptions clips;  ///< its features and models are not set
  std::vector<VmafModelWords> models;
  std::vector<VmafFeatureWords> features;
  std::string output;
  VmafOutputFormat format = VMAF_OUTPUT_FORMAT_XML;
  unsigned threads = 0;
  unsigned subsample = 0;
  bool no_prediction = false;
  bool quiet = false;
  bool asks_version = false;
};

/// Reads the command line. Without a model it is vmaf_v0.6.1. Throws Error (usage).
[[nodiscard]] VmafWords parse_vmaf_words(int argc, char** argv);

}  // namespace sidecore::cli
