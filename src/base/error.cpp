#include "base/error.h"

#include <system_error>

namespace sidecore {

Error errno_error(ErrorKind kind, const std::string& message, int errno_value) {
  return {kind, fmt::format("{}: {}", message, std::generic_category().message(errno_value))};
}

}  // namespace sidecore
