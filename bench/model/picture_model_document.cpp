#include <array>
#include <utility>

#include "base/json.h"
#include "base/text_file.h"
#include "model/picture_model.h"

namespace sidecore {

/// Converts an interval to and from JSON: [low, high].
template <>
struct json::Converter<shaderdb::ModelledInterval> {
  using Ends = std::array<double, 2>;

  static Ordered write(const shaderdb::ModelledInterval& interval) {
    return {interval.low, interval.high};
  }
  static void read(const Json& json, const Place& place, shaderdb::ModelledInterval& interval) {
    Ends ends{};
    const About about{.minimum = 0};
    Converter<Ends>::read(json, {place.name, about}, ends);
    if (ends[0] > ends[1]) throw place.error("is not an interval");
    interval = {ends[0], ends[1]};
  }
  static Ordered describe(Ordered& definitions, const About& /*about*/) {
    return Converter<Ends>::describe(definitions, {.minimum = 0});
  }
};

namespace model {
namespace {

constexpr json::DocumentKind kModelKind{"sidecore-picture-model", 2,
                                        "model of scripts/v3dsim-picture", 2};
constexpr const char* kBasis = "model, not measured";

constexpr std::array kBounds{"issue", "tmu", "memory", "schedule"};

/// Stage with its greatest_part().
struct JudgedStage : ModelledStage {
  std::string greatest_part;
};

/// Picture with figures that follow from its stages.
struct JudgedPicture : ReconstructedPicture {
  vp9::PerStage<std::string> greatest_parts;
  ModelledInterval submission;
  ModelledInterval timed;
};

/// Picture with its ModelledPicture::seconds().
struct TimedPicture : ModelledPicture {
  ModelledInterval seconds;
};

}  // namespace

void fields(auto& json, ModelledClip& clip) {
  json("name", clip.name, {"Path of the file that was modelled."});
  json("packets", clip.packets,
       {.text = "Number of modelled packets, from the first.", .minimum = 1});
  json("md5", clip.md5,
       {.text = "MD5 of these packets' concatenated bytes, independent of the container.",
        .pattern = "^[0-9a-f]{32}$"});
  json("width", clip.width, {.text = "Width of the first frame in luma samples.", .minimum = 1});
  json("height", clip.height, {.text = "Height of the first frame in luma samples.", .minimum = 1});
  json("bits", clip.bits, {.one_of = {8, 10, 12}});
}

void fields(auto& json, ModelledDispatch& dispatch) {
  json("edges", dispatch.edges, {.minimum = 0});
  json("seconds", dispatch.seconds,
       {"Time of the dispatch without its fixed cost: the greatest bound at the low end, and the "
        "greatest bound at the high end."});
}

void fields(auto& json, TimedPicture& picture) {
  double edges = picture.edges();
  json("frame", picture.frame, {"Number of the frame in the stream, from 0."});
  json("edges", edges, {.above = 0});
  json("instructions", picture.instructions, {"Executed instructions, each for 16 lanes."});
  json("requests", picture.requests, {"Memory requests; one request serves up to 16 lanes."});
  json("bounds", picture.bounds,
       {.text = "Seconds under each limit alone, summed over the dispatches.",
        .keys = {kBounds.begin(), kBounds.end()}});
  json.derived(
      "seconds", picture.seconds,
      {"Time of all dispatches plus their fixed cost, which counts once at the low end and "
       "once per dispatch at the high end."});
  json(
      "seconds_with_two_supergroups", picture.two_supergroups,
      {.text = "Time of all dispatches without their fixed cost, if the GPU ran two supergroups at "
               "a time instead of one.",
       .added_later = true});
  json("dispatches", picture.dispatches, {.least_items = 1});
  if (edges != picture.edges()) {
    throw json::malformed(
        fmt::format("\"edges\" of frame {} is not the sum over its dispatches", picture.frame));
  }
}

void fields(auto& json, ModelledUnits& units) {
  json("unit", units.unit, {"Name of a work unit, singular."});
  json("kind", units.kind, {"Kind of work unit; empty if the stage has a single kind."});
  json("units", units.units, {.minimum = 0});
  json("dispatches", units.dispatches);
  json("instructions", units.instructions, {"Executed instructions, each for 16 lanes."});
  json("requests", units.requests, {"Memory requests; one request serves up to 16 lanes."});
}

void fields(auto& json, PublishedDesign& design) {
  json("stage", design.stage);
  json("name", design.name);
  json("instructions", design.instructions,
       {.text = "Executed instructions per work unit, each for 16 lanes.", .minimum = 0});
  json("requests", design.requests,
       {.text = "Memory requests per work unit; one request serves up to 16 lanes.", .minimum = 0});
}

void fields(auto& json, JudgedStage& stage) {
  json("dispatches", stage.dispatches);
  json("instructions", stage.instructions, {"Executed instructions, each for 16 lanes."});
  json("requests", stage.requests, {"Memory requests; one request serves up to 16 lanes."});
  json("bounds", stage.bounds,
       {.text = "Seconds under each limit alone, summed over the dispatches.",
        .keys = {kBounds.begin(), kBounds.end()}});
  json("seconds", stage.seconds,
       {"Sum of the greatest bounds of the dispatches at either end, without their fixed costs."});
  json("seconds_with_two_supergroups", stage.two_supergroups,
       {.text = "The same, if the GPU ran two supergroups at a time instead of one.",
        .added_later = true});
  json("units", stage.units,
       {.text = "The dispatches by kind of work unit. A unit of two dispatches counts once.",
        .added_later = true});
  json.derived(
      "most_of_it", stage.greatest_part,
      {.text = "Part that takes most of the time. Waiting is the time of the schedule beyond "
               "issue, requests and memory.",
       .one_of = {"issue", "requests", "memory", "waiting", "dispatches", "nothing"}});
}

void fields(auto& json, JudgedPicture& picture) {
  json("frame", picture.frame, {"Number of the frame in the stream, from 0."});
  json("intra", picture.intra, {"True if all blocks are intra blocks."});
  json.object("stages",
              [&](auto& stages) {
                for (const vp9::Stage which : vp9::kStages) {
                  JudgedStage stage{picture.stages[which], picture.greatest_parts[which]};
                  stages(to_string(which), stage);
                  picture.stages[which] = stage;
                }
              },
              {"Stages in the order of the submission."});
  json.derived(
      "submission", picture.submission,
      {"Fixed costs in seconds: that of the submission, and that of a dispatch, which counts once "
       "at the low end and once per dispatch at the high end."});
  json.derived("seconds", picture.timed, {"Seconds of all stages and of the submission."});
}

void back_end_field(auto& json, PictureModel& model) {
  std::vector<JudgedPicture> judged;
  judged.reserve(model.back_end.size());
  for (const ReconstructedPicture& picture : model.back_end) {
    JudgedPicture& one = judged.emplace_back();
    static_cast<ReconstructedPicture&>(one) = picture;
    for (const vp9::Stage stage : vp9::kStages) {
      one.greatest_parts[stage] = greatest_part(picture.stages[stage], model);
    }
    one.submission = model.fixed_costs().of(picture.dispatches());
    one.timed = picture.seconds(model.fixed_costs());
  }
  json("back_end", judged,
       {.text = "Pictures, shown or hidden, whose samples were all computed on the QPU in one "
                "submission; empty if only the loop filter was modelled. Parsing and packing are "
                "the CPU's work and not included.",
        .added_later = true});
  model.back_end.assign(judged.begin(), judged.end());
}

void pictures_field(auto& json, const char* schedule, std::vector<ModelledPicture>& pictures,
                    const PictureModel& model) {
  std::vector<TimedPicture> timed;
  timed.reserve(pictures.size());
  for (const ModelledPicture& picture : pictures) {
    timed.push_back({picture, picture.seconds(model.dispatch_overhead())});
  }
  json(schedule, timed,
       {"Pictures that have edges, shown or hidden, each in one submission. Empty only if back_end "
        "has pictures and none of them has edges."});
  pictures.assign(timed.begin(), timed.end());
}

void fields(auto& json, PictureModel& model) {
  json.derived("basis", std::string(kBasis), {.one_of = {kBasis}});
  json("v3d", model.v3d, {"Version of the simulated GPU: 7.1 or 4.2."});
  json("driver", model.driver, {"Driver whose compiler made the counted code."});
  json("clip", model.clip);
  json(
      "assumed", model.assumed,
      {.text = "Assumptions of the model about the machine. The two ends differ if no single value "
               "is known.",
       .keys = {"clock_hz", "qpus", "slices", "memory_bytes_per_second", "cycles_per_instruction",
                "tmu_cycles_per_request", "tmu_cycles_per_word", "tmu_latency_cycles",
                "supergroup_start_cycles", "supergroups_at_once", "error_factor",
                "submission_seconds", "dispatch_overhead_seconds"}});
  json.object(
      "schedules",
      [&](auto& schedules) {
        pictures_field(schedules, "levels", model.levels, model);
        pictures_field(schedules, "waves", model.waves, model);
      },
      {"The loop filter of the same pictures, dispatched by dependency levels and by superblock "
       "waves."});
  back_end_field(json, model);
  json(
      "published", model.published,
      {.text = "Cost per work unit of published designs on synthetic content, from the baseline of "
               "sidecore shaderdb.",
       .added_later = true});
}

std::string to_json(const PictureModel& model) {
  return json::write_document(kModelKind, model, 1);
}

PictureModel parse_picture_model(const std::string& text, const std::string& origin) {
  return json::read_document<PictureModel>(kModelKind, text, origin, [](const PictureModel& model) {
    if (!model.back_end.empty() && model.levels.empty() && model.waves.empty()) return;
    if (model.levels.empty()) throw json::malformed("\"levels\" has too few elements");
    if (model.waves.empty()) throw json::malformed("\"waves\" has too few elements");
  });
}

PictureModel read_picture_model(const std::filesystem::path& file) {
  return parse_picture_model(read_text_file(file), file.native());
}

std::string picture_model_schema() {
  return json::describe_document<PictureModel>(
      kModelKind,
      "Document that scripts/v3dsim-picture --json writes: counted work and modelled times of a "
      "Raspberry Pi's QPU that filters, and reconstructs, the first pictures of a VP9 stream. No "
      "time was measured. Intervals are [low, high].");
}

}  // namespace model
}  // namespace sidecore
