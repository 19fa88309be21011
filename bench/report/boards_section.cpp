#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "boards/models.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

using boards::BoardFile;
using boards::Figure;

/// Returns a figure with four significant digits, and its interval if it has one.
std::string figure_text(const Figure& figure) {
  if (figure.low == figure.high) return fmt::format("{:.4g}", figure.value);
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", figure.value, figure.low, figure.high);
}

/// Returns true if the figure depends on the clip.
bool is_of_clip(const Figure& figure) {
  return !figure.name.starts_with("dispatch.") && !figure.name.starts_with("published.");
}

/// Returns the step that has a figure of this name; null if there is none.
const boards::StepResult* step_of(const BoardFile& file, std::string_view figure) {
  for (const boards::StepResult& step : file.steps) {
    if (std::ranges::find(step.figures, figure, &Figure::name) != step.figures.end()) return &step;
  }
  return nullptr;
}

/// Returns the measured value divided by the modelled value, and whether it lies inside the model's
/// interval; "-" if the two cannot be compared.
std::string ratio_text(const BoardFile& file, const Figure& measured, const BoardFile& model,
                       const Figure& modelled) {
  if (!step_of(file, measured.name)->throttled.empty()) return "void: throttled";
  if (is_of_clip(measured) && file.clip != model.clip) return "another clip";
  if (modelled.value == 0) return "-";
  const bool inside = measured.value >= modelled.low && measured.value <= modelled.high;
  return fmt::format("{:.2f}, {}", measured.value / modelled.value, inside ? "inside" : "outside");
}

/// Returns the first part of a figure's name: its step or kernel.
std::string_view group_of(const Figure& figure) {
  return std::string_view(figure.name).substr(0, figure.name.find('.'));
}

/// Returns the rest of a figure's name, and its unit.
std::string label_of(const Figure& figure) {
  const std::size_t dot = figure.name.find('.');
  const std::string rest = dot == std::string::npos ? figure.name : figure.name.substr(dot + 1);
  return fmt::format("{}, {}", rest, figure.unit);
}

/// Returns one figure of each name: from the first file that has it, otherwise from the model.
/// Figures of one step or kernel are next to each other.
std::vector<const Figure*> listed_figures(const BoardFile* model,
                                          const std::vector<const BoardInput*>& files) {
  std::vector<const Figure*> listed;
  std::set<std::string_view> known;
  const auto add = [&](const BoardFile& file) {
    for (const boards::StepResult& step : file.steps) {
      for (const Figure& figure : step.figures) {
        if (known.insert(figure.name).second) listed.push_back(&figure);
      }
    }
  };
  for (const BoardInput* const input : files) add(input->file);
  if (model != nullptr) add(*model);
  // A repeated step moves to the end of its file, so figures of one group may be far apart here.
  std::vector<const Figure*> grouped;
  std::set<std::string_view> done;
  for (const Figure* const first : listed) {
    if (!done.insert(group_of(*first)).second) continue;
    std::ranges::copy_if(listed, std::back_inserter(grouped), [&](const Figure* figure) {
      return group_of(*figure) == group_of(*first);
    });
  }
  return grouped;
}

/// Returns the figures of the files of one kind of board beside its model, which may be null: a
/// table for each step or kernel. The ratio comes before both values, so that a narrow screen shows
/// it.
std::string board_tables(const BoardFile* model, const std::vector<const BoardInput*>& files) {
  const std::vector<const Figure*> listed = listed_figures(model, files);
  std::string out;
  for (std::size_t begin = 0; begin < listed.size();) {
    const std::string_view group = group_of(*listed[begin]);
    std::vector<std::string> header{std::string(group)};
    for (const BoardInput* const input : files) {
      if (model != nullptr) header.push_back(fmt::format("file {} / model", input->source.number));
      header.push_back(fmt::format("file {}", input->source.number));
    }
    if (model != nullptr) header.emplace_back("model, not measured");
    Table table(std::move(header), 1);
    for (; begin < listed.size() && group_of(*listed[begin]) == group; ++begin) {
      const Figure& figure = *listed[begin];
      const Figure* const modelled =
          model == nullptr ? nullptr : boards::find_figure(*model, figure.name);
      std::vector<std::string> row{label_of(figure)};
      for (const BoardInput* const input : files) {
        const Figure* const measured = boards::find_figure(input->file, figure.name);
        if (model != nullptr) {
          row.push_back(measured == nullptr || modelled == nullptr
                            ? "-"
                            : ratio_text(input->file, *measured, *model, *modelled));
        }
        row.push_back(measured == nullptr ? "-" : figure_text(*measured));
      }
      if (model != nullptr) row.push_back(modelled == nullptr ? "-" : figure_text(*modelled));
      table.add(std::move(row));
    }
    out += table.html();
  }
  return out;
}

std::string basis_paragraph(const BoardInput& input) {
  return paragraph(
      fmt::format("File {}: {}, {}{}.", input.source.number, input.file.environment.board,
                  to_string(input.file.basis),
                  input.file.budget == boards::Budget::quick ? ", quick: no measurement" : ""),
      input.file.basis == boards::Basis::measured && input.file.budget == boards::Budget::full
          ? ""
          : "warning");
}

}  // namespace

std::string boards_section(const Inputs& inputs) {
  if (inputs.boards.empty()) return {};
  std::string out =
      "<section id=\"boards\"><h2>Boards beside the model</h2>\n" +
      paragraph(
          "Each figure of each file of sidecore verdict, beside the same figure of the board's "
          "model with its interval. A ratio above 1 says that the board takes longer, or for "
          "pictures/s "
          "is faster, than the model. Inside: the value lies in the model's interval.");
  std::vector<std::string> names;
  for (const BoardInput& input : inputs.boards) {
    const std::string name = boards::model_name_of(input.file);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    std::vector<const BoardInput*> files;
    for (const BoardInput& input : inputs.boards) {
      if (boards::model_name_of(input.file) == name) files.push_back(&input);
    }
    const BoardFile* const model = boards::find_model(name);
    out += fmt::format("<h3>{}</h3>\n",
                       model == nullptr ? "Boards without a model" : model->environment.board);
    for (const BoardInput* const input : files) out += basis_paragraph(*input);
    out += board_tables(model, files);
    for (const BoardInput* const input : files) {
      out += source_line(input->source.number, "steps[].figures");
    }
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
