#include "metrics/golden.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace sidecore::test {
namespace {

nlohmann::json parse(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

Golden load(const std::filesystem::path& path) {
  const nlohmann::json clip = parse(path).at("clip");
  const std::string chroma = clip.at("chroma");
  const int bits = clip.at("bits");
  Golden golden;
  golden.name = path.stem();
  golden.format = {clip.at("width"), clip.at("height"),
                   video::parse_pixel_format("yuv" + chroma + "p" +
                                             (bits > 8 ? std::to_string(bits) + "le" : ""))};
  golden.pictures = clip.at("frames");
  golden.reference_md5 = clip.at("reference_md5");
  golden.distorted_md5 = clip.at("distorted_md5");
  golden.path = path;
  return golden;
}

}  // namespace

std::vector<double> Golden::scores(const std::string& output) const {
  std::vector<double> scores;
  const nlohmann::json file = parse(path);
  for (const nlohmann::json& picture : file.at("frames")) scores.push_back(picture.at(output));
  return scores;
}

std::vector<Golden> load_goldens(const std::string& directory) {
  std::vector<Golden> goldens;
  const std::filesystem::path data(SIDECORE_TEST_DATA);
  for (const auto& entry : std::filesystem::directory_iterator(data / directory)) {
    if (entry.path().extension() == ".json") goldens.push_back(load(entry.path()));
  }
  if (goldens.empty()) throw std::runtime_error("no golden files in " SIDECORE_TEST_DATA);
  std::ranges::sort(goldens, {}, &Golden::name);
  return goldens;
}

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.name;
}

}  // namespace sidecore::test
