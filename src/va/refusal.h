// How the driver's functions say no.
#pragma once

#include <va/va.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace sidecore::va {

/// Thrown by what an entry calls; the client gets the status, the log the line.
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

// libva passes on what a client gives. These are called before anything is made, so that nothing is
// left whose id nobody knows.

/// Throws Refusal when one of the places for answers is missing.
template <class... Answers>
void require_places(const Answers*... places) {
  require((... && (places != nullptr)), VA_STATUS_ERROR_INVALID_PARAMETER,
          "there is no place for the answer");
}

/// A client's list. Throws Refusal for a negative count, and for one of a list that is missing.
template <class Item, class Count>
std::span<Item> list_of(Item* items, Count count) {
  require(std::cmp_greater_equal(count, 0) && (items != nullptr || count == 0),
          VA_STATUS_ERROR_INVALID_PARAMETER, "a list is missing, or its count is negative");
  return {items, static_cast<std::size_t>(count)};
}

}  // namespace sidecore::va
