// The file of `sidecore verdict`: what a board's steps found, as figures with intervals. It is made
// to be sent to others, so it holds no path, no name of a host or user, and no serial number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/environment.h"
#include "qpu/device.h"

namespace sidecore::boards {

/// Source of a file's figures.
enum class Basis : std::uint8_t {
  measured,    ///< measured on a machine whose GPU, if any was used, is real
  substitute,  ///< measured with lavapipe or the simulator as GPU: shows correctness, never speed
  modelled,    ///< computed from models of a board
};
inline constexpr std::array kBases{Basis::measured, Basis::substitute, Basis::modelled};
/// Returns "measured", "substitute device, no speed" or "model, not measured".
[[nodiscard]] const char* to_string(Basis basis);

/// Length of the time windows and number of repetitions.
enum class Budget : std::uint8_t { full, quick };
inline constexpr std::array kBudgets{Budget::full, Budget::quick};
/// Returns "full" or "quick".
[[nodiscard]] const char* to_string(Budget budget);

/// One result. `low` and `high` are the 10th and 90th percentile of repeated measurements, or the
/// ends of a model's interval; both equal `value` if it was measured once.
struct Figure {
  /// Name: the step or kernel, then the quantity, for example "loop_filter.neon_1".
  std::string name;
  std::string unit;  ///< "ms", "us", "pictures/s", "%", "MHz", "mJ"
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Result of one step.
struct StepResult {
  std::string step;       ///< Step::name
  std::string missing;    ///< reason why the step or a part did not run; empty: all of it ran
  std::string throttled;  ///< causes of throttling during the step; empty: none was reported
  bool agrees = true;     ///< false: an implementation differs from the scalar definition
  double seconds = 0;     ///< duration
  std::string answer;     ///< result in one line; empty if nothing ran
  std::vector<Figure> figures;

  /// Returns true if the step need not be repeated: all of it ran and the board did not throttle.
  [[nodiscard]] bool is_finished() const { return missing.empty() && throttled.empty(); }
};

/// The Vulkan device; all texts are empty if there is none.
struct DeviceName {
  std::string name;
  std::string driver;
  bool operator==(const DeviceName&) const = default;
};

/// The clip, known by its packets, because its name and place say nothing to others.
struct ClipRecord {
  std::string md5;  ///< MD5 of all packets that are read; empty if there is no clip
  std::size_t packets = 0;
  int width = 0;  ///< width in luma samples
  int height = 0;
  bool operator==(const ClipRecord&) const = default;
};

struct BoardFile {
  std::string sidecore;  ///< version of the command
  Basis basis = Basis::measured;
  Budget budget = Budget::full;
  int threads = 1;  ///< largest number of NEON threads
  gates::BuildRecord build;
  gates::EnvironmentRecord environment;  ///< state of the board before the first step
  DeviceName device;
  ClipRecord clip;
  std::vector<StepResult> steps;  ///< results of the steps, in the order in which they ran last
};

/// Returns the figure of that name, or null.
[[nodiscard]] const Figure* find_figure(const BoardFile& file, std::string_view name);
/// Returns the result of that step, or null.
[[nodiscard]] const StepResult* find_step(const BoardFile& file, std::string_view step);
/// Replaces the result of the same step, or adds it.
void put_step(BoardFile& file, StepResult result);

/// Returns how `later` differs from `earlier` in what figures depend on: version, build, board,
/// system, clip, budget, threads, device. Empty if steps of both may stand in one file. A device
/// that only one of the two has is no difference, because its steps are then missing in the other.
[[nodiscard]] std::string difference_of(const BoardFile& earlier, const BoardFile& later);

/// Returns "pi4" or "pi5" for the boards that models exist of; empty for others.
[[nodiscard]] std::string model_name_of(const BoardFile& file);

/// Returns the text without absolute paths, which become "(path)". Paths below /dev and /sys stay,
/// because they name parts of the system.
[[nodiscard]] std::string without_paths(std::string_view text);

/// Replaces the clip's path and its name in the result's texts by "the clip".
void hide_clip(StepResult& result, const std::string& clip);

/// Returns a JSON document with "schema": "sidecore-verdict", "version": 1. Texts lose their paths.
[[nodiscard]] std::string to_json(const BoardFile& file);
/// Reads a document that to_json() wrote; `origin` names it in messages. Throws Error (usage) if
/// the text is not a complete document of this kind, or has a newer version.
[[nodiscard]] BoardFile parse_board_file(const std::string& text, const std::string& origin);
/// Returns the JSON Schema (draft 7) of the documents that to_json() writes.
[[nodiscard]] std::string board_file_schema();

/// Writes one step as JSON, to pass it from one process to another, and reads it.
[[nodiscard]] std::string step_to_json(StepResult result);
[[nodiscard]] StepResult parse_step(const std::string& text);

/// Returns the file's answers in ten lines, with a newline at the end of each.
[[nodiscard]] std::string ten_lines(const BoardFile& file);

}  // namespace sidecore::boards
