#include <fmt/format.h>

#include <map>

#include "base/markup.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"
#include "shaderdb/figures.h"

namespace sidecore::report {
namespace {

/// One figure per work unit of each variant, summed over its programs. The key is "kernel,
/// variant".
using Costs = std::map<std::string, double>;

Costs costs_of(const shaderdb::Table& table, std::string_view name) {
  Costs costs;
  for (const shaderdb::VariantRows& rows : table.variants) {
    double sum = 0;
    for (const shaderdb::ProgramRow& row : rows.programs) {
      if (!row.executed.has_value()) continue;
      const auto found = row.executed->find(name);
      if (found != row.executed->end()) sum += static_cast<double>(found->second);
    }
    if (sum > 0 && rows.units > 0) {
      costs[rows.kernel + ", " + rows.variant] = sum / static_cast<double>(rows.units);
    }
  }
  return costs;
}

/// Returns the files' tables of one V3D version, in the order of the command line.
std::vector<std::pair<Source, const shaderdb::Table*>> tables_of(const Inputs& inputs,
                                                                 const std::string& v3d) {
  std::vector<std::pair<Source, const shaderdb::Table*>> tables;
  for (const ShaderdbFile& file : inputs.shaderdb) {
    const auto found = file.tables.find(v3d);
    if (found != file.tables.end()) tables.emplace_back(file.source, &found->second);
  }
  return tables;
}

/// Returns a chart of each variant's figure in each file, relative to the first file.
std::string history_html(const std::vector<std::pair<Source, const shaderdb::Table*>>& tables,
                         const std::string& v3d, const char* figure, const char* words) {
  LineChart chart;
  chart.title = fmt::format("V3D {}: {} per work unit, first file = 1", v3d, words);
  chart.x_label = "file";
  chart.dots = true;
  std::map<std::string, Series> series;
  std::vector<Costs> costs;
  for (const auto& [source, table] : tables) {
    chart.x_names.push_back(std::to_string(source.number));
    costs.push_back(costs_of(*table, figure));
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const auto& [name, value] : costs[i]) {
      const auto first = costs.front().find(name);
      if (first == costs.front().end()) continue;
      Series& each = series[name];
      each.name = name;
      each.points.emplace_back(i, value / first->second);
    }
  }
  for (auto& [name, each] : series) {
    // A kernel is left out of the chart if no figure of it changed; the table has it.
    bool moved = false;
    for (const auto& point : each.points) moved = moved || point.second != 1;
    if (moved) chart.series.push_back(std::move(each));
  }
  return to_html(chart);
}

void add_rows(const Source& source, const shaderdb::Table& table, Table& html) {
  for (const shaderdb::VariantRows& rows : table.variants) {
    for (const shaderdb::ProgramRow& row : rows.programs) {
      std::vector<std::string> cells = {std::to_string(source.number), rows.kernel, rows.variant,
                                        row.program};
      for (const char* name : {"instructions", "threads", "max_temps", "spills"}) {
        const auto found = row.compiled.find(name);
        cells.push_back(found == row.compiled.end() ? "-" : std::to_string(found->second));
      }
      for (const char* name : {"instructions", "loads", "stores", "request_lines"}) {
        const bool known =
            row.executed.has_value() && row.executed->contains(name) && rows.units > 0;
        cells.push_back(known ? fmt::format("{:.2f}", static_cast<double>(row.executed->at(name)) /
                                                          static_cast<double>(rows.units))
                              : "-");
      }
      html.add(std::move(cells));
    }
  }
}

std::string version_html(const Inputs& inputs, const std::string& v3d, bool open) {
  const auto tables = tables_of(inputs, v3d);
  std::string out = fmt::format("<details{}><summary>V3D {}</summary>\n", open ? " open" : "",
                                escaped_markup(v3d));
  if (tables.size() > 1) {
    out += "<div class=\"charts\">\n" + history_html(tables, v3d, "instructions", "instructions") +
           history_html(tables, v3d, "request_lines", "64-byte lines of memory") + "</div>\n";
  }
  Table html({"file", "kernel", "variant", "program", "instructions", "threads", "registers",
              "spills", "run per unit", "loads per unit", "stores per unit", "lines per unit"},
             4);
  std::string sources;
  for (const auto& [source, table] : tables) {
    add_rows(source, *table, html);
    sources += source_line(source.number, fmt::format("v3d[\"{}\"]", v3d));
  }
  return out + html.html() + sources + "</details>\n";
}

}  // namespace

std::string shaderdb_section(const Inputs& inputs) {
  std::map<std::string, bool> versions;
  for (const ShaderdbFile& file : inputs.shaderdb) {
    for (const auto& [v3d, table] : file.tables) versions[v3d] = true;
  }
  if (versions.empty()) return {};
  std::string out =
      "<section id=\"shaders\"><h2>Shaders as compiled for the Pi</h2>\n<p>The driver reports "
      "instructions, threads per QPU (4 or 2), registers and spills. The simulated V3D counts per "
      "work unit: executed instructions of 16 lanes each, memory requests, and the 64-byte lines "
      "that they touch. Several files, oldest first, show a history.</p>\n";
  for (const auto& [v3d, known] : versions) {
    out += version_html(inputs, v3d, versions.size() == 1);
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
