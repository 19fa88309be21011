// `sidecore report`: results as one page.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "report/inputs.h"
#include "report/page.h"

namespace sidecore::cli {
namespace {

/// Options as they are typed.
struct ReportArguments {
  std::vector<std::filesystem::path> results;
  std::string output = "report.html";
};

void run(const ReportArguments& arguments) {
  const report::Inputs inputs = report::read_inputs(arguments.results);
  AtomicFile output(arguments.output);
  output.write(report::to_html(inputs, SIDECORE_VERSION, command_line()));
  output.commit();
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Write results as one HTML page that shows whether the GPU pays");
  command
      ->add_option(
          "results", arguments->results,
          "Files that gate --json, split --json, shaderdb --json (oldest first) and metrics "
          "--output wrote")
      ->required();
  command->add_option("-o,--output", arguments->output, "The page; - is standard output")
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sidecore::cli
