#include "metrics/score_log.h"

#include <cerrno>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

using nlohmann::json;

json parse(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw errno_error(ErrorKind::usage, fmt::format("'{}'", path.native()), errno);
  try {
    return json::parse(file);
  } catch (const json::exception&) {
    throw usage_error("'{}' is not a JSON log", path.native());
  }
}

double score(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

ScoreLog read_score_log(const std::filesystem::path& path) {
  const json file = parse(path);
  try {
    ScoreLog log;
    log.version = file.value("version", "");
    for (const json& frame : file.at("frames")) {
      const auto number = frame.at("frameNum").get<std::uint64_t>();
      for (const auto& [name, value] : frame.at("metrics").items()) {
        log.outputs[name][number] = score(value);
      }
    }
    return log;
  } catch (const json::exception&) {
    throw usage_error("'{}' does not have frames with frameNum and metrics, as libvmaf's logs have",
                      path.native());
  }
}

}  // namespace sidecore::metrics
