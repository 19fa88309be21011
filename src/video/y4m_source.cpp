// Reads YUV4MPEG2 (Y4M): a text line that describes the sequence, then for each picture a line that
// starts with FRAME and the planar samples. Source: yuv4mpeg(5) of mjpegtools; formats with more
// than 8 bits have FFmpeg's names.
#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "video/planar_reader.h"
#include "video/source.h"

namespace sidecore::video {
namespace {

constexpr std::string_view kFrame = "FRAME";

struct Y4mHeader {
  PictureFormat format;
  FrameRate frame_rate;
  bool has_colour_space = false;  ///< true if the header has a field C
  std::string old_colour_space;   ///< colour space in an extension field; empty: none
};

/// Parses the whole of `text` as a decimal number. Returns false if that fails.
bool parse_int(std::string_view text, int& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && rest == end;
}

bool parse_rate(std::string_view text, FrameRate& rate) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && parse_int(text.substr(0, colon), rate.numerator) &&
         parse_int(text.substr(colon + 1), rate.denominator) && rate.numerator >= 0 &&
         rate.denominator >= 0;
}

/// Parses the value of the C field. Names of 4:2:0 differ in the position of chroma, which is
/// ignored here because no metric or filter uses it.
bool parse_chroma(std::string_view text, PixelFormat& pixel) {
  constexpr std::array<std::pair<std::string_view, Chroma>, 7> kEightBit{{
      {"420", Chroma::c420},
      {"420jpeg", Chroma::c420},
      {"420mpeg2", Chroma::c420},
      {"420paldv", Chroma::c420},
      {"422", Chroma::c422},
      {"444", Chroma::c444},
      {"mono", Chroma::c400},
  }};
  for (const auto& [name, chroma] : kEightBit) {
    if (text != name) continue;
    pixel = {chroma, 8};
    return true;
  }
  constexpr std::array<std::pair<std::string_view, Chroma>, 4> kDeep{{
      {"420p", Chroma::c420},
      {"422p", Chroma::c422},
      {"444p", Chroma::c444},
      {"mono", Chroma::c400},
  }};
  for (const auto& [prefix, chroma] : kDeep) {
    int bits = 0;
    if (!text.starts_with(prefix) || !parse_int(text.substr(prefix.size()), bits)) continue;
    pixel = {chroma, bits};
    return bits >= 9 && bits <= 16;
  }
  return false;
}

/// Returns the pixel format of a C field. Throws Error (usage) if it is not supported.
PixelFormat pixel_format(std::string_view text, const std::string& name) {
  PixelFormat pixel;
  if (parse_chroma(text, pixel)) return pixel;
  throw usage_error(
      "{}: Y4M colour space '{}' is not supported: it must be 420, 422, 444 or mono, with 8 to 16 "
      "bits "
      "and no alpha",
      name, printable(text));
}

/// Prefix of a colour space in old headers, which have it in capitals in an extension field,
/// without a C field: "XYSCSS=420JPEG".
constexpr std::string_view kOldColourSpace = "XYSCSS=";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

/// Parses an extension field. A colour space begins with a digit; all other extensions are ignored.
void parse_extension(std::string_view field, Y4mHeader& header) {
  if (!field.starts_with(kOldColourSpace)) return;
  const std::string_view value = field.substr(kOldColourSpace.size());
  if (value.empty() || value.front() < '0' || value.front() > '9') return;
  header.old_colour_space = lower_case(value);
}

/// Parses one field, which begins with its tag letter. Fields that do not affect samples are
/// accepted as they are: interlacing I, aspect A, extensions X.
void parse_field(std::string_view field, Y4mHeader& header, const std::string& name) {
  const std::string_view value = field.substr(1);
  bool good = true;
  switch (field.front()) {
    case 'W':
      good = parse_int(value, header.format.width);
      break;
    case 'H':
      good = parse_int(value, header.format.height);
      break;
    case 'F':
      good = parse_rate(value, header.frame_rate);
      break;
    case 'C':
      header.format.pixel = pixel_format(value, name);
      header.has_colour_space = true;
      break;
    case 'X':
      parse_extension(field, header);
      break;
    default:
      break;
  }
  if (!good) throw usage_error("{}: the Y4M header has a bad field '{}'", name, printable(field));
}

Y4mHeader parse_header(std::string_view line, const std::string& name) {
  Y4mHeader header;
  line.remove_prefix(kY4mSignature.size());
  if (!line.empty() && line.front() != ' ') {
    throw usage_error("{}: the Y4M signature is not followed by a space or a line end", name);
  }
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) parse_field(line.substr(0, end), header, name);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (!header.has_colour_space && !header.old_colour_space.empty()) {
    header.format.pixel = pixel_format(header.old_colour_space, name);
  }
  try {
    check_format(header.format);
  } catch (const Error& error) {
    throw usage_error("{}: {}", name, error.what());
  }
  return header;
}

class Y4mSource final : public PictureSource {
 public:
  explicit Y4mSource(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {
    if (!stream_->read_line(line_)) throw_endless_header();
    check_header_line();
  }

  [[nodiscard]] const PictureFormat& format() const override { return header_.format; }
  [[nodiscard]] FrameRate frame_rate() const override { return header_.frame_rate; }
  [[nodiscard]] const std::string& name() const override { return stream_->name(); }

  bool read(Picture& picture) override {
    assert(picture.format() == format());
    if (stream_->peek(1).empty()) return false;
    read_frame_line();
    const std::size_t taken = read_planar(*stream_, picture, number_);
    if (taken < planar_bytes(format())) throw_truncated(name(), number_, format(), taken);
    ++number_;
    return true;
  }

 private:
  void check_header_line() {
    std::string_view line = line_;
    // Some programs end the header like a line of a text file, with a carriage return.
    has_carriage_return_ = line.ends_with('\r');
    if (has_carriage_return_) line.remove_suffix(1);
    header_ = parse_header(line, name());
    check_first_picture();
  }

  [[noreturn]] void throw_endless_header() const {
    const std::size_t seen = stream_->peek(ByteStream::kMaxLine).size();
    if (seen < ByteStream::kMaxLine) {
      throw usage_error("{}: the Y4M header is cut short: the file ends after {} bytes of it",
                        name(), seen);
    }
    throw usage_error("{}: the Y4M header does not end within {} bytes", name(),
                      ByteStream::kMaxLine);
  }

  /// Checks the file's size for one picture, so that a header with a wrong size is found before
  /// memory is allocated.
  void check_first_picture() const {
    if (!stream_->size()) return;
    const std::uint64_t rest = *stream_->size() - (line_.size() + 1);
    const std::uint64_t frame_line = kFrame.size() + 1;
    if (rest > 0 && rest < frame_line + planar_bytes(format())) {
      throw_truncated(name(), 0, format(), rest - std::min(rest, frame_line));
    }
  }

  void read_frame_line() {
    const std::string_view seen = stream_->peek(kFrame.size() + 1);
    const bool is_frame = seen.size() > kFrame.size() && seen.starts_with(kFrame) &&
                          (seen.back() == '\n' || seen.back() == ' ' ||
                           (has_carriage_return_ && seen.back() == '\r'));
    if (is_frame && stream_->read_line(line_)) return;
    if (seen.size() <= kFrame.size() && kFrame.starts_with(seen)) {
      throw usage_error("{}: picture {} is truncated: the file ends in its FRAME line", name(),
                        number_);
    }
    throw usage_error("{}: picture {} does not start with a FRAME line{}", name(), number_,
                      has_carriage_return_ ? "; the header's line ends in a carriage return, so "
                                             "the samples may have been converted as text too"
                                           : "");
  }

  std::unique_ptr<ByteStream> stream_;
  Y4mHeader header_;
  bool has_carriage_return_ = false;  ///< true if the header's line ends in a carriage return
  std::string line_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PictureSource> open_y4m(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<Y4mSource>(std::move(stream));
}

}  // namespace sidecore::video
