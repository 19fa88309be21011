#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "video/picture.h"

namespace sidecore::video {
namespace {

constexpr std::array<std::pair<std::string_view, Chroma>, 5> kChromaNames{{
    {"gray", Chroma::c400},
    {"yuv420p", Chroma::c420},
    {"yuv422p", Chroma::c422},
    {"yuv444p", Chroma::c444},
    {"yuv440p", Chroma::c440},
}};

// Parses the depth at the end of a name: "" is 8 bits, "10le" is 10. "10" is the same as "10le", as
// in FFmpeg on a little-endian host. Returns 0 for any other text.
int parse_depth(std::string_view text) {
  if (text.empty()) return 8;
  int bits = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, bits);
  if (status != std::errc() || bits < 9 || bits > 16) return 0;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  return suffix.empty() || suffix == "le" ? bits : 0;
}

}  // namespace

std::string to_string(const PixelFormat& format) {
  for (const auto& [name, chroma] : kChromaNames) {
    if (chroma != format.chroma) continue;
    return format.bits == 8 ? std::string(name) : fmt::format("{}{}le", name, format.bits);
  }
  return "unknown";
}

PixelFormat parse_pixel_format(const std::string& name) {
  for (const auto& [prefix, chroma] : kChromaNames) {
    // 4:4:0 is not accepted: only decoders produce it, and metrics do not support it.
    if (!name.starts_with(prefix) || chroma == Chroma::c440) continue;
    const int bits = parse_depth(std::string_view(name).substr(prefix.size()));
    if (bits != 0) return {chroma, bits};
  }
  throw usage_error(
      "pixel format '{}' is not supported: it must be gray, yuv420p, yuv422p or yuv444p for 8 "
      "bits, or "
      "one of these followed by 9le to 16le for more bits",
      name);
}

}  // namespace sidecore::video
