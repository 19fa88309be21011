#pragma once

#include <optional>
#include <string>
#include <utility>

namespace sidecore {

/// A value, or the reason why there is none. Both are absent if the value was not requested.
template <class T>
struct Outcome {
  std::optional<T> value{};
  std::string reason{};  ///< reason why there is no value; empty if there is one

  [[nodiscard]] static Outcome none(std::string why) { return {std::nullopt, std::move(why)}; }

  /// Returns true if there is a value.
  explicit operator bool() const { return value.has_value(); }
  [[nodiscard]] const T* operator->() const { return &*value; }
  [[nodiscard]] const T& operator*() const { return *value; }
  /// Returns true if the value was requested: there is a value or a reason why there is none.
  [[nodiscard]] bool asked() const { return value.has_value() || !reason.empty(); }
};

}  // namespace sidecore
