#include "shaderdb/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_table.h"

namespace sidecore::shaderdb {
namespace {

// Number of columns with names: kernel, variant and program.
constexpr std::size_t kNameColumns = 3;

/// Returns a figure's name as a heading: "max temps" for "max_temps".
std::string heading(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::vector<std::string> header(std::vector<std::string> names,
                                std::span<const FigureKind> figures) {
  for (const FigureKind& figure : figures) names.push_back(heading(figure.name));
  return names;
}

std::string compiled_table(const Table& table) {
  TextTable text(header({"kernel", "variant", "program"}, compiled_figures()), kNameColumns);
  for (const VariantRows& rows : table.variants) {
    for (const ProgramRow& row : rows.programs) {
      std::vector<std::string> cells = {rows.kernel, rows.variant, row.program};
      for (const FigureKind& figure : compiled_figures()) {
        const auto found = row.compiled.find(figure.name);
        cells.push_back(found == row.compiled.end() ? "-" : std::to_string(found->second));
      }
      text.add(std::move(cells));
    }
  }
  return text.text();
}

std::vector<std::string> executed_cells(const VariantRows& rows, std::string program,
                                        std::uint64_t dispatches, const Figures& figures) {
  std::vector<std::string> cells = {rows.kernel, rows.variant, std::move(program),
                                    std::to_string(dispatches), rows.unit};
  for (const FigureKind& figure : executed_figures()) {
    const auto found = figures.find(figure.name);
    const double value = found == figures.end() ? 0 : static_cast<double>(found->second);
    cells.push_back(fmt::format("{:.2f}", value / static_cast<double>(rows.units)));
  }
  return cells;
}

void add_executed(const VariantRows& rows, TextTable& text) {
  Figures sums;
  std::uint64_t dispatches = 0;
  for (const ProgramRow& row : rows.programs) {
    if (!row.executed) return;
    text.add(executed_cells(rows, row.program, row.dispatches, *row.executed));
    for (const auto& [name, value] : *row.executed) sums[name] += value;
    dispatches += row.dispatches;
  }
  if (rows.programs.size() > 1) text.add(executed_cells(rows, "all", dispatches, sums));
}

std::string executed_table(const Table& table) {
  TextTable text(header({"kernel", "variant", "program", "dispatches", "unit"}, executed_figures()),
                 kNameColumns);
  for (const VariantRows& rows : table.variants) add_executed(rows, text);
  return text.text();
}

std::vector<std::string> modelled_cells(const VariantRows& rows, std::string program,
                                        const ModelledBounds& bounds) {
  std::vector<std::string> cells = {rows.kernel, rows.variant, std::move(program), rows.unit};
  const double nanoseconds = 1e9 / static_cast<double>(rows.units);
  for (const auto& [name, seconds] : bounds) {
    const double low = seconds.low * nanoseconds;
    const double high = seconds.high * nanoseconds;
    cells.push_back(low == high ? fmt::format("{:.3f}", low)
                                : fmt::format("{:.3f} .. {:.3f}", low, high));
  }
  cells.push_back(leading_bounds(bounds));
  return cells;
}

void add_modelled(const VariantRows& rows, TextTable& text) {
  ModelledBounds sums;
  for (const ProgramRow& row : rows.programs) {
    if (row.modelled.empty()) return;
    text.add(modelled_cells(rows, row.program, row.modelled));
    add(sums, row.modelled);
  }
  if (rows.programs.size() > 1) text.add(modelled_cells(rows, "all", sums));
}

/// Returns the table of modelled times; empty if there is no timing model of this V3D.
std::string modelled_table(const Table& table) {
  const ModelledBounds& any = table.variants.front().programs.front().modelled;
  if (any.empty()) return "";
  std::vector<std::string> names = {"kernel", "variant", "program", "unit"};
  for (const auto& [bound, seconds] : any) names.push_back(bound + ", ns");
  names.emplace_back("bound");
  TextTable text(std::move(names), kNameColumns);
  for (const VariantRows& rows : table.variants) add_modelled(rows, text);
  return "\nModelled, not measured: time of one work unit under each limit alone, and as "
         "scheduled\n" +
         text.text();
}

bool was_executed(const Table& table) {
  return std::ranges::any_of(table.variants, [](const VariantRows& rows) {
    return !rows.programs.empty() && rows.programs.front().executed.has_value();
  });
}

}  // namespace

std::string to_text(const Table& table) {
  std::string text =
      fmt::format("V3D {}, {}\n\nCompiled\n{}", table.v3d, table.driver, compiled_table(table));
  if (!was_executed(table)) {
    return text +
           "\nNot simulated: the cost of a work unit is unknown; scripts/shaderdb runs the "
           "simulator\n";
  }
  const WorkloadSize& size = table.workload;
  return text +
         fmt::format("\nExecuted per work unit, simulated: {} {}x{}, seed {}\n{}", size.content,
                     size.width, size.height, size.seed, executed_table(table)) +
         modelled_table(table);
}

}  // namespace sidecore::shaderdb
