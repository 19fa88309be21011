// `sidecore picture-model`: models the time of a stream's loop filter, or of all pixel stages, on a
// Raspberry Pi's QPU, from counts of the simulated V3D.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/command_line.h"
#include "commands/commands.h"
#include "model/stream_model.h"
#include "shaderdb/document.h"

namespace sidecore::commands {
namespace {

struct PictureModelOptions {
  std::string input;
  model::StreamModelOptions model;
  std::string baseline;
  std::string json;
};

/// Returns the published designs from the baseline's table of the model's V3D.
std::vector<model::PublishedDesign> published_in(const shaderdb::Tables& tables,
                                                 const model::PictureModel& model,
                                                 const std::string& baseline) {
  const auto table = tables.find(model.v3d);
  if (table == tables.end()) throw usage_error("{} has no table of V3D {}", baseline, model.v3d);
  return model::published_designs(table->second);
}

void run(const PictureModelOptions& options) {
  const std::optional<shaderdb::SimulatorRecords> records = shaderdb::SimulatorRecords::find();
  if (!records) {
    throw environment_error(
        "picture-model needs the counts of the simulated V3D: run it with scripts/v3dsim-picture");
  }
  std::optional<AtomicFile> file;
  if (!options.json.empty()) file.emplace(options.json);
  qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
  // The pipeline cache is off, so that every program is compiled and the simulator sees its code.
  device_options.pipeline_cache = false;
  shaderdb::Tables tables;
  if (!options.baseline.empty()) tables = shaderdb::read_tables(options.baseline);
  const std::unique_ptr<qpu::Device> device = qpu::Device::open(device_options);
  model::PictureModel model = model::model_stream(options.input, options.model, *device, *records);
  if (!options.baseline.empty()) model.published = published_in(tables, model, options.baseline);
  if (file) {
    file->write(model::to_json(model));
    file->commit();
  }
  // The text is printed after the file is complete, so that a closed standard output does not
  // prevent the file.
  cli::print_text(options.json, model::to_text(model));
}

}  // namespace

void add_picture_model_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("picture-model",
                                               "Model the time that a VP9 stream's loop filter, or "
                                               "all pixel stages, take on a Raspberry Pi's QPU "
                                               "(needs the simulated V3D)");
  const auto options = std::make_shared<PictureModelOptions>();
  command->add_option("stream", options->input, "VP9 in IVF, WebM or another container")
      ->required();
  command
      ->add_option("--packets", options->model.packets,
                   "Number of packets to model, from the first; more, up to 256, if none of "
                   "their pictures has edges to filter")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--back-end", options->model.back_end,
                    "Also model all pixel stages on the QPU; their pictures are compared with the "
                    "scalar decoder's");
  command
      ->add_option("--baseline", options->baseline,
                   "Baseline file of shaderdb; its published designs are shown beside the "
                   "stages' work units")
      ->needs("--back-end");
  command->add_option(
      "--json", options->json,
      "File for the model as JSON, which split --model reads; - is standard output");
  command->callback([options] { run(*options); });
}

}  // namespace sidecore::commands
