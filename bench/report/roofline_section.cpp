#include <fmt/format.h>

#include <algorithm>

#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// Cost of one work unit on the QPU, counted by the simulator.
struct UnitCost {
  double instructions = 0;
  double requests = 0;  ///< number of memory requests; one request serves up to 16 lanes
};

std::uint64_t figure(const shaderdb::Figures& figures, std::string_view name) {
  const auto found = figures.find(name);
  return found == figures.end() ? 0 : found->second;
}

std::optional<UnitCost> cost_of(const shaderdb::VariantRows& rows) {
  UnitCost cost;
  for (const shaderdb::ProgramRow& row : rows.programs) {
    if (!row.executed.has_value()) return std::nullopt;
    cost.instructions += static_cast<double>(figure(*row.executed, "instructions"));
    for (const char* request : {"loads", "stores", "atomics"}) {
      cost.requests += static_cast<double>(figure(*row.executed, request));
    }
  }
  if (rows.units == 0 || cost.requests <= 0 || cost.instructions <= 0) return std::nullopt;
  cost.instructions /= static_cast<double>(rows.units);
  cost.requests /= static_cast<double>(rows.units);
  return cost;
}

/// Returns the file's shaderdb table for the V3D version of the report's device; for a device that
/// is no V3D, the table of the newest version. Null if the file has no table.
const shaderdb::Table* table_for(const gates::GateReport& report, const ShaderdbFile& counts) {
  if (counts.tables.empty()) return nullptr;
  for (const auto& [v3d, table] : counts.tables) {
    if (report.device->name.find("V3D " + v3d) != std::string::npos) return &table;
  }
  return &counts.tables.rbegin()->second;
}

/// Returns M2's runs on the content that was counted; if there are none, on the first content.
const gates::QpuContentRuns* content_like(const gates::KernelReport& kernel,
                                          const std::string& counted) {
  const auto& contents = kernel.m2->contents;
  if (contents.empty()) return nullptr;
  const auto same = std::ranges::find_if(contents, [&](const gates::QpuContentRuns& runs) {
    return to_string(runs.content) == counted;
  });
  return same == contents.end() ? &contents.front() : &*same;
}

struct Roofline {
  RooflineChart chart;
  Table table{{"no.", "kernel, variant", "content", "instructions per unit", "requests per unit",
               "instructions per request", "instructions/s", "requests/s"},
              3};

  void add(const gates::KernelReport& kernel, const gates::QpuContentRuns& runs,
           const gates::QpuRun& run, const UnitCost& cost);
};

void Roofline::add(const gates::KernelReport& kernel, const gates::QpuContentRuns& runs,
                   const gates::QpuRun& run, const UnitCost& cost) {
  const SampleSet& elapsed = run.gpu.has_value() ? *run.gpu : run.submit_to_fence;
  if (elapsed.median <= 0) return;
  const double units = static_cast<double>(runs.units) * 1e9 / elapsed.median;
  const std::string name = kernel.name + ", " + run.variant;
  chart.points.push_back({name, cost.instructions / cost.requests, units * cost.instructions});
  table.add({std::to_string(chart.points.size()), name, to_string(runs.content),
             fmt::format("{:.1f}", cost.instructions), fmt::format("{:.2f}", cost.requests),
             fmt::format("{:.1f}", cost.instructions / cost.requests),
             rate_text(units * cost.instructions), rate_text(units * cost.requests)});
}

Roofline roofline_of(const gates::GateReport& report, const shaderdb::Table& counts) {
  Roofline roofline;
  for (const gates::KernelReport& kernel : report.kernels) {
    if (!kernel.m2) continue;
    const gates::QpuContentRuns* runs = content_like(kernel, counts.workload.content);
    if (runs == nullptr) continue;
    for (const gates::QpuRun& run : runs->runs) {
      const auto rows =
          std::ranges::find_if(counts.variants, [&](const shaderdb::VariantRows& each) {
            return each.kernel == kernel.name && each.variant == run.variant;
          });
      if (rows == counts.variants.end()) continue;
      if (const auto cost = cost_of(*rows)) roofline.add(kernel, *runs, run, *cost);
    }
  }
  return roofline;
}

std::string board_html(const GateFile& file, const ShaderdbFile& counts) {
  const gates::GateReport& report = file.report;
  if (!report.device) return {};
  const shaderdb::Table* table = table_for(report, counts);
  if (table == nullptr) return {};
  Roofline roofline = roofline_of(report, *table);
  if (roofline.table.empty()) return {};
  roofline.chart.title = fmt::format("{}, counts of V3D {}", report.device->name, table->v3d);
  const shaderdb::WorkloadSize& work = table->workload;
  std::string out =
      to_html(roofline.chart) + roofline.table.html() +
      paragraph(fmt::format("Instructions and requests were counted on {} content, {}x{}; other "
                            "content takes other branches.",
                            work.content, work.width, work.height),
                "quiet");
  if (report.device->is_cpu()) {
    out += paragraph(
        "A CPU ran these shaders: only the horizontal position says something about a V3D; heights "
        "and roofs are the CPU's.",
        "warning");
  }
  return out + source_line(file.source.number, "kernels[*].m2") +
         source_line(counts.source.number, fmt::format("v3d[\"{}\"].kernels", table->v3d));
}

}  // namespace

std::string roofline_section(const Inputs& inputs) {
  if (inputs.shaderdb.empty()) return {};
  std::string boards;
  for (const GateFile& file : inputs.gates) boards += board_html(file, inputs.shaderdb.back());
  if (boards.empty()) return {};
  return "<section id=\"roofline\"><h2>What holds each kernel back</h2>\n<p>A kernel on the left "
         "waits for memory, one on the right for instructions. The simulated V3D counted the "
         "instructions and memory requests per work unit. M2 measured the units per second, by GPU "
         "timestamps if the device has them. The roofs are the highest rates of instructions and "
         "of "
         "memory requests that any kernel here reached on this board: a kernel far below both can "
         "become faster.</p>\n" +
         boards + "</section>\n";
}

}  // namespace sidecore::report
