// A JSON document in memory whose destructor allocates nothing. The destructor of nlohmann::json
// allocates, and terminates the process that uses the library if memory runs out.
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
    List values;  ///< values of the list; those of an object have a name()
  };
  /// Any JSON value. Numbers are binary64; members keep the document's order.
  using Value = std::variant<std::nullptr_t, bool, double, std::string, List, Members>;

  /// Parses `text`. Returns nothing if it is no JSON, or nested deeper than kMaxDepth.
  [[nodiscard]] static std::optional<JsonTree> parse(std::string_view text);
  static constexpr std::size_t kMaxDepth = 32;

  JsonTree() = default;
  ~JsonTree() = default;
  JsonTree(JsonTree&&) noexcept = default;
  JsonTree& operator=(JsonTree&&) noexcept = default;
  // The type is not copyable: a copy would need all-or-nothing error handling, and no code needs
  // it.
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  /// Returns the name of this value in its object; empty if it is not in an object.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_null() const { return get<std::nullptr_t>() != nullptr; }
  /// Returns the value, or null if its type is not T.
  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&value_);
  }
  /// Returns the last member of the given name. Returns null if there is none, or if this value is
  /// no object.
  [[nodiscard]] const JsonTree* find(std::string_view name) const;

 private:
  friend class JsonTreeBuilder;

  std::string name_;
  Value value_{nullptr};
};

}  // namespace sidecore::metrics
