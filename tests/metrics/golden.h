// libvmaf's scores of the synthetic clips, computed by its scalar code: tests/data/golden/*.json
// for float features and psnr_hvs, tests/data/integer_golden/*.json for integer features.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "video/picture.h"

namespace sidecore::test {

/// A clip and its scores.
struct Golden {
  std::string name;  ///< the file's stem, e.g. "s576_10b420"
  video::PictureFormat format;
  int pictures = 0;
  std::string reference_md5;  ///< MD5 of all pictures' planar samples
  std::string distorted_md5;
  std::filesystem::path path;

  /// Returns libvmaf's scores of an output, one per picture. Throws if the file has no output of
  /// that name.
  [[nodiscard]] std::vector<double> scores(const std::string& output) const;
};

/// Returns all files of a directory below tests/data, sorted by name. Throws if there are none.
[[nodiscard]] std::vector<Golden> load_goldens(const std::string& directory = "golden");

/// Names a test's parameter after the clip, for gtest.
void PrintTo(const Golden& golden, std::ostream* out);

}  // namespace sidecore::test
