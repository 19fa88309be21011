// What the simulator's timing model (v3dsim/model.h) says that filtering a stream's pictures, or
// reconstructing them, takes on the QPU of a Raspberry Pi. A model: nothing in it was measured, on
// no board.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "model/cost_line.h"
#include "shaderdb/figures.h"
#include "vp9/plan.h"

namespace sidecore::model {

using shaderdb::ModelledInterval;
using shaderdb::ModelledIntervals;

/// A dispatch of a picture's submission: a dependency level of its edges, or a wave of superblocks.
struct ModelledDispatch {
  double edges = 0;
  /// The greatest bound at either end, without what a dispatch costs whatever it does.
  ModelledInterval seconds;
  bool operator==(const ModelledDispatch&) const = default;
};

/// One picture, shown or hidden, filtered in one submission.
struct ModelledPicture {
  std::uint64_t frame = 0;         ///< counted from 0 over all frames of the stream
  std::uint64_t instructions = 0;  ///< of 16 lanes
  std::uint64_t requests = 0;      ///< of memory, of up to 16 lanes
  ModelledIntervals bounds;        ///< sums over its dispatches, seconds
  std::vector<ModelledDispatch> dispatches;
  bool operator==(const ModelledPicture&) const = default;

  [[nodiscard]] double edges() const;
  /// Dispatches and what they cost whatever they do, which the low end counts once a picture and
  /// the high end once a dispatch: how much of it the dispatches of a submission share nobody has
  /// published.
  [[nodiscard]] ModelledInterval seconds(double dispatch_overhead) const;
};

/// Dispatches of a stage that take units of one kind.
struct ModelledUnits {
  std::string unit;  ///< singular: "edge"
  std::string kind;  ///< empty where the stage has one
  double units = 0;
  std::uint64_t dispatches = 0;
  std::uint64_t instructions = 0;  ///< of 16 lanes
  std::uint64_t requests = 0;      ///< of memory, of up to 16 lanes
  bool operator==(const ModelledUnits&) const = default;
};

/// All dispatches of a stage of one picture.
struct ModelledStage {
  std::uint64_t dispatches = 0;
  std::uint64_t instructions = 0;  ///< of 16 lanes
  std::uint64_t requests = 0;      ///< of memory, of up to 16 lanes
  /// Sums over the dispatches, seconds.
  ModelledIntervals bounds{{"issue", {}}, {"tmu", {}}, {"memory", {}}, {"schedule", {}}};
  /// The greatest bound of each dispatch at either end, without what a dispatch costs whatever it
  /// does.
  ModelledInterval seconds;
  /// What of it is which unit's, in the order of their first dispatches.
  std::vector<ModelledUnits> units{};
  bool operator==(const ModelledStage&) const = default;

  /// Units of one kind are added up.
  ModelledStage& operator+=(const ModelledStage& more);
};

/// What a submission costs whatever its dispatches do.
struct FixedCosts {
  double submission = 0;  ///< seconds
  double dispatch = 0;    ///< of the only one in a submission
  /// Of so many dispatches in one submission: a dispatch's own cost once at the low end, and once a
  /// dispatch at the high end, as in ModelledPicture::seconds(). Nothing for none.
  [[nodiscard]] ModelledInterval of(std::uint64_t dispatches) const;
};

/// One picture, shown or hidden, all of whose samples are made in one submission: only parsing and
/// packing are the CPU's, and not in here.
struct ReconstructedPicture {
  std::uint64_t frame = 0;  ///< counted from 0 over all frames of the stream
  bool intra = false;       ///< all of its blocks are
  /// In the order in which a frame's submission has them; the residual is that of intra blocks too.
  vp9::PerStage<ModelledStage> stages;
  bool operator==(const ReconstructedPicture&) const = default;

  [[nodiscard]] std::uint64_t dispatches() const;
  /// All stages, and the fixed costs.
  [[nodiscard]] ModelledInterval seconds(const FixedCosts& fixed) const;
};

/// What a design that others have published takes for a unit, by a baseline of `sidecore shaderdb`:
/// on blocks and edges of synthetic content, not the clip's.
struct PublishedDesign {
  vp9::Stage stage = vp9::Stage::prediction;
  std::string name;
  double instructions = 0;  ///< a unit, of 16 lanes
  double requests = 0;
  bool operator==(const PublishedDesign&) const = default;
};

/// The part of a stream that was modelled.
struct ModelledClip {
  std::string name;           ///< its path when it was modelled
  std::uint64_t packets = 0;  ///< the first so many
  std::string md5;            ///< of these packets' bytes
  int width = 0;              ///< of the first frame
  int height = 0;
  int bits = 8;
  bool operator==(const ModelledClip&) const = default;
};

struct PictureModel {
  std::string v3d;     ///< "7.1"
  std::string driver;  ///< whose compiler made the code that was counted
  ModelledClip clip;
  /// What the model assumes of the machine: clock_hz, memory_bytes_per_second,
  /// dispatch_overhead_seconds and others.
  ModelledIntervals assumed;
  /// By schedule; pictures that have edges. Empty only where there is a back end of none that has.
  std::vector<ModelledPicture> levels;
  std::vector<ModelledPicture> waves;
  /// Empty where that was not asked for.
  std::vector<ReconstructedPicture> back_end{};
  /// To be shown beside it.
  std::vector<PublishedDesign> published{};
  bool operator==(const PictureModel&) const = default;

  [[nodiscard]] double dispatch_overhead() const {
    return assumed.at("dispatch_overhead_seconds").high;
  }
  [[nodiscard]] FixedCosts fixed_costs() const {
    return {assumed.at("submission_seconds").high, dispatch_overhead()};
  }
};

/// What most of a stage's time goes to: "issue" of instructions; "requests", as the memory units
/// take them; "memory", lines that move behind the units; "waiting", what the schedule takes beyond
/// the greatest of these three, because threads wait for their data and for one another;
/// "dispatches", their own costs at the middle of nothing and one each. "nothing" of a stage
/// without dispatches.
[[nodiscard]] std::string greatest_part(const ModelledStage& stage, const PictureModel& model);

/// MD5 of the packets' bytes, one behind the other: the same stream in another container has the
/// same.
[[nodiscard]] std::string digest_of(std::span<const std::vector<std::uint8_t>> packets);

/// The lines through all dispatches of these pictures, at the low and the high end: seconds by
/// dispatches and edges. The high end has a dispatch's own cost in it.
struct ModelledLines {
  CostLine low;
  CostLine high;
};
[[nodiscard]] ModelledLines lines_of(std::span<const ModelledPicture> pictures,
                                     double dispatch_overhead);
/// How far a picture lies from what the lines make of its dispatches and edges, at most, at the
/// low end: its own time over that, or that over it, less 1.
[[nodiscard]] double greatest_miss(std::span<const ModelledPicture> pictures,
                                   const ModelledLines& lines);

/// One JSON document: "schema": "sidecore-picture-model", "version": 1.
[[nodiscard]] std::string to_json(const PictureModel& model);
/// `origin` is what messages call the document. Throws Error (usage), one sentence, when the text
/// is no whole JSON document, something else, of a newer version, or not valid.
[[nodiscard]] PictureModel parse_picture_model(const std::string& text, const std::string& origin);
/// Throws Error (usage) also when the file cannot be read.
[[nodiscard]] PictureModel read_picture_model(const std::filesystem::path& file);
/// The JSON Schema (draft 7) of what to_json() writes.
[[nodiscard]] std::string picture_model_schema();

/// A table of both schedules, and where there is a back end one of its stages for intra pictures,
/// one for the others, and what all take: means of a picture. Then one of what a unit takes, over
/// all pictures, with the published designs.
[[nodiscard]] std::string to_text(const PictureModel& model);

}  // namespace sidecore::model
