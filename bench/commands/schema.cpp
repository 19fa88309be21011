// `sidecore schema`: prints the JSON Schemas of the documents that other commands write.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "boards/board_file.h"
#include "commands/commands.h"
#include "gates/result_document.h"
#include "model/modelled_gates.h"
#include "model/picture_model.h"
#include "split/proposal.h"

namespace sidecore::commands {
namespace {

constexpr std::array<std::pair<const char*, std::string (*)()>, 5> kSchemas{{
    {"gate", gates::result_schema},
    {"gate-model", model::modelled_report_schema},
    {"split", split::proposal_schema},
    {"picture-model", model::picture_model_schema},
    {"verdict", boards::board_file_schema},
}};

}  // namespace

void add_schema_command(CLI::App& app) {
  auto document = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "schema", "Print the JSON Schema (draft 7) of a command's --json document");
  CLI::Option* option = command->add_option(
      "command", *document,
      "Command: gate, gate-model (for gate --model), split, picture-model or verdict");
  std::vector<std::string> names;
  names.reserve(std::size(kSchemas));
  for (const auto& [name, schema] : kSchemas) names.emplace_back(name);
  option->required()->check(CLI::IsMember(names));
  command->callback([document] {
    for (const auto& [name, schema] : kSchemas) {
      if (*document == name) fmt::print("{}", schema());
    }
  });
}

}  // namespace sidecore::commands
