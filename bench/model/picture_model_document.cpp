#include <array>
#include <utility>

#include "base/json.h"
#include "base/text_file.h"
#include "model/picture_model.h"

namespace sidecore {

/// [low, high].
template <>
struct json::Form<shaderdb::ModelledInterval> {
  using Ends = std::array<double, 2>;

  static Ordered write(const shaderdb::ModelledInterval& interval) {
    return {interval.low, interval.high};
  }
  static void read(const Json& json, const Place& place, shaderdb::ModelledInterval& interval) {
    Ends ends{};
    const About about{.minimum = 0};
    Form<Ends>::read(json, {place.name, about}, ends);
    if (ends[0] > ends[1]) throw place.error("is not an interval");
    interval = {ends[0], ends[1]};
  }
  static Ordered describe(Ordered& definitions, const About& /*about*/) {
    return Form<Ends>::describe(definitions, {.minimum = 0});
  }
};

namespace model {
namespace {

constexpr json::DocumentKind kModelKind{"sidecore-picture-model", 2,
                                        "model of scripts/v3dsim-picture", 2};
constexpr const char* kBasis = "model, not measured";

constexpr std::array kBounds{"issue", "tmu", "memory", "schedule"};

/// A stage with its greatest_part().
struct JudgedStage : ModelledStage {
  std::string greatest_part;
};

/// A picture with what follows from its stages.
struct JudgedPicture : ReconstructedPicture {
  vp9::PerStage<std::string> greatest_parts;
  ModelledInterval submission;
  ModelledInterval timed;
};

/// A picture with its ModelledPicture::seconds().
struct TimedPicture : ModelledPicture {
  ModelledInterval seconds;
};

}  // namespace

void fields(auto& json, ModelledClip& clip) {
  json("name", clip.name, {"Its path when it was modelled."});
  json("packets", clip.packets, {.text = "The first so many.", .minimum = 1});
  json("md5", clip.md5,
       {.text = "Of these packets' bytes, one behind the other, whatever the container.",
        .pattern = "^[0-9a-f]{32}$"});
  json("width", clip.width, {.text = "Luma samples of the first frame.", .minimum = 1});
  json("height", clip.height, {.minimum = 1});
  json("bits", clip.bits, {.one_of = {8, 10, 12}});
}

void fields(auto& json, ModelledDispatch& dispatch) {
  json("edges", dispatch.edges, {.minimum = 0});
  json("seconds", dispatch.seconds, {"The greatest bound at either end, without the fixed cost."});
}

void fields(auto& json, TimedPicture& picture) {
  double edges = picture.edges();
  json("frame", picture.frame, {"Counted over all frames of the stream."});
  json("edges", edges, {.above = 0});
  json("instructions", picture.instructions, {"Of 16 lanes."});
  json("requests", picture.requests, {"Of memory, of up to 16 lanes."});
  json("bounds", picture.bounds,
       {.text = "Seconds, summed over the dispatches, that each limit alone would take.",
        .keys = {kBounds.begin(), kBounds.end()}});
  json.derived("seconds", picture.seconds,
               {"The dispatches together, and what a dispatch costs whatever it does: once at the "
                "low end, once a dispatch at the high end."});
  json("dispatches", picture.dispatches, {.least_items = 1});
  if (edges != picture.edges()) {
    throw json::malformed(
        fmt::format("frame {} has other edges than its dispatches together", picture.frame));
  }
}

void fields(auto& json, ModelledUnits& units) {
  json("unit", units.unit, {"Singular."});
  json("kind", units.kind, {"Empty where the stage has one."});
  json("units", units.units, {.minimum = 0});
  json("dispatches", units.dispatches);
  json("instructions", units.instructions, {"Of 16 lanes."});
  json("requests", units.requests, {"Of memory, of up to 16 lanes."});
}

void fields(auto& json, PublishedDesign& design) {
  json("stage", design.stage);
  json("name", design.name);
  json("instructions", design.instructions, {.text = "A unit, of 16 lanes.", .minimum = 0});
  json("requests", design.requests, {.text = "A unit.", .minimum = 0});
}

void fields(auto& json, JudgedStage& stage) {
  json("dispatches", stage.dispatches);
  json("instructions", stage.instructions, {"Of 16 lanes."});
  json("requests", stage.requests, {"Of memory, of up to 16 lanes."});
  json("bounds", stage.bounds,
       {.text = "Seconds, summed over the dispatches, that each limit alone would take.",
        .keys = {kBounds.begin(), kBounds.end()}});
  json("seconds", stage.seconds,
       {"The greatest bound of each dispatch at either end, without what a dispatch costs whatever "
        "it does."});
  json("units", stage.units,
       {.text = "What of the dispatches is which unit's. Units of two dispatches count once.",
        .added_later = true});
  json.derived("most_of_it", stage.greatest_part,
               {.text = "What most of the time goes to. Waiting is what the schedule takes beyond "
                        "issue, requests and memory.",
                .one_of = {"issue", "requests", "memory", "waiting", "dispatches", "nothing"}});
}

void fields(auto& json, JudgedPicture& picture) {
  json("frame", picture.frame, {"Counted over all frames of the stream."});
  json("intra", picture.intra, {"All of its blocks are."});
  json.object("stages",
              [&](auto& stages) {
                for (const vp9::Stage which : vp9::kStages) {
                  JudgedStage stage{picture.stages[which], picture.greatest_parts[which]};
                  stages(to_string(which), stage);
                  picture.stages[which] = stage;
                }
              },
              {"In the order in which the submission does them."});
  json.derived(
      "submission", picture.submission,
      {"Seconds of the submission, and what a dispatch costs whatever it does: once at the "
       "low end, once a dispatch at the high end."});
  json.derived("seconds", picture.timed, {"All stages and the submission."});
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
       {.text = "Pictures, shown or hidden, all of whose samples were made on the QPU in one "
                "submission; empty where that was not asked for. Parsing and packing are the CPU's "
                "and not in it.",
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
       {"Those that have edges, shown or hidden, a submission each. Empty only where there is a "
        "back_end without any."});
  pictures.assign(timed.begin(), timed.end());
}

void fields(auto& json, PictureModel& model) {
  json.derived("basis", std::string(kBasis), {.one_of = {kBasis}});
  json("v3d", model.v3d, {"Version of the GPU that was simulated: 7.1 or 4.2."});
  json("driver", model.driver, {"Whose compiler made the code that was counted."});
  json("clip", model.clip);
  json("assumed", model.assumed,
       {.text = "What the model takes for granted of the machine. Where nobody knows one value the "
                "two ends differ.",
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
      {"The same pictures in dispatches by dependency levels of their edges, and by waves of "
       "superblocks."});
  back_end_field(json, model);
  json("published", model.published,
       {.text = "What published designs take for a unit of a stage, on synthetic content: from the "
                "baseline of sidecore shaderdb.",
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
      "What scripts/v3dsim-picture --json writes: what filtering the first pictures of a VP9 "
      "stream, and reconstructing them, takes on the simulated QPU of a Raspberry Pi, and the "
      "timing model's bounds of it. A model: nothing in it was measured. Intervals are [low, "
      "high].");
}

}  // namespace model
}  // namespace sidecore
