// A model of the time that a Raspberry Pi's QPU takes to filter or to reconstruct the pictures of a
// stream. All times are from the simulator's timing model (v3dsim/model.h); none was measured.
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

/// One dispatch of a picture's loop filter: a dependency level of edges, or a superblock wave.
struct ModelledDispatch {
  double edges = 0;
  /// The greatest bound at either end, without the fixed cost of a dispatch.
  ModelledInterval seconds;
  bool operator==(const ModelledDispatch&) const = default;
};

/// One picture, shown or hidden, filtered in one submission.
struct ModelledPicture {
  std::uint64_t frame = 0;         ///< number of the frame in the stream, from 0
  std::uint64_t instructions = 0;  ///< number of executed instructions, each for 16 lanes
  std::uint64_t requests = 0;      ///< number of memory requests, each for up to 16 lanes
  ModelledIntervals bounds;        ///< seconds under each limit alone, summed over the dispatches
  std::vector<ModelledDispatch> dispatches;
  /// Time of all dispatches without their fixed costs, with two supergroups at a time.
  ModelledInterval two_supergroups{};
  bool operator==(const ModelledPicture&) const = default;

  [[nodiscard]] double edges() const;
  /// Returns the time of all dispatches plus their fixed costs. It is unknown whether the
  /// dispatches of a submission share the fixed cost: the low end counts it once per picture, the
  /// high end once per dispatch.
  [[nodiscard]] ModelledInterval seconds(double dispatch_overhead) const;
};

/// Dispatches of one stage whose work units are of one kind.
struct ModelledUnits {
  std::string unit;  ///< name of a work unit, singular: "edge"
  std::string kind;  ///< kind of the work units; empty if the stage has a single kind
  double units = 0;
  std::uint64_t dispatches = 0;
  std::uint64_t instructions = 0;  ///< number of executed instructions, each for 16 lanes
  std::uint64_t requests = 0;      ///< number of memory requests, each for up to 16 lanes
  bool operator==(const ModelledUnits&) const = default;
};

/// All dispatches of one stage of a picture.
struct ModelledStage {
  std::uint64_t dispatches = 0;
  std::uint64_t instructions = 0;  ///< number of executed instructions, each for 16 lanes
  std::uint64_t requests = 0;      ///< number of memory requests, each for up to 16 lanes
  /// Seconds under each limit alone, summed over the dispatches.
  ModelledIntervals bounds{{"issue", {}}, {"tmu", {}}, {"memory", {}}, {"schedule", {}}};
  /// Sum of the greatest bounds of the dispatches at either end, without their fixed costs.
  ModelledInterval seconds;
  /// The dispatches by kind of work unit, in the order of the first dispatches.
  std::vector<ModelledUnits> units{};
  /// `seconds` with two supergroups at a time instead of one.
  ModelledInterval two_supergroups{};
  bool operator==(const ModelledStage&) const = default;

  /// Adds a stage; units of the same kind are summed.
  ModelledStage& operator+=(const ModelledStage& more);
};

/// Costs of a submission that do not depend on the work of its dispatches.
struct FixedCosts {
  double submission = 0;  ///< seconds per submission
  double dispatch = 0;    ///< seconds of a single dispatch in a submission
  /// Returns the fixed cost of one submission. The cost of a dispatch counts once at the low end
  /// and once per dispatch at the high end, as in ModelledPicture::seconds(). 0 for no dispatches.
  [[nodiscard]] ModelledInterval of(std::uint64_t dispatches) const;
};

/// One picture, shown or hidden, whose samples are all computed in one submission. Parsing and
/// packing are the CPU's work and not included.
struct ReconstructedPicture {
  std::uint64_t frame = 0;  ///< number of the frame in the stream, from 0
  bool intra = false;       ///< true if all blocks are intra blocks
  /// Stages in the order of the submission. The residual includes that of intra blocks.
  vp9::PerStage<ModelledStage> stages;
  bool operator==(const ReconstructedPicture&) const = default;

  [[nodiscard]] std::uint64_t dispatches() const;
  /// Returns the time of all stages plus the fixed costs.
  [[nodiscard]] ModelledInterval seconds(const FixedCosts& fixed) const;
};

/// Cost per work unit of a design that others have published, from a baseline of `sidecore
/// shaderdb`. It was counted on blocks and edges of synthetic content, not on the clip's.
struct PublishedDesign {
  vp9::Stage stage = vp9::Stage::prediction;
  std::string name;
  double instructions = 0;  ///< instructions per work unit, each for 16 lanes
  double requests = 0;
  bool operator==(const PublishedDesign&) const = default;
};

/// The part of a stream that was modelled.
struct ModelledClip {
  std::string name;           ///< path of the file that was modelled
  std::uint64_t packets = 0;  ///< number of modelled packets, from the first
  std::string md5;            ///< MD5 of these packets' bytes
  int width = 0;              ///< width of the first frame in luma samples
  int height = 0;
  int bits = 8;
  bool operator==(const ModelledClip&) const = default;
};

struct PictureModel {
  std::string v3d;     ///< version of the simulated V3D: "7.1"
  std::string driver;  ///< driver whose compiler made the counted code
  ModelledClip clip;
  /// Assumptions about the machine: clock_hz, memory_bytes_per_second, dispatch_overhead_seconds
  /// and others.
  ModelledIntervals assumed;
  /// Pictures that have edges, filtered by dependency levels and by superblock waves. Empty only if
  /// `back_end` has pictures and none of them has edges.
  std::vector<ModelledPicture> levels;
  std::vector<ModelledPicture> waves;
  /// Reconstructed pictures; empty if only the loop filter was modelled.
  std::vector<ReconstructedPicture> back_end{};
  /// Published designs, shown beside the work units of `back_end`.
  std::vector<PublishedDesign> published{};
  bool operator==(const PictureModel&) const = default;

  [[nodiscard]] double dispatch_overhead() const {
    return assumed.at("dispatch_overhead_seconds").high;
  }
  [[nodiscard]] FixedCosts fixed_costs() const {
    return {assumed.at("submission_seconds").high, dispatch_overhead()};
  }
};

/// Returns the name of the part that takes most of a stage's time:
///   - "issue": issue of instructions;
///   - "requests": work of the memory units;
///   - "memory": cache lines that move between memory and the units;
///   - "waiting": time of the schedule beyond the greatest of these three, because threads wait for
///     data and for each other;
///   - "dispatches": fixed costs, with half of one fixed cost per dispatch;
///   - "nothing": the stage has no dispatches.
[[nodiscard]] std::string greatest_part(const ModelledStage& stage, const PictureModel& model);

/// Returns the MD5 of the packets' concatenated bytes. It does not depend on the container.
[[nodiscard]] std::string digest_of(std::span<const std::vector<std::uint8_t>> packets);

/// Lines through all dispatches of some pictures, at the low and the high end: seconds as a
/// function of dispatches and edges. The high end includes the fixed cost of a dispatch.
struct ModelledLines {
  CostLine low;
  CostLine high;
};
[[nodiscard]] ModelledLines fit_lines(std::span<const ModelledPicture> pictures,
                                      double dispatch_overhead);
/// Returns the greatest error of the low line over the pictures: the larger of a picture's own time
/// and its time on the line, divided by the smaller, minus 1.
[[nodiscard]] double greatest_line_error(std::span<const ModelledPicture> pictures,
                                         const ModelledLines& lines);

/// Returns a JSON document with "schema": "sidecore-picture-model" and its "version".
[[nodiscard]] std::string to_json(const PictureModel& model);
/// Reads a document that to_json() wrote; `origin` names it in messages. Throws Error (usage) if
/// the text is not a complete document of this kind and version, or is not valid.
[[nodiscard]] PictureModel parse_picture_model(const std::string& text, const std::string& origin);
/// Reads a file that to_json() wrote. Throws as parse_picture_model(), and if the file cannot be
/// read.
[[nodiscard]] PictureModel read_picture_model(const std::filesystem::path& file);
/// Returns the JSON Schema (draft 7) of the documents that to_json() writes.
[[nodiscard]] std::string picture_model_schema();

/// Returns text tables with means per picture: both schedules of the loop filter and, if there is a
/// back end, its stages for intra pictures, for other pictures and for all. The last table has
/// costs per work unit over all pictures, and those of the published designs.
[[nodiscard]] std::string to_text(const PictureModel& model);

}  // namespace sidecore::model
