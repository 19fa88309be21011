#include "gates/throttle_flags.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sidecore::gates {
namespace {

namespace fs = std::filesystem;

/// Returns the folders directly below `parent` whose names have the prefix and the suffix.
std::vector<fs::path> folders(const fs::path& parent, std::string_view prefix,
                              std::string_view suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (name.starts_with(prefix) && name.ends_with(suffix)) found.push_back(entry->path());
  }
  return found;
}

/// Finds the file get_throttled. The bus is called "soc" on a Pi 4 and "soc@107c000000" on a Pi 5.
fs::path find_attribute(const fs::path& root) {
  for (const fs::path& soc : folders(root / "sys/devices/platform", "soc", "")) {
    for (const fs::path& firmware : folders(soc, "soc", ":firmware")) {
      std::error_code error;
      if (fs::exists(firmware / "get_throttled", error)) return firmware / "get_throttled";
    }
  }
  return {};
}

std::optional<std::uint32_t> flags_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint32_t flags = 0;
  if (!(file >> std::hex >> flags)) return std::nullopt;
  return flags;
}

/// Reads the flags by a message with one tag to the firmware's property interface.
std::optional<std::uint32_t> flags_behind(const fs::path& mailbox,
                                          const FirmwareExchange& exchange) {
  constexpr std::uint32_t kGetThrottled = 0x00030046;
  // Words: message size in bytes, message state, tag, value size, tag state, value, end tag. The
  // value 0 clears no flag.
  std::array<std::uint32_t, 7> message{sizeof(message), 0, kGetThrottled, sizeof(message[5])};
  if (!exchange(mailbox, message)) return std::nullopt;
  if (message[1] != kFirmwareAnswered || (message[4] & kFirmwareAnswered) == 0) return std::nullopt;
  return message[5];
}

}  // namespace

ThrottleFlags::ThrottleFlags(const fs::path& root) : ThrottleFlags(root, exchange_with_firmware) {}

ThrottleFlags::ThrottleFlags(const fs::path& root, FirmwareExchange exchange)
    : attribute_(find_attribute(root)),
      mailbox_(root / "dev/vcio"),
      exchange_(std::move(exchange)) {}

std::optional<std::uint32_t> ThrottleFlags::read() const {
  if (const auto flags = flags_in(attribute_)) return flags;
  return flags_behind(mailbox_, exchange_);
}

std::string throttle_causes(std::uint32_t flags) {
  constexpr std::array<const char*, 4> kCauses{"under-voltage", "frequency capped", "throttled",
                                               "soft temperature limit"};
  std::string text;
  for (std::size_t bit = 0; bit < kCauses.size(); ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", kCauses[bit]);
  }
  return text;
}

}  // namespace sidecore::gates
