// A JSON document in memory whose destruction takes no memory. nlohmann::json's does: a process
// whose memory ends meanwhile is terminated, and with a library its host.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sidecore::metrics {

class JsonTree {
 public:
  using List = std::vector<JsonTree>;
  struct Members {
    List values;  ///< each with its name()
  };
  /// Numbers are binary64. Members are in the document's order.
  using Value = std::variant<std::nullptr_t, bool, double, std::string, List, Members>;

  /// Nothing when `text` is no JSON, or nested deeper than kMostDepth.
  [[nodiscard]] static std::optional<JsonTree> parse(std::string_view text);
  static constexpr std::size_t kMostDepth = 32;

  JsonTree() = default;
  ~JsonTree() = default;
  JsonTree(JsonTree&&) noexcept = default;
  JsonTree& operator=(JsonTree&&) noexcept = default;
  // A copy would have to be made whole or not at all; nobody needs one.
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  /// The name that it has in an object; empty elsewhere.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_null() const { return get<std::nullptr_t>() != nullptr; }
  /// Null when it is of another type.
  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&value_);
  }
  /// The last member of that name; null when there is none, or this is no object.
  [[nodiscard]] const JsonTree* find(std::string_view name) const;

 private:
  friend class JsonTreeBuilder;

  std::string name_;
  Value value_{nullptr};
};

}  // namespace sidecore::metrics
