#include "av1/cdef_capture.h"

#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "base/error.h"

namespace sidecore::av1 {
namespace {

static_assert(std::endian::native == std::endian::little, "captures are little-endian");

// A frame in a file: this header, the strengths and masks of all filter blocks, and the rows of all
// planes of both pictures without padding.
struct Header {
  std::array<char, 4> magic;
  std::int32_t width, height, bits, planes, damping;
};
constexpr std::array kMagic{'c', 'd', 'e', 'f'};

// Calls access(bytes) for each row of samples of a picture.
template <class Picture, class Access>
void for_each_row(Picture& picture, const Access& access) {
  const video::PictureFormat& format = picture.format();
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const auto& layout = picture.layout().planes[static_cast<std::size_t>(plane)];
    const std::size_t bytes =
        static_cast<std::size_t>(format.plane_width(plane)) * format.pixel.bytes_per_sample();
    for (std::size_t y = 0; y < static_cast<std::size_t>(format.plane_height(plane)); ++y) {
      access(picture.bytes().subspan(layout.offset + y * layout.stride, bytes));
    }
  }
}

void write(std::ofstream& file, std::span<const std::byte> bytes) {
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}
void read(std::ifstream& file, std::span<std::byte> bytes) {
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

bool is_cdef_capture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  read(file, std::as_writable_bytes(std::span(magic)));
  return file && magic == kMagic;
}

void write_cdef_capture(std::ofstream& file, const CdefCapture& capture) {
  const video::PictureFormat& format = capture.before.format();
  check_cdef_format(format);
  check_cdef_frame(capture.frame, format);
  const Header header{kMagic,
                      format.width,
                      format.height,
                      format.pixel.bits,
                      format.pixel.planes(),
                      capture.frame.damping};
  write(file, std::as_bytes(std::span(&header, 1)));
  write(file, std::as_bytes(std::span(capture.frame.strengths)));
  write(file, std::as_bytes(std::span(capture.frame.filtered)));
  for (const video::Picture* picture : {&capture.before, &capture.after}) {
    for_each_row(*picture, [&](std::span<const std::byte> row) { write(file, row); });
  }
  if (!file) throw environment_error("a capture of CDEF could not be written");
}

CdefCaptureReader::CdefCaptureReader(const std::string& path)
    : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw usage_error("'{}' cannot be opened", path);
}

std::optional<CdefCapture> CdefCaptureReader::next() {
  if (file_.peek() == std::ifstream::traits_type::eof()) return std::nullopt;
  Header header{};
  read(file_, std::as_writable_bytes(std::span(&header, 1)));
  if (!file_ || header.magic != kMagic) throw usage_error("'{}' is no capture of CDEF", path_);
  const video::PictureFormat format{
      header.width,
      header.height,
      {header.planes == 1 ? video::Chroma::c400 : video::Chroma::c420, header.bits}};
  check_cdef_format(format);
  CdefCapture capture{video::Picture(format), video::Picture(format), {header.damping, {}, {}}};
  capture.frame.strengths.resize(CdefGrid(format).filter_blocks());
  capture.frame.filtered.resize(CdefGrid(format).filter_blocks());
  read(file_, std::as_writable_bytes(std::span(capture.frame.strengths)));
  read(file_, std::as_writable_bytes(std::span(capture.frame.filtered)));
  for (video::Picture* picture : {&capture.before, &capture.after}) {
    for_each_row(*picture, [&](std::span<std::byte> row) { read(file_, row); });
  }
  if (!file_) throw usage_error("'{}' ends within a frame", path_);
  check_cdef_frame(capture.frame, format);
  return capture;
}

}  // namespace sidecore::av1
