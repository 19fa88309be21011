// `sidecore shaderdb`: compiles every kernel's shaders with the Pi's compiler and compares the
// figures with a baseline.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/command_line.h"
#include "commands/commands.h"
#include "kernels/registry.h"
#include "kernels/vp9/published_designs.h"
#include "shaderdb/comparison.h"
#include "shaderdb/document.h"
#include "shaderdb/measure.h"

namespace sidecore::commands {
namespace {

/// Values of the options as given on the command line.
struct ShaderdbArguments {
  std::vector<std::string> kernels;
  std::string device;
  std::string shader_directory;
  std::string json;
  std::string baseline;
  std::string size;
  bool update = false;
};

/// Returns the kernels with these names, their published designs, and the features of the same
/// names; without names, returns all of them.
shaderdb::Subjects select_subjects(const std::vector<std::string>& names) {
  shaderdb::Subjects subjects;
  if (names.empty()) {
    for (const gates::Kernel& kernel : bench::kernels()) subjects.kernels.push_back(&kernel);
    subjects.features = shaderdb::picture_features();
    subjects.designs = bench::published_designs();
    return subjects;
  }
  for (const std::string& name : names) {
    subjects.kernels.push_back(&bench::find_kernel(name));
    for (shaderdb::PictureFeature& feature : shaderdb::picture_features()) {
      if (feature.name == name) subjects.features.push_back(std::move(feature));
    }
    for (shaderdb::Design& design : bench::published_designs()) {
      if (design.kernel == name) subjects.designs.push_back(std::move(design));
    }
  }
  return subjects;
}

gates::WorkloadRequest workload_of(const ShaderdbArguments& arguments) {
  gates::WorkloadRequest workload = shaderdb::fixed_workload();
  if (!arguments.size.empty()) {
    const cli::PictureSize size = cli::parse_size(arguments.size);
    workload.width = size.width;
    workload.height = size.height;
  }
  return workload;
}

shaderdb::Table measure(const ShaderdbArguments& arguments) {
  const shaderdb::Subjects subjects = select_subjects(arguments.kernels);
  const gates::WorkloadRequest workload = workload_of(arguments);
  const std::optional<shaderdb::SimulatorRecords> records = shaderdb::SimulatorRecords::find();
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
  options.selector = arguments.device;
  options.shader_directory = arguments.shader_directory;
  options.compiler_figures = true;
  // The pipeline cache is off, because the driver reports fewer figures of a shader that comes from
  // the cache.
  options.pipeline_cache = false;
  const std::unique_ptr<qpu::Device> device = qpu::Device::open(options);
  return shaderdb::measure(subjects, *device, records ? &*records : nullptr, workload);
}

void write(const std::string& file, const shaderdb::Tables& tables) {
  AtomicFile output(file);
  output.write(shaderdb::to_json(tables));
  output.commit();
}

std::string to_text(const shaderdb::Comparison& comparison) {
  static constexpr const char* kWords[] = {"worse", "better", "changed"};
  std::string text;
  for (const shaderdb::Difference& difference : comparison.figures) {
    text += fmt::format("{}: {}\n", kWords[static_cast<std::size_t>(difference.verdict)],
                        difference.text);
  }
  for (const std::string& line : comparison.unmatched) text += line + "\n";
  if (!comparison.note.empty()) text += "note: " + comparison.note + "\n";
  return text;
}

/// Throws Error (failed) if a figure is worse or something is missing in either table.
void judge(const shaderdb::Comparison& comparison, const std::string& baseline) {
  if (!comparison.good()) {
    throw Error(
        ErrorKind::failed,
        fmt::format("figures are worse than in {}, or missing on one side: correct the shader, "
                    "or update the baseline in the same commit (--update)",
                    baseline));
  }
  if (!comparison.figures.empty()) {
    const bool better = comparison.has(shaderdb::Verdict::better);
    print_remark(fmt::format("{} {}: update the baseline (--update)\n",
                             better ? "better than" : "different from", baseline));
  }
}

void update_baseline(const ShaderdbArguments& arguments, const shaderdb::Table& table) {
  for (const shaderdb::VariantRows& rows : table.variants) {
    for (const shaderdb::ProgramRow& row : rows.programs) {
      if (row.executed) continue;
      throw usage_error("a baseline needs figures of the simulator: run scripts/shaderdb --update");
    }
  }
  shaderdb::Tables tables;
  if (std::filesystem::exists(arguments.baseline))
    tables = shaderdb::read_tables(arguments.baseline);
  const auto [place, added] = tables.emplace(table.v3d, table);
  if (!added) place->second = shaderdb::update(place->second, table, arguments.kernels.empty());
  write(arguments.baseline, tables);
}

void compare_with_baseline(const ShaderdbArguments& arguments, const shaderdb::Tables& baseline,
                           const shaderdb::Table& table) {
  const auto before = baseline.find(table.v3d);
  if (before == baseline.end()) {
    throw Error(ErrorKind::failed, fmt::format("{} has no table of V3D {}: add it with --update",
                                               arguments.baseline, table.v3d));
  }
  const shaderdb::Comparison comparison =
      shaderdb::compare(before->second, table, arguments.kernels.empty());
  print_remark(to_text(comparison));
  judge(comparison, arguments.baseline);
}

void run(const ShaderdbArguments& arguments) {
  if (arguments.update && arguments.baseline.empty()) {
    throw usage_error("--update needs the baseline's file: add --baseline FILE");
  }
  if (!arguments.size.empty() && !arguments.baseline.empty()) {
    throw usage_error(
        "--size cannot be used with --baseline, whose figures are from 640x360 pictures");
  }
  // The baseline is read first, so that a bad file fails before minutes of work.
  shaderdb::Tables baseline;
  if (!arguments.baseline.empty() && !arguments.update) {
    baseline = shaderdb::read_tables(arguments.baseline);
  }
  const shaderdb::Table table = measure(arguments);
  cli::print_text(arguments.json, shaderdb::to_text(table));
  if (!arguments.json.empty()) write(arguments.json, {{table.v3d, table}});
  if (arguments.update) {
    update_baseline(arguments, table);
  } else if (!arguments.baseline.empty()) {
    compare_with_baseline(arguments, baseline, table);
  }
}

}  // namespace

void add_shaderdb_command(CLI::App& app) {
  auto arguments = std::make_shared<ShaderdbArguments>();
  CLI::App* command = app.add_subcommand(
      "shaderdb",
      "Compile the kernels' shaders for the Pi's V3D, and compare their figures with a baseline");
  command->add_option("kernels", arguments->kernels, "Names of kernels (default: all)");
  command->add_option("--device", arguments->device,
                      "Device: index or part of its name; it must be a V3D");
  command->add_option("--shader-dir", arguments->shader_directory,
                      "Directory of NAME.spv files that replace built-in shaders");
  command->add_option("--json", arguments->json,
                      "File for the figures as JSON; - is standard output");
  command->add_option("--baseline", arguments->baseline,
                      "Baseline file to compare with; exit status 1 if a figure is worse");
  command->add_option(
      "--size", arguments->size,
      "WIDTHxHEIGHT of the synthetic pictures in samples (default: 640x360, as in the baseline)");
  command->add_flag("--update", arguments->update,
                    "Write the figures into the baseline file instead of comparing them");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sidecore::commands
