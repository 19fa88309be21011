#include "metrics/score_log.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text_file.h"

namespace sidecore::metrics {
namespace {

using nlohmann::json;

json parse(const std::string& text, const std::string& origin) {
  try {
    return json::parse(text);
  } catch (const json::exception&) {
    throw usage_error("'{}' is not a JSON log", origin);
  }
}

double score(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

ScoreLog parse_score_log(const std::string& text, const std::string& origin) {
  const json file = parse(text, origin);
  try {
    ScoreLog log;
    log.version = file.value("version", "");
    for (const json& frame : file.at("frames")) {
      const json& position = frame.at("frameNum");
      // Converting a fraction or a negative number would give a wrong frame number.
      if (!position.is_number_unsigned()) {
        throw usage_error("'{}' has a frameNum that is not an integer of at least 0", origin);
      }
      const auto number = position.get<std::uint64_t>();
      for (const auto& [name, value] : frame.at("metrics").items()) {
        log.outputs[name][number] = score(value);
      }
    }
    return log;
  } catch (const json::exception&) {
    throw usage_error("'{}' does not have frames with frameNum and metrics, as libvmaf's logs have",
                      origin);
  }
}

ScoreLog read_score_log(const std::filesystem::path& path) {
  return parse_score_log(read_text_file(path), path.native());
}

}  // namespace sidecore::metrics
