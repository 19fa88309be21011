// sidecore picture-model: what the loop filter of a stream's pictures, or all behind the parser,
// takes on the simulated V3D.
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

/// Of the table of the model's V3D.
std::vector<model::PublishedDesign> published_in(const shaderdb::Tables& tables,
                                                 const model::PictureModel& model,
                                                 const std::string& baseline) {
  const auto table = tables.find(model.v3d);
  if (table == tables.end()) throw usage_error("{} has nothing of V3D {}", baseline, model.v3d);
  return model::published_designs(table->second);
}

void run(const PictureModelOptions& options) {
  const std::optional<shaderdb::SimulatorRecords> records = shaderdb::SimulatorRecords::find();
  if (!records) {
    throw environment_error(
        "this needs the simulated V3D, which counts: scripts/v3dsim-picture runs it there");
  }
  std::optional<AtomicFile> file;
  if (!options.json.empty()) file.emplace(options.json);
  qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
  // The simulator must see every program compiled.
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
  // After the file, which does not depend on whether anybody can read the text.
  cli::print_beside(options.json, model::to_text(model));
}

}  // namespace

void add_picture_model_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("picture-model",
                                               "Model how long a VP9 stream's loop filter, or all "
                                               "behind the parser, takes on a Raspberry Pi's QPU "
                                               "(needs the simulator)");
  const auto options = std::make_shared<PictureModelOptions>();
  command->add_option("stream", options->input, "VP9 in IVF, WebM or another container")
      ->required();
  command
      ->add_option("--packets", options->model.packets,
                   "Model this many of the stream's first packets")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--back-end", options->model.back_end,
                    "Also reconstruct the pictures on the QPU: prediction, transforms and filter, "
                    "stage by stage; their samples are compared with the scalar decoder's");
  command
      ->add_option("--baseline", options->baseline,
                   "Show the published designs of this baseline of shaderdb beside the back end's "
                   "units")
      ->needs("--back-end");
  command->add_option("--json", options->json,
                      "JSON file for the model, which split --model reads; - is standard output");
  command->callback([options] { run(*options); });
}

}  // namespace sidecore::commands
