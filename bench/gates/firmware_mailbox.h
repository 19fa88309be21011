// The property interface of a Raspberry Pi's firmware.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace sidecore::gates {

/// Sends a property message to the firmware through `device`. The answer overwrites the message.
/// Returns true if the firmware answered.
using FirmwareExchange =
    std::function<bool(const std::filesystem::path& device, std::span<std::uint32_t> message)>;

/// Exchanges a message through the driver vcio; `device` is /dev/vcio.
[[nodiscard]] bool exchange_with_firmware(const std::filesystem::path& device,
                                          std::span<std::uint32_t> message);

/// Bit of a message's second word, and of a tag's third word, that marks an answer.
inline constexpr std::uint32_t kFirmwareAnswered = 0x80000000;

}  // namespace sidecore::gates
