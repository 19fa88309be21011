#include "boards/board_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <utility>

#include "base/json.h"
#include "gates/run_record_fields.h"

namespace sidecore::boards {
namespace {

constexpr json::DocumentKind kBoardFileKind{"sidecore-verdict", 1, "result of sidecore verdict"};

std::string origin_of(const BoardFile& file) {
  return file.basis == Basis::modelled ? "a model" : "a run";
}

}  // namespace

constexpr auto values_of(Basis) {
  return kBases;
}
constexpr auto values_of(Budget) {
  return kBudgets;
}

void fields(auto& json, Figure& figure) {
  json.record("figure",
              "One result. low and high are the 10th and 90th percentile of repeated measurements, "
              "or the ends of a model's interval.");
  json("name", figure.name, {"Step or kernel, a dot, and what was measured."});
  json("unit", figure.unit, {.one_of = {"ms", "us", "pictures/s", "%", "MHz", "mJ"}});
  json("value", figure.value);
  json("low", figure.low);
  json("high", figure.high);
}

void fields(auto& json, StepResult& result) {
  json.record("step", "Result of one step.");
  json("step", result.step);
  json("missing", result.missing,
       {"Reason why the step or a part of it did not run; empty if all of it ran."});
  json("throttled", result.throttled,
       {"Causes of throttling during the step; empty if none was reported."});
  json("agrees", result.agrees, {"False if an implementation differs from the scalar definition."});
  json("seconds", result.seconds, {.text = "Duration in seconds.", .minimum = 0});
  json("answer", result.answer, {"Result in one line; empty if nothing ran."});
  json("figures", result.figures);
}

void fields(auto& json, DeviceName& device) {
  json("name", device.name, {"Vulkan device; empty if there is none."});
  json("driver", device.driver);
}

void fields(auto& json, ClipRecord& clip) {
  json("md5", clip.md5, {"MD5 of all packets that are read; empty if there is no clip."});
  json("packets", clip.packets);
  json("width", clip.width, {.text = "Width in luma samples.", .minimum = 0});
  json("height", clip.height, {.minimum = 0});
}

void fields(auto& json, BoardFile& file) {
  json("sidecore", file.sidecore, {"Version of sidecore."});
  json("basis", file.basis, {"Source of the figures."});
  json("budget", file.budget, {"quick: short time windows, few repetitions; no measurement."});
  json("threads", file.threads, {.text = "Largest number of NEON threads.", .minimum = 1});
  json("build", file.build);
  json("environment", file.environment);
  json("device", file.device);
  json("clip", file.clip);
  json("steps", file.steps);
}

const char* to_string(Basis basis) {
  switch (basis) {
    case Basis::measured:
      return "measured";
    case Basis::substitute:
      return "substitute device, no speed";
    case Basis::modelled:
      return "model, not measured";
  }
  return "unknown";
}

const char* to_string(Budget budget) {
  return budget == Budget::full ? "full" : "quick";
}

const Figure* find_figure(const BoardFile& file, std::string_view name) {
  for (const StepResult& result : file.steps) {
    const auto found = std::ranges::find(result.figures, name, &Figure::name);
    if (found != result.figures.end()) return &*found;
  }
  return nullptr;
}

const StepResult* find_step(const BoardFile& file, std::string_view step) {
  const auto found = std::ranges::find(file.steps, step, &StepResult::step);
  return found == file.steps.end() ? nullptr : &*found;
}

void put_step(BoardFile& file, StepResult result) {
  std::erase_if(file.steps, [&](const StepResult& old) { return old.step == result.step; });
  file.steps.push_back(std::move(result));
}

std::string difference_of(const BoardFile& earlier, const BoardFile& later) {
  const auto differs = [](const char* what, const auto& old, const auto& now) {
    return fmt::format("{} '{}', not '{}'", what, old, now);
  };
  const gates::EnvironmentRecord& old = earlier.environment;
  const gates::EnvironmentRecord& now = later.environment;
  const std::pair<const char*, std::pair<std::string, std::string>> texts[] = {
      {"version", {earlier.sidecore, later.sidecore}},
      {"basis", {origin_of(earlier), origin_of(later)}},
      {"budget", {to_string(earlier.budget), to_string(later.budget)}},
      {"number of threads", {std::to_string(earlier.threads), std::to_string(later.threads)}},
      {"build type", {earlier.build.type, later.build.type}},
      {"compiler", {earlier.build.compiler, later.build.compiler}},
      {"NEON code", {earlier.build.neon, later.build.neon}},
      {"board", {old.board, now.board}},
      {"CPU", {old.cpu_model, now.cpu_model}},
      {"machine", {old.machine, now.machine}},
      {"kernel", {old.kernel, now.kernel}},
      {"system", {old.os, now.os}},
      {"clip", {earlier.clip.md5, later.clip.md5}}};
  for (const auto& [what, pair] : texts) {
    // If one run had no clip, the steps that need a clip did not run in it; they are repeated.
    const bool absent =
        std::string_view(what) == "clip" && (pair.first.empty() || pair.second.empty());
    if (pair.first != pair.second && !absent) return differs(what, pair.first, pair.second);
  }
  if (earlier.device != later.device && !earlier.device.name.empty() &&
      !later.device.name.empty()) {
    return differs("device", earlier.device.name + ", " + earlier.device.driver,
                   later.device.name + ", " + later.device.driver);
  }
  return {};
}

std::string model_name_of(const BoardFile& file) {
  const std::string& board = file.environment.board;
  for (const auto& [words, name] : {std::pair{"Raspberry Pi 5", "pi5"},
                                    {"Compute Module 5", "pi5"},
                                    {"Raspberry Pi 4", "pi4"},
                                    {"Compute Module 4", "pi4"}}) {
    if (board.find(words) != std::string::npos) return name;
  }
  return {};
}

std::string without_paths(std::string_view text) {
  const auto ends_path = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("'\",;:()[]{}<>|=").find(c) != std::string_view::npos;
  };
  const auto begins_word = [&](std::size_t at) { return at == 0 || ends_path(text[at - 1]); };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool path = begins_word(at) &&
                      (text.substr(at).starts_with('/') || text.substr(at).starts_with("./") ||
                       text.substr(at).starts_with("../") || text.substr(at).starts_with("~/"));
    if (!path) {
      result += text[at++];
      continue;
    }
    // Within quotation marks a path may have any character.
    const char quote =
        at > 0 && (text[at - 1] == '\'' || text[at - 1] == '"') ? text[at - 1] : '\0';
    const std::size_t closing = quote == '\0' ? std::string_view::npos : text.find(quote, at);
    std::size_t end = at;
    if (closing != std::string_view::npos) {
      end = closing;
    } else {
      while (end < text.size() && !ends_path(text[end])) ++end;
    }
    const std::string_view word = text.substr(at, end - at);
    const bool of_system =
        word.starts_with("/dev/dri/") || word.starts_with("/sys/") || word.starts_with("/dev/vcio");
    result += of_system || word == "/" ? word : std::string_view("(path)");
    at = end;
  }
  return result;
}

void hide_clip(StepResult& result, const std::string& clip) {
  constexpr std::string_view kClip = "the clip";
  const std::string name = std::filesystem::path(clip).filename();
  for (std::string* const text : {&result.missing, &result.answer}) {
    for (const std::string& private_name : {"'" + clip + "'", clip, "'" + name + "'", name}) {
      if (name.empty()) continue;
      for (std::size_t at = text->find(private_name); at != std::string::npos;
           at = text->find(private_name, at + kClip.size())) {
        text->replace(at, private_name.size(), kClip);
      }
    }
  }
}

std::string to_json(const BoardFile& file) {
  BoardFile sent = file;
  for (StepResult& result : sent.steps) {
    for (std::string* const text : {&result.missing, &result.throttled, &result.answer}) {
      *text = without_paths(*text);
    }
  }
  return json::write_document(kBoardFileKind, std::move(sent));
}

BoardFile parse_board_file(const std::string& text, const std::string& origin) {
  return json::read_document<BoardFile>(kBoardFileKind, text, origin);
}

std::string board_file_schema() {
  return json::describe_document<BoardFile>(
      kBoardFileKind,
      "A board's figures, written by sidecore verdict. It holds no path, no name of a host or "
      "user, and no serial number.");
}

std::string step_to_json(StepResult result) {
  return json::to_text(json::Converter<StepResult>::write(result));
}

StepResult parse_step(const std::string& text) {
  StepResult result;
  const auto parsed = json::parse<json::Json>(text, "the step's result");
  json::Converter<StepResult>::read(parsed, {"step", {}}, result);
  return result;
}

}  // namespace sidecore::boards
