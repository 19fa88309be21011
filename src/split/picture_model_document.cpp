#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/text_file.h"
#include "gates/json_members.h"
#include "split/picture_model.h"

namespace sidecore::split {
namespace {

using gates::json::amount;
using gates::json::Json;
using gates::json::list;
using gates::json::malformed;
using gates::json::member;
using gates::json::text;
using gates::json::whole;
using Ordered = nlohmann::ordered_json;

constexpr gates::json::DocumentKind kModelKind{"sidecore-picture-model", kPictureModelVersion,
                                               "a model of scripts/v3dsim-picture"};
/// What every model assumes.
constexpr std::array kAssumed{"clock_hz", "memory_bytes_per_second", "dispatch_overhead_seconds"};

Ordered json_of(const ModelledInterval& interval) {
  return {interval.low, interval.high};
}

Ordered json_of(const ModelledIntervals& intervals) {
  Ordered json = Ordered::object();
  for (const auto& [name, interval] : intervals) json[name] = json_of(interval);
  return json;
}

Ordered json_of(const ModelledPicture& picture, double overhead) {
  Ordered dispatches = Ordered::array();
  for (const ModelledDispatch& dispatch : picture.dispatches) {
    dispatches.push_back({{"edges", dispatch.edges}, {"seconds", json_of(dispatch.seconds)}});
  }
  return {{"frame", picture.frame},
          {"edges", picture.edges()},
          {"instructions", picture.instructions},
          {"requests", picture.requests},
          {"bounds", json_of(picture.bounds)},
          {"seconds", json_of(picture.seconds(overhead))},
          {"dispatches", std::move(dispatches)}};
}

Ordered json_of(std::span<const ModelledPicture> pictures, double overhead) {
  Ordered json = Ordered::array();
  for (const ModelledPicture& picture : pictures) json.push_back(json_of(picture, overhead));
  return json;
}

ModelledInterval interval(const Json& json, const char* name) {
  const std::vector<double> ends = list(json, name, gates::json::as_real);
  if (ends.size() != 2 || !(ends[0] >= 0) || !(ends[0] <= ends[1]) || !std::isfinite(ends[1])) {
    throw malformed(fmt::format("\"{}\" is not an interval", name));
  }
  return {ends[0], ends[1]};
}

ModelledIntervals intervals(const Json& json, const char* name) {
  const Json& object = member(json, name);
  if (!object.is_object()) throw malformed(fmt::format("\"{}\" is not an object", name));
  ModelledIntervals all;
  for (const auto& element : object.items()) {
    all[element.key()] = interval(object, element.key().c_str());
  }
  return all;
}

ModelledDispatch dispatch(const Json& json) {
  return {amount(json, "edges"), interval(json, "seconds")};
}

ModelledPicture picture(const Json& json) {
  ModelledPicture picture{.frame = whole<std::uint64_t>(json, "frame"),
                          .instructions = whole<std::uint64_t>(json, "instructions"),
                          .requests = whole<std::uint64_t>(json, "requests"),
                          .bounds = intervals(json, "bounds"),
                          .dispatches = list(json, "dispatches", dispatch)};
  if (!(picture.edges() > 0)) throw malformed("a picture has no edges");
  if (picture.edges() != amount(json, "edges")) {
    throw malformed(
        fmt::format("frame {} has other edges than its dispatches together", picture.frame));
  }
  return picture;
}

std::vector<ModelledPicture> pictures(const Json& json, const char* schedule) {
  auto all = list(json, schedule, picture);
  if (all.empty()) throw malformed(fmt::format("\"{}\" has no picture", schedule));
  return all;
}

ModelledClip clip(const Json& json) {
  ModelledClip clip{text(json, "name"),         whole<std::uint64_t>(json, "packets"),
                    text(json, "md5"),          whole<int>(json, "width"),
                    whole<int>(json, "height"), whole<int>(json, "bits")};
  if (clip.packets == 0) throw malformed("\"packets\" is 0");
  return clip;
}

PictureModel model_of(const Json& json) {
  const Json& schedules = member(json, "schedules");
  PictureModel model{
      text(json, "v3d"),          text(json, "driver"),          clip(member(json, "clip")),
      intervals(json, "assumed"), pictures(schedules, "levels"), pictures(schedules, "waves")};
  for (const char* const name : kAssumed) {
    if (!model.assumed.contains(name)) throw malformed(fmt::format("\"{}\" is missing", name));
  }
  return model;
}

}  // namespace

std::string to_json(const PictureModel& model) {
  const double overhead = model.dispatch_overhead();
  const Ordered json{{"schema", kModelKind.schema},
                     {"version", kModelKind.version},
                     {"basis", "model, not measured"},
                     {"v3d", model.v3d},
                     {"driver", model.driver},
                     {"clip",
                      {{"name", model.clip.name},
                       {"packets", model.clip.packets},
                       {"md5", model.clip.md5},
                       {"width", model.clip.width},
                       {"height", model.clip.height},
                       {"bits", model.clip.bits}}},
                     {"assumed", json_of(model.assumed)},
                     {"schedules",
                      {{"levels", json_of(std::span(model.levels), overhead)},
                       {"waves", json_of(std::span(model.waves), overhead)}}}};
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

PictureModel parse_picture_model(const std::string& text, const std::string& origin) {
  const Json json = gates::json::parse_document(text, origin, kModelKind);
  try {
    return model_of(json);
  } catch (const Error& error) {
    throw usage_error("'{}' is not a valid picture model: {}", origin, error.what());
  }
}

PictureModel read_picture_model(const std::filesystem::path& file) {
  return parse_picture_model(read_text_file(file), file.native());
}

}  // namespace sidecore::split
