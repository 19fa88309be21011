// The property interface of a Raspberry Pi's firmware.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace sidecore::gates {

/// Sends a property message to the firmware behind `device`, whose answer takes its place. Whether
/// it came.
using FirmwareExchange =
    std::function<bool(const std::filesystem::path& device, std::span<std::uint32_t> message)>;

/// Of the driver vcio; `device` is /dev/vcio.
[[nodiscard]] bool exchange_with_firmware(const std::filesystem::path& device,
                                          std::span<std::uint32_t> message);

/// In a message's second word, and in a tag's third one: it was answered.
inline constexpr std::uint32_t kFirmwareAnswered = 0x80000000;

}  // namespace sidecore::gates
