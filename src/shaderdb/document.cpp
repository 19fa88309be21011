#include "shaderdb/document.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text_file.h"

namespace sidecore::shaderdb {
namespace {

using Json = nlohmann::json;  // sorts its members

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

ProgramRow parse_program(const std::string& name, const Json& json) {
  ProgramRow row{name, json.at("dispatches"), json.at("compiled"), std::nullopt};
  if (json.contains("executed")) row.executed = json.at("executed").get<Figures>();
  return row;
}

VariantRows parse_variant(const std::string& kernel, const std::string& variant, const Json& json) {
  VariantRows rows{kernel, variant, json.at("unit"), json.at("units"), {}};
  for (const auto& program : json.at("programs").items()) {
    rows.programs.push_back(parse_program(program.key(), program.value()));
  }
  return rows;
}

Table parse_table(const std::string& v3d, const Json& json) {
  const Json& workload = json.at("workload");
  Table table{
      v3d,
      json.at("driver"),
      {workload.at("content"), workload.at("width"), workload.at("height"), workload.at("seed")},
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
  return json.dump(2) + '\n';
}

Tables parse_tables(const std::string& json, const std::string& origin) {
  try {
    const Json document = Json::parse(json);
    if (document.at("schema") != kSchema) {
      throw usage_error("{} has schema {}, not \"{}\"", origin, document.at("schema").dump(),
                        kSchema);
    }
    Tables tables;
    for (const auto& table : document.at("v3d").items()) {
      tables.emplace(table.key(), parse_table(table.key(), table.value()));
    }
    return tables;
  } catch (const Json::exception& error) {
    throw usage_error("{} is not a shaderdb file: {}", origin, error.what());
  }
}

Tables read_tables(const std::filesystem::path& file) {
  return parse_tables(read_text_file(file), file.native());
}

}  // namespace sidecore::shaderdb
