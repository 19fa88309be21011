// Throttling flags of a Raspberry Pi's firmware.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gates/firmware_mailbox.h"

namespace sidecore::gates {

/// Reads the firmware's get_throttled. Bits 0 to 3 are the present state: under-voltage, frequency
/// capped, throttled, soft temperature limit. Bits 16 to 19 say which of these happened since boot.
class ThrottleFlags {
 public:
  /// Finds out once how the flags can be read. `root` is "/" except in tests.
  explicit ThrottleFlags(const std::filesystem::path& root = "/");
  ThrottleFlags(const std::filesystem::path& root, FirmwareExchange exchange);

  /// Reads the flags from sysfs, otherwise from the firmware's mailbox, because some Linux kernels
  /// for a Pi 5 lack the sysfs file. Clears no flag. Returns nothing if the system does not report
  /// them. Does not throw.
  [[nodiscard]] std::optional<std::uint32_t> read() const;

 private:
  std::filesystem::path attribute_;  // path of get_throttled; empty: the file does not exist
  std::filesystem::path mailbox_;
  FirmwareExchange exchange_;
};

/// Returns the names of the set bits 0 to 3: "under-voltage, throttled"; empty if none is set.
[[nodiscard]] std::string throttle_causes(std::uint32_t flags);

}  // namespace sidecore::gates
