#include "shaderdb/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text_file.h"

namespace sidecore::shaderdb {
namespace {

using Json = nlohmann::json;  // this JSON type sorts members by name

constexpr const char* kSchema = "sidecore-shaderdb-1";

Json to_json(const ProgramRow& row) {
  Json json = {{"dispatches", row.dispatches}, {"compiled", row.compiled}};
  if (row.executed) json["executed"] = *row.executed;
  return json;
}

Json to_json(const VariantRows& rows) {
  Json programs = Json::object();
  for (const ProgramRow& row : rows.programs) programs[row.program] = to_json(row);
  return {{"unit", rows.unit}, {"units", rows.units}, {"programs", std::move(programs)}};
}

Json to_json(const Table& table) {
  Json kernels = Json::object();
  for (const VariantRows& rows : table.variants) kernels[rows.kernel][rows.variant] = to_json(rows);
  return {{"driver", table.driver},
          {"workload",
           {{"content", table.workload.content},
            {"width", table.workload.width},
            {"height", table.workload.height},
            {"seed", table.workload.seed}}},
          {"kernels", std::move(kernels)}};
}

/// Nesting depth of a program in a document: "v3d", version, "kernels", kernel, variant,
/// "programs", program.
constexpr int kDepthOfAProgram = 7;

/// Writes one line per member down to a depth, and everything deeper on one line. A diff of two
/// versions then shows one line per program.
std::string text_of(const Json& json, int depth, int indent) {
  if (depth == 0 || !json.is_object() || json.empty()) return json.dump();
  std::string text;
  for (const auto& member : json.items()) {
    text += fmt::format("{}{:{}}{}: {}", text.empty() ? "{\n" : ",\n", "", indent,
                        Json(member.key()).dump(), text_of(member.value(), depth - 1, indent + 2));
  }
  return fmt::format("{}\n{:{}}}}", text, "", indent - 2);
}

/// Returns a member as a number. Throws Error (usage) unless it is a whole number of 0 or more.
std::uint64_t count_in(const Json& json, const std::string& name) {
  const json::About about;
  return json::integer_from<std::uint64_t>(json.at(name), {name.c_str(), about});
}

Figures figures_in(const Json& json) {
  Figures figures;
  for (const auto& figure : json.items()) figures[figure.key()] = count_in(json, figure.key());
  return figures;
}

ProgramRow parse_program(const std::string& name, const Json& json) {
  ProgramRow row{name, count_in(json, "dispatches"), figures_in(json.at("compiled")), std::nullopt};
  if (json.contains("executed")) row.executed = figures_in(json.at("executed"));
  return row;
}

VariantRows parse_variant(const std::string& kernel, const std::string& variant, const Json& json) {
  VariantRows rows{kernel, variant, json.at("unit"), count_in(json, "units"), {}};
  for (const auto& program : json.at("programs").items()) {
    rows.programs.push_back(parse_program(program.key(), program.value()));
  }
  return rows;
}

Table parse_table(const std::string& v3d, const Json& json) {
  const Json& workload = json.at("workload");
  Table table{v3d,
              json.at("driver"),
              {workload.at("content"), count_in(workload, "width"), count_in(workload, "height"),
               count_in(workload, "seed")},
              {}};
  for (const auto& kernel : json.at("kernels").items()) {
    for (const auto& variant : kernel.value().items()) {
      table.variants.push_back(parse_variant(kernel.key(), variant.key(), variant.value()));
    }
  }
  return table;
}

}  // namespace

std::string to_json(const Tables& tables) {
  Json json = {{"schema", kSchema}, {"v3d", Json::object()}};
  for (const auto& [v3d, table] : tables) json["v3d"][v3d] = to_json(table);
  return text_of(json, kDepthOfAProgram, 2) + '\n';
}

Tables parse_tables(const std::string& json, const std::string& origin) {
  std::string fault;
  try {
    const Json document = Json::parse(json);
    if (document.at("schema") == kSchema) {
      Tables tables;
      for (const auto& table : document.at("v3d").items()) {
        tables.emplace(table.key(), parse_table(table.key(), table.value()));
      }
      return tables;
    }
    fault = fmt::format("has schema {}, not \"{}\"", document.at("schema").dump(), kSchema);
  } catch (const Json::exception& error) {
    fault = fmt::format("is not a shaderdb file: {}", error.what());
  } catch (const Error& error) {
    fault = fmt::format("is not a shaderdb file: {}", error.what());
  }
  throw usage_error("{} {}", origin, fault);
}

Tables read_tables(const std::filesystem::path& file) {
  return parse_tables(read_text_file(file), file.native());
}

}  // namespace sidecore::shaderdb
