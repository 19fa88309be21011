// What libvmaf says of the synthetic clips: tests/data/golden/*.json of its float features and
// psnr_hvs, tests/data/integer_golden/*.json of its integer features, computed by its scalar code.
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
  std::string reference_md5;  ///< of all pictures' planar samples
  std::string distorted_md5;
  std::filesystem::path path;

  /// libvmaf's scores of an output, one a picture. Throws when the file has none of that name.
  [[nodiscard]] std::vector<double> scores(const std::string& output) const;
};

/// All files of the directory below tests/data, by name. Throws when there are none.
[[nodiscard]] std::vector<Golden> load_goldens(const std::string& directory = "golden");

/// For gtest: the clip's name after the test's.
void PrintTo(const Golden& golden, std::ostream* out);

}  // namespace sidecore::test
