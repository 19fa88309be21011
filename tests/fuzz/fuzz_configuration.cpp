// Fuzzes sidecore.conf with any bytes. Settings must be in their ranges, a line may cause at most
// one reported line, and a file changed by `sidecore split --install` must have the installed
// settings.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/configuration.h"
#include "players/settings.h"
#include "video/picture.h"

namespace {

using namespace sidecore;

void require(bool holds) {
  if (!holds) std::abort();
}

players::Settings settings_of(std::string_view text) {
  players::Settings settings;
  std::ptrdiff_t reports = 0;
  players::apply_settings(text, "sidecore.conf", settings, [&](const std::string& line) {
    require(!line.empty());
    ++reports;
  });
  require(reports <= 1 + std::ranges::count(text, '\n'));
  require(settings.threads >= 1 && settings.threads <= 256);
  constexpr std::int64_t kSide = video::kMaxDimension;
  require(settings.max_pixels >= 1 && settings.max_pixels <= kSide * kSide);
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(settings_of(text));
  const std::array<Setting, 3> set{{{"plan", "loop_filter=qpu"}, {"threads", "3"}, {"device", ""}}};
  constexpr std::string_view kOrigin = "sidecore 1 split clip.webm";
  const std::string changed = with_settings(text, set, kOrigin);
  const players::Settings settings = settings_of(changed);
  require(settings.plan_text == "loop_filter=qpu" && settings.threads == 3);
  require(with_settings(changed, set, kOrigin) == changed);
  return 0;
}
