#include "shaderdb/measure.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "qpu/command_list.h"
#include "qpu/program.h"

namespace sidecore::shaderdb {
namespace {

// Names in VK_KHR_pipeline_executable_properties of Mesa's V3D driver. Its "TMU Spills" and
// "TMU Fills" repeat "Spill Size" in bytes (Mesa 25.0.7) and are left out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDriverNames = {{
    {"Compile Strategy", "strategy"},
    {"Instruction Count", "instructions"},
    {"Thread Count", "threads"},
    {"Spill Size", "spill_bytes"},
    {"QPU Read Stalls", "sfu_stalls"},
}};

std::string label_of(const qpu::Program& program) {
  const auto& constants = program.specialization().constants;
  std::string label(program.name());
  if (constants.empty()) return label;
  std::vector<std::string> values;
  values.reserve(constants.size());
  for (const auto& [id, value] : constants) values.push_back(fmt::format("{}={}", id, value));
  return fmt::format("{}[{}]", label, fmt::join(values, ","));
}

Figures figures_of(const qpu::Program& program) {
  Figures figures;
  for (const qpu::CompilerFigure& figure : program.compiler_figures()) {
    const auto* const known = std::ranges::find(
        kDriverNames, figure.name, &std::pair<std::string_view, std::string_view>::first);
    if (known != kDriverNames.end()) figures.emplace(known->second, figure.value);
  }
  return figures;
}

/// Adds the simulator's figures to the driver's. Throws Error (environment) if a common figure
/// differs, because the two are then of different programs.
void join(Figures& into, const Figures& from, const std::string& program) {
  for (const auto& [name, value] : from) {
    const auto [place, inserted] = into.emplace(name, value);
    if (!inserted && place->second != value) {
      throw environment_error("{}: the driver reports {} {}, but {} in the simulator's records",
                              program, place->second, name, value);
    }
  }
}

void add_figures(Figures& sums, const Figures& more) {
  for (const auto& [name, value] : more) sums[name] += value;
}

ProgramRow& row_of(const qpu::Program& program, std::vector<ProgramRow>& rows) {
  std::string label = label_of(program);
  const auto found = std::ranges::find(rows, label, &ProgramRow::program);
  if (found != rows.end()) return *found;
  return rows.emplace_back(ProgramRow{std::move(label), 0, figures_of(program), std::nullopt});
}

std::vector<JobRecord> run(qpu::Device& device, qpu::CommandList& list,
                           const SimulatorRecords& records) {
  (void)records.take();
  device.submit(list).wait();
  std::vector<JobRecord> jobs = records.take();
  if (jobs.size() != list.dispatched().size()) {
    throw environment_error("the simulator recorded {} jobs for {} dispatches", jobs.size(),
                            list.dispatched().size());
  }
  return jobs;
}

std::vector<ProgramRow> measure_programs(qpu::CommandList& list, qpu::Device& device,
                                         const SimulatorRecords* records) {
  std::vector<JobRecord> jobs;
  if (records != nullptr) jobs = run(device, list, *records);

  std::vector<ProgramRow> rows;
  for (std::size_t dispatch = 0; dispatch < list.dispatched().size(); ++dispatch) {
    ProgramRow& row = row_of(*list.dispatched()[dispatch], rows);
    ++row.dispatches;
    if (records == nullptr) continue;
    join(row.compiled, jobs[dispatch].compiled, row.program);
    if (!row.executed) row.executed.emplace();
    add_figures(*row.executed, jobs[dispatch].executed);
    add(row.modelled, jobs[dispatch].modelled);
  }
  return rows;
}

VariantRows measure_variant(const gates::Kernel& kernel, const gates::Workload& workload,
                            qpu::Device& device, std::string_view variant, int bits,
                            const SimulatorRecords* records) {
  const std::shared_ptr<qpu::Buffer> memory = device.create_buffer(workload.bytes());
  workload.reset(memory->bytes());
  const auto list = workload.record(device, *memory, variant);
  std::string name(variant);
  if (bits != 8) name += fmt::format(", {} bits", bits);
  return {std::string(kernel.name), std::move(name), std::string(kernel.unit), workload.units(),
          measure_programs(*list, device, records)};
}

void measure_kernel(const gates::Kernel& kernel, const gates::WorkloadRequest& size,
                    qpu::Device& device, const SimulatorRecords* records,
                    std::vector<VariantRows>& rows) {
  for (const int bits : kernel.bit_depths) {
    gates::WorkloadRequest request = size;
    request.bits = bits;
    const auto workload = kernel.make_workload(request);
    for (const gates::QpuVariant& variant : kernel.variants) {
      rows.push_back(measure_variant(kernel, *workload, device, variant.name, bits, records));
    }
  }
}

VariantRows measure_feature(const PictureFeature& feature, const gates::WorkloadRequest& size,
                            qpu::Device& device, const SimulatorRecords* records) {
  const PictureFeatureWork work(device, feature, size.width, size.height);
  return {feature.name, feature.variant, "pixel",
          static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height),
          measure_programs(work.list(), device, records)};
}

WorkloadSize size_of(const gates::WorkloadRequest& request) {
  return {gates::to_string(request.content), static_cast<std::uint64_t>(request.width),
          static_cast<std::uint64_t>(request.height), request.seed};
}

}  // namespace

const gates::WorkloadRequest& fixed_workload() {
  static const gates::WorkloadRequest request = [] {
    gates::WorkloadRequest fixed;
    fixed.content = gates::Content::high_variance;
    fixed.width = 640;
    fixed.height = 360;
    fixed.seed = 1;
    return fixed;
  }();
  return request;
}

std::string v3d_version(const qpu::DeviceInfo& device) {
  constexpr std::string_view kStart = "V3D ";
  const std::string_view name = device.name;
  if (name.starts_with(kStart)) {
    // The version is "major.minor"; the numbers after it are revisions of the same GPU.
    const std::string_view version = name.substr(kStart.size());
    const std::size_t minor = version.find('.');
    if (minor != std::string_view::npos) {
      return std::string(version.substr(0, version.find('.', minor + 1)));
    }
  }
  throw environment_error(
      "{} is not a V3D: the figures need the Pi's shader compiler; scripts/shaderdb runs it "
      "without "
      "a Pi",
      device.name);
}

Table measure(const Subjects& subjects, qpu::Device& device, const SimulatorRecords* records,
              const gates::WorkloadRequest& size) {
  Table table{v3d_version(device.info()), device.info().driver, size_of(size), {}};
  for (const gates::Kernel* kernel : subjects.kernels) {
    measure_kernel(*kernel, size, device, records, table.variants);
  }
  for (const PictureFeature& feature : subjects.features) {
    table.variants.push_back(measure_feature(feature, size, device, records));
  }
  for (const Design& design : subjects.designs) {
    const auto list = design.record(device);
    table.variants.push_back({design.kernel, design.variant, design.unit, design.units,
                              measure_programs(*list, device, records)});
  }
  return table;
}

}  // namespace sidecore::shaderdb
