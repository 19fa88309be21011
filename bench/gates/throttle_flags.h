// What a Raspberry Pi's firmware tells of throttling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gates/firmware_mailbox.h"

namespace sidecore::gates {

/// The firmware's get_throttled. Bits 0 to 3 say what holds now (under-voltage, frequency capped,
/// throttled, soft temperature limit), 16 to 19 what has held since boot.
class ThrottleFlags {
 public:
  /// Finds once where the flags can be read. "/" except in tests.
  explicit ThrottleFlags(const std::filesystem::path& root = "/");
  ThrottleFlags(const std::filesystem::path& root, FirmwareExchange exchange);

  /// From the attribute in sysfs, else from the firmware's mailbox: not every kernel for a Pi 5 has
  /// the attribute. Neither clears
  /// what has held since boot. Nothing when the system does not report them; throws nothing.
  [[nodiscard]] std::optional<std::uint32_t> read() const;

 private:
  std::filesystem::path attribute_;  // empty: there is none
  std::filesystem::path mailbox_;
  FirmwareExchange exchange_;
};

/// Bits 0 to 3 in words: "under-voltage, throttled"; empty when none is set.
[[nodiscard]] std::string throttle_causes(std::uint32_t flags);

}  // namespace sidecore::gates
