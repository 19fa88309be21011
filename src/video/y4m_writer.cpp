#include "video/y4m_writer.h"

#include <bit>
#include <cstring>

#include "base/error.h"
#include "video/planar_reader.h"

static_assert(std::endian::native == std::endian::little);  // samples are written as they lie

namespace sidecore::video {
namespace {

std::string chroma_field(const PixelFormat& pixel) {
  const bool deep = pixel.bits > 8;
  const std::string depth = std::to_string(pixel.bits);
  switch (pixel.chroma) {
    case Chroma::c400:
      return deep ? "mono" + depth : "mono";
    case Chroma::c420:
      return deep ? "420p" + depth : "420jpeg";
    case Chroma::c422:
      return deep ? "422p" + depth : "422";
    case Chroma::c444:
      return deep ? "444p" + depth : "444";
  }
  return {};
}

void append_rows(const Picture& picture, int index, std::byte*& to) {
  const PictureFormat& format = picture.format();
  const PictureLayout::Plane& plane = picture.layout().planes[static_cast<std::size_t>(index)];
  const std::size_t row_bytes =
      static_cast<std::size_t>(format.plane_width(index)) * format.pixel.bytes_per_sample();
  const std::byte* from = picture.bytes().data() + plane.offset;
  for (int y = 0; y < format.plane_height(index); ++y) {
    std::memcpy(to, from, row_bytes);
    to += row_bytes;
    from += plane.stride;
  }
}

}  // namespace

Y4mWriter::Y4mWriter(const std::filesystem::path& path, const PictureFormat& format,
                     FrameRate frame_rate)
    : format_((check_format(format), format)), file_(path), planar_(planar_bytes(format)) {
  file_.write(fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip C{}\n", format.width, format.height,
                          frame_rate.numerator, frame_rate.denominator,
                          chroma_field(format.pixel)));
}

void Y4mWriter::write(const Picture& picture) {
  if (picture.format() != format_) {
    throw usage_error("a picture of {} does not fit a Y4M file of {}", to_string(picture.format()),
                      to_string(format_));
  }
  std::byte* to = planar_.data();
  for (int index = 0; index < format_.pixel.planes(); ++index) append_rows(picture, index, to);
  file_.write("FRAME\n");
  file_.write(planar_);
}

void Y4mWriter::commit() {
  file_.commit();
}

}  // namespace sidecore::video
