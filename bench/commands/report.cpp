// `sidecore report`: writes results as one HTML page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/command_line.h"
#include "commands/commands.h"
#include "report/inputs.h"
#include "report/page.h"
#include "report/summary.h"

namespace sidecore::commands {
namespace {

/// Values of the options as given on the command line.
struct ReportArguments {
  std::vector<std::filesystem::path> results;
  std::vector<std::filesystem::path> boards;
  std::string output = "report.html";
  bool summary = false;
};

void run(const ReportArguments& arguments) {
  if (arguments.summary && arguments.output == "-") {
    throw usage_error("--summary and -o - both write to standard output: choose one");
  }
  std::vector<std::filesystem::path> files = arguments.results;
  files.insert(files.end(), arguments.boards.begin(), arguments.boards.end());
  if (files.empty()) throw usage_error("name at least one file, as a result or with --boards");
  const report::Inputs inputs = report::read_inputs(files);
  if (inputs.boards.size() < arguments.boards.size()) {
    throw usage_error("--boards takes files of sidecore verdict alone");
  }
  AtomicFile output(arguments.output);
  output.write(report::to_html(inputs, SIDECORE_VERSION, cli::command_line()));
  output.commit();
  if (arguments.summary) fmt::print("{}", printable(report::summary(inputs), LineEnds::kept));
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Write results as one HTML page that shows whether the QPU pays");
  command->add_option(
      "results", arguments->results,
      "Files written by gate --json, split --json, verdict, shaderdb --json (oldest first) and "
      "metrics --output");
  command->add_option("--boards", arguments->boards,
                      "Files written by verdict, to show beside the model's figures");
  command->add_option("-o,--output", arguments->output, "File for the page; - is standard output")
      ->capture_default_str();
  command->add_flag("--summary", arguments->summary,
                    "Also print the answers to standard output, one line per file");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sidecore::commands
