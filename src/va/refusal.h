// How the driver's functions say no.
#pragma once

#include <va/va.h>

#include <stdexcept>
#include <string>

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

}  // namespace sidecore::va
