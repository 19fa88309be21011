// The exception by which the driver's functions reject a request, and checks that throw it.
#pragma once

#include <va/va.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace sidecore::va {

/// An error that an entry of the driver reports: the player gets the status, the log gets the
/// message.
class Refusal : public std::runtime_error {
 public:
  Refusal(VAStatus status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  [[nodiscard]] VAStatus status() const noexcept { return status_; }

 private:
  VAStatus status_;
};

inline void require(bool holds, VAStatus status, const char* message) {
  if (!holds) throw Refusal(status, message);
}

// Checks of a player's arguments, because libva does not check them. Call these functions before an
// object is made: an object whose id the player never gets could not be destroyed.

/// Checks that no output pointer is null; throws Refusal if one is.
template <class... Answers>
void require_places(const Answers*... places) {
  require((... && (places != nullptr)), VA_STATUS_ERROR_INVALID_PARAMETER,
          "an output pointer is null");
}

/// Returns a player's list as a span. Throws Refusal if the count is negative, or if the list is
/// null and the count is not 0.
template <class Item, class Count>
std::span<Item> list_of(Item* items, Count count) {
  require(std::cmp_greater_equal(count, 0) && (items != nullptr || count == 0),
          VA_STATUS_ERROR_INVALID_PARAMETER, "a list is null, or its count is negative");
  return {items, static_cast<std::size_t>(count)};
}

}  // namespace sidecore::va
