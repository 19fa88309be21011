#include "video/y4m_writer.h"

#include "base/error.h"
#include "video/planar_writer.h"

namespace sidecore::video {
namespace {

const char* field_of(ChromaSiting siting) {
  switch (siting) {
    case ChromaSiting::left:
      return "420mpeg2";
    case ChromaSiting::top_left:
      return "420paldv";
    default:
      return "420jpeg";
  }
}

std::string chroma_field(const PixelFormat& pixel, ChromaSiting siting) {
  const bool deep = pixel.bits > 8;
  const std::string depth = std::to_string(pixel.bits);
  switch (pixel.chroma) {
    case Chroma::c400:
      return deep ? "mono" + depth : "mono";
    case Chroma::c420:
      return deep ? "420p" + depth : field_of(siting);
    case Chroma::c422:
      return deep ? "422p" + depth : "422";
    case Chroma::c444:
      return deep ? "444p" + depth : "444";
    case Chroma::c440:
      break;
  }
  throw usage_error("Y4M has no name for the pixel format {}", to_string(pixel));
}

}  // namespace

std::string y4m_header(const PictureFormat& format, FrameRate frame_rate,
                       const Description& description) {
  const bool paced = frame_rate.numerator > 0 && frame_rate.denominator > 0;
  std::string line =
      fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip", format.width, format.height,
                  paced ? frame_rate.numerator : 0, paced ? frame_rate.denominator : 0);
  if (description.aspect.known()) {
    line += fmt::format(" A{}:{}", description.aspect.width, description.aspect.height);
  }
  line += " C" + chroma_field(format.pixel, description.siting);
  if (description.range != SampleRange::unknown) {
    line += description.range == SampleRange::full ? " XCOLORRANGE=FULL" : " XCOLORRANGE=LIMITED";
  }
  return line + "\n";
}

Y4mWriter::Y4mWriter(const std::filesystem::path& path, const PictureFormat& format,
                     FrameRate frame_rate)
    : format_((check_format(format), format)), file_(path) {
  file_.write(y4m_header(format, frame_rate));
}

void Y4mWriter::write(const Picture& picture) {
  if (picture.format() != format_) {
    throw usage_error("a picture of {} cannot be written to a Y4M file of {}",
                      to_string(picture.format()), to_string(format_));
  }
  pack_planar(picture, planar_);
  file_.write("FRAME\n");
  file_.write(planar_);
}

void Y4mWriter::commit() {
  file_.commit();
}

}  // namespace sidecore::video
