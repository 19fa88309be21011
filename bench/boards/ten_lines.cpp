#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "boards/board_file.h"

namespace sidecore::boards {
namespace {

struct Row {
  const char* label;
  const char* step;
};
constexpr Row kRows[] = {{"dispatch (M5)", "dispatch"},
                         {"published kernels", "published"},
                         {"loop filter", "loop_filter"},
                         {"inter prediction", "inter_prediction"},
                         {"inverse transform", "inverse_transform"},
                         {"intra prediction", "intra_prediction"},
                         {"all pixel stages", "back_end"},
                         {"split", "split"}};

std::string answer_of(const BoardFile& file, const char* step) {
  const StepResult* const result = find_step(file, step);
  if (result == nullptr) return "not run yet";
  std::string text = result->answer;
  const auto append = [&](std::string_view separator, const std::string& more) {
    if (more.empty()) return;
    if (!text.empty()) text += separator;
    text += more;
  };
  if (!result->agrees) append("; ", "WRONG: a result differs from the scalar definition");
  if (!result->missing.empty())
    append("; ", (result->answer.empty() ? "not run: " : "partly not run: ") + result->missing);
  if (!result->throttled.empty()) append("; ", "VOID, the board throttled: " + result->throttled);
  return text;
}

}  // namespace

std::string ten_lines(const BoardFile& file) {
  const gates::EnvironmentRecord& board = file.environment;
  const std::string governor = board.cpus.empty() || board.cpus.front().governor.empty()
                                   ? ""
                                   : fmt::format(", governor {}", board.cpus.front().governor);
  std::string text = fmt::format(
      "board: {}, {} CPUs{}; {}, {}; {}\n", board.board, board.cpus.size(), governor, board.os,
      board.kernel,
      file.device.name.empty() ? "no Vulkan device"
                               : fmt::format("{} ({})", file.device.name, file.device.driver));
  text +=
      fmt::format("figures: {}{}; sidecore {}, {}; clip {}x{}, {} packets\n", to_string(file.basis),
                  file.budget == Budget::quick ? ", quick: no measurement" : "", file.sidecore,
                  file.build.neon, file.clip.width, file.clip.height, file.clip.packets);
  for (const auto& [label, step] : kRows) {
    text += fmt::format("{}: {}\n", label, answer_of(file, step));
  }
  return without_paths(text);
}

}  // namespace sidecore::boards
