#include "v3dsim/drm/statistics_report.h"

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Settings& settings) {
  const Options& options = settings.options;
  return {{"v3d", version_name(settings.version)},
          {"order", options.order == Order::random ? "random" : "in-order"},
          {"seed", options.seed},
          {"poison", options.poison},
          {"sfu_ulp", options.disturbance.ulps},
          {"races_checked", options.check_races},
          {"lanes_are_ordered", options.lanes_are_ordered},
          {"bounds", settings.bounds == Bounds::job ? "job" : "live"}};
}

}  // namespace

StatisticsReport::StatisticsReport(const Settings& settings) : settings_(settings) {}

void StatisticsReport::add(std::string record) {
  if (wanted()) records_.push_back(std::move(record));
}

void StatisticsReport::write() const {
  if (!wanted()) return;
  Json unproven = Json::array();
  for (const UnprovenPoint& point : unproven_points()) {
    unproven.push_back({{"topic", point.topic}, {"assumption", point.assumption}});
  }
  Json jobs = Json::array();
  for (const std::string& record : records_) jobs.push_back(Json::parse(record));
  const Json report = {{"schema", "sidecore-v3dsim-report-1"},
                       {"settings", settings_json(settings_)},
                       {"jobs", std::move(jobs)},
                       {"unproven_points", std::move(unproven)}};
  AtomicFile file(settings_.statistics);
  file.write(report.dump(2));
  file.write("\n");
  file.commit();
}

}  // namespace sidecore::v3dsim
