#include "metrics/json_tree.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace sidecore::metrics {

/// Builds the tree from the values that nlohmann's parser reports, in the document's order.
class JsonTreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  [[nodiscard]] JsonTree take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return add(static_cast<double>(value)); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  // This function is never used, because the parser calls it only for binary formats.
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*members*/) override { return open(JsonTree::Members{}); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(JsonTree::List{}); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    std::get<JsonTree::Members>(open_.back()->value_).values.emplace_back().name_ =
        std::move(value);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  /// Returns the place of the next value.
  JsonTree& next() {
    if (open_.empty()) return root_;
    if (auto* const list = std::get_if<JsonTree::List>(&open_.back()->value_)) {
      return list->emplace_back();
    }
    return std::get<JsonTree::Members>(open_.back()->value_).values.back();
  }
  bool add(JsonTree::Value value) {
    next().value_ = std::move(value);
    return true;
  }
  bool open(JsonTree::Value value) {
    if (open_.size() == JsonTree::kMaxDepth) return false;
    JsonTree& opened = next();
    opened.value_ = std::move(value);
    // The pointer stays valid, because an open value does not move in memory.
    open_.push_back(&opened);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonTree root_;
  std::vector<JsonTree*> open_;
};

std::optional<JsonTree> JsonTree::parse(std::string_view text) {
  JsonTreeBuilder builder;
  if (!nlohmann::json::sax_parse(text, &builder)) return std::nullopt;
  return builder.take();
}

const JsonTree* JsonTree::find(std::string_view name) const {
  const auto* const members = get<Members>();
  if (members == nullptr) return nullptr;
  // The search uses reverse iterators, because std::views::reverse does not compile with clang 14.
  const auto found = std::find_if(members->values.rbegin(), members->values.rend(),
                                  [&](const JsonTree& member) { return member.name_ == name; });
  return found == members->values.rend() ? nullptr : &*found;
}

}  // namespace sidecore::metrics
