// Tests pictures: formats, memory layout, and the files that contain them.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "error_text.h"
#include "libav/open.h"
#include "temporary_directory.h"
#include "video/picture.h"
#include "video/planar_reader.h"
#include "video/source.h"
#include "video/y4m_writer.h"

namespace sidecore::video::test_video {
namespace {

using ::sidecore::test::error_text;
using ::sidecore::test::TemporaryDirectory;

constexpr Chroma kChromas[] = {Chroma::c400, Chroma::c420, Chroma::c422, Chroma::c444};

template <class Sample>
void fill_plane(PlaneView<Sample> plane, int max_value, Random& random) {
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      plane.row(y)[x] = static_cast<Sample>(random.below(static_cast<unsigned>(max_value) + 1));
    }
  }
}

Picture random_picture(const PictureFormat& format, Random& random) {
  Picture picture(format);
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const int max_value = format.pixel.max_value();
    if (format.pixel.bits == 8) {
      fill_plane(picture.plane<std::uint8_t>(plane), max_value, random);
    } else {
      fill_plane(picture.plane<std::uint16_t>(plane), max_value, random);
    }
  }
  return picture;
}

/// Returns the samples of a picture as stored in a raw file.
std::string planar(const Picture& picture) {
  std::string bytes;
  const PictureFormat& format = picture.format();
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const PictureLayout::Plane& layout = picture.layout().planes[static_cast<std::size_t>(plane)];
    for (int y = 0; y < format.plane_height(plane); ++y) {
      bytes.append(
          reinterpret_cast<const char*>(picture.bytes().data()) + layout.offset +
              static_cast<std::size_t>(y) * layout.stride,
          static_cast<std::size_t>(format.plane_width(plane)) * format.pixel.bytes_per_sample());
    }
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string y4m_header(const std::string& fields) {
  return "YUV4MPEG2 " + fields + "\n";
}

TEST(Y4mHeader, SaysWhatIsKnownOfThePictures) {
  const PictureFormat format{4, 2, {}};
  EXPECT_EQ(y4m_header(format, {25, 1}), "YUV4MPEG2 W4 H2 F25:1 Ip C420jpeg\n");
  EXPECT_EQ(y4m_header(format, {}), "YUV4MPEG2 W4 H2 F0:0 Ip C420jpeg\n");
  EXPECT_EQ(y4m_header(format, {30, 0}), "YUV4MPEG2 W4 H2 F0:0 Ip C420jpeg\n");
  Description description{
      .range = SampleRange::full, .aspect = {85, 64}, .siting = ChromaSiting::left};
  EXPECT_EQ(y4m_header(format, {25, 1}, description),
            "YUV4MPEG2 W4 H2 F25:1 Ip A85:64 C420mpeg2 XCOLORRANGE=FULL\n");
  description.range = SampleRange::limited;
  description.siting = ChromaSiting::top_left;
  EXPECT_EQ(y4m_header(format, {25, 1}, description),
            "YUV4MPEG2 W4 H2 F25:1 Ip A85:64 C420paldv XCOLORRANGE=LIMITED\n");
  description.siting = ChromaSiting::center;
  description.aspect = {0, 1};
  EXPECT_EQ(y4m_header(format, {25, 1}, description),
            "YUV4MPEG2 W4 H2 F25:1 Ip C420jpeg XCOLORRANGE=LIMITED\n");
  // Formats other than 8-bit 4:2:0 have no chroma siting.
  description.siting = ChromaSiting::left;
  EXPECT_EQ(y4m_header({4, 2, {Chroma::c420, 10}}, {25, 1}, description),
            "YUV4MPEG2 W4 H2 F25:1 Ip C420p10 XCOLORRANGE=LIMITED\n");
  EXPECT_EQ(y4m_header({4, 2, {Chroma::c444, 8}}, {25, 1}, description),
            "YUV4MPEG2 W4 H2 F25:1 Ip C444 XCOLORRANGE=LIMITED\n");
}

TEST(Description, WhatOneDoesNotSayTheOtherMay) {
  const Description container{.range = SampleRange::full, .aspect = {}, .siting = {}};
  const Description stream{
      .range = SampleRange::limited, .aspect = {4, 3}, .siting = ChromaSiting::left};
  EXPECT_EQ(container.or_else(stream),
            (Description{.range = SampleRange::full, .aspect = {4, 3}, .siting = stream.siting}));
  EXPECT_EQ(Description{}.or_else(stream), stream);
  EXPECT_EQ(stream.or_else(container), stream);
}

TEST(Description, PixelsHaveTheAspectThatShowsThePictureAsItShouldBe) {
  EXPECT_EQ(pixel_aspect_of(66, 66, 66, 66), (PixelAspect{1, 1}));
  EXPECT_EQ(pixel_aspect_of(720, 576, 1024, 576), (PixelAspect{64, 45}));
  EXPECT_EQ(pixel_aspect_of(64, 64, 85, 64), (PixelAspect{85, 64}));
  EXPECT_EQ(pixel_aspect_of(16384, 1, 1, 65536), (PixelAspect{1, 1 << 30}));
  EXPECT_FALSE(pixel_aspect_of(0, 0, 0, 0).known());
}

TEST(PixelFormat, NamesAreThoseOfFfmpeg) {
  EXPECT_EQ(to_string(PixelFormat{Chroma::c400, 8}), "gray");
  EXPECT_EQ(to_string(PixelFormat{Chroma::c400, 12}), "gray12le");
  EXPECT_EQ(to_string(PixelFormat{Chroma::c420, 8}), "yuv420p");
  EXPECT_EQ(to_string(PixelFormat{Chroma::c422, 10}), "yuv422p10le");
  EXPECT_EQ(to_string(PixelFormat{Chroma::c444, 16}), "yuv444p16le");
}

TEST(PixelFormat, EveryNameIsReadBack) {
  for (const Chroma chroma : kChromas) {
    for (int bits = 8; bits <= 16; ++bits) {
      const PixelFormat format{chroma, bits};
      EXPECT_EQ(parse_pixel_format(to_string(format)), format);
    }
  }
  EXPECT_EQ(parse_pixel_format("yuv420p10"), (PixelFormat{Chroma::c420, 10}));
}

TEST(PixelFormat, OtherNamesAreRefusedWithTheSupportedOnes) {
  for (const char* const name :
       {"", "rgb24", "yuv420p10be", "yuv420p7le", "yuv420p17le", "yuva420p", "yuv420pp",
        "gray10le ", "nv12", "yuv420p99999999999"}) {
    const std::string text = error_text([&] { (void)parse_pixel_format(name); });
    EXPECT_NE(text.find("yuv422p"), std::string::npos) << name << ": " << text;
  }
}

TEST(PictureFormat, SubsampledPlanesRoundUp) {
  const PictureFormat format{577, 323, {Chroma::c420, 8}};
  EXPECT_EQ(format.plane_width(0), 577);
  EXPECT_EQ(format.plane_width(1), 289);
  EXPECT_EQ(format.plane_height(2), 162);
  EXPECT_EQ((PictureFormat{577, 323, {Chroma::c422, 8}}.plane_height(1)), 323);
  EXPECT_EQ((PictureFormat{577, 323, {Chroma::c444, 8}}.plane_width(1)), 577);
}

TEST(PictureFormat, SizesAndDepthsOutsideTheLimitsAreRefused) {
  for (const PictureFormat& format :
       {PictureFormat{0, 1, {}}, PictureFormat{1, 0, {}}, PictureFormat{-4, 4, {}},
        PictureFormat{kMaxDimension + 1, 4, {}}, PictureFormat{4, kMaxDimension + 1, {}},
        PictureFormat{4, 4, {Chroma::c420, 7}}, PictureFormat{4, 4, {Chroma::c420, 17}}}) {
    EXPECT_THROW(Picture{format}, Error) << format.width << "x" << format.height;
  }
}

TEST(PictureLayout, RowsAndPlanesAreAlignedAndDoNotOverlap) {
  for (const Chroma chroma : kChromas) {
    for (const int bits : {8, 10}) {
      for (const int width : {1, 31, 32, 33, 64, 577}) {
        const PictureFormat format{width, 5, {chroma, bits}};
        const PictureLayout layout(format);
        std::size_t end = 0;
        for (int index = 0; index < format.pixel.planes(); ++index) {
          const PictureLayout::Plane& plane = layout.planes[static_cast<std::size_t>(index)];
          EXPECT_EQ(plane.offset % PictureLayout::kPlaneAlignment, 0U);
          EXPECT_EQ(plane.stride % PictureLayout::kRowAlignment, 0U);
          EXPECT_GE(plane.stride, static_cast<std::size_t>(format.plane_width(index)) *
                                      format.pixel.bytes_per_sample());
          EXPECT_GE(plane.offset, end);
          end = plane.offset + plane.bytes;
        }
        EXPECT_EQ(layout.bytes, end);
      }
    }
  }
}

TEST(Picture, OwnMemoryIsZeroedAndAligned) {
  const Picture picture({33, 7, {Chroma::c420, 8}});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(picture.bytes().data()) % 64, 0U);
  for (const std::byte byte : picture.bytes()) EXPECT_EQ(byte, std::byte{0});
}

TEST(Picture, ForeignMemoryIsUsedInPlaceAndKeptAlive) {
  const PictureFormat format{16, 4, {Chroma::c420, 8}};
  auto owner = std::make_shared<Picture>(format);
  const std::weak_ptr<Picture> watch = owner;
  {
    Picture picture(format, owner->bytes(), owner);
    picture.plane<std::uint8_t>(1).row(1)[3] = 77;
    EXPECT_EQ(owner->plane<std::uint8_t>(1).row(1)[3], 77);
    owner.reset();
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Y4m, WrittenPicturesAreReadBack) {
  const TemporaryDirectory scratch;
  Random random(1);
  for (const Chroma chroma : kChromas) {
    for (const int bits : {8, 9, 10, 12, 14, 16}) {
      const PictureFormat format{33, 18, {chroma, bits}};
      const std::vector<Picture> pictures{random_picture(format, random),
                                          random_picture(format, random)};
      Y4mWriter writer(scratch / "clip.y4m", format, {30000, 1001});
      for (const Picture& picture : pictures) writer.write(picture);
      writer.commit();

      const auto source = libav::open_source(scratch / "clip.y4m");
      ASSERT_EQ(source->format(), format);
      EXPECT_EQ(source->frame_rate().numerator, 30000);
      EXPECT_EQ(source->frame_rate().denominator, 1001);
      Picture read(format);
      for (const Picture& picture : pictures) {
        ASSERT_TRUE(source->read(read));
        EXPECT_EQ(planar(read), planar(picture)) << to_string(format);
      }
      EXPECT_FALSE(source->read(read));
      EXPECT_FALSE(source->read(read));
    }
  }
}

TEST(Y4m, ColourSpaceNamesInUseAreUnderstood) {
  const TemporaryDirectory scratch;
  const std::pair<const char*, PixelFormat> kNames[] = {
      {"", {Chroma::c420, 8}},           {" C420", {Chroma::c420, 8}},
      {" C420jpeg", {Chroma::c420, 8}},  {" C420mpeg2", {Chroma::c420, 8}},
      {" C420paldv", {Chroma::c420, 8}}, {" C422", {Chroma::c422, 8}},
      {" C444", {Chroma::c444, 8}},      {" Cmono", {Chroma::c400, 8}},
      {" C420p10", {Chroma::c420, 10}},  {" C420p12", {Chroma::c420, 12}},
      {" C420p16", {Chroma::c420, 16}},  {" C422p10", {Chroma::c422, 10}},
      {" C444p14", {Chroma::c444, 14}},  {" Cmono9", {Chroma::c400, 9}},
      {" Cmono12", {Chroma::c400, 12}},
  };
  for (const auto& [field, pixel] : kNames) {
    write_file(scratch / "clip.y4m", y4m_header(std::string("W4 H2 F25:1 It A1:1") + field +
                                                " XYSCSS=x XCOLORRANGE=FULL"));
    EXPECT_EQ(libav::open_source(scratch / "clip.y4m")->format().pixel, pixel) << field;
  }
}

TEST(Y4m, FrameLinesMayCarryParameters) {
  const TemporaryDirectory scratch;
  write_file(scratch / "clip.y4m", y4m_header("W2 H2 Cmono") + "FRAME Ippt Xnote\nabcdFRAME\nefgh");
  const auto source = libav::open_source(scratch / "clip.y4m");
  Picture picture(source->format());
  ASSERT_TRUE(source->read(picture));
  EXPECT_EQ(planar(picture), "abcd");
  ASSERT_TRUE(source->read(picture));
  EXPECT_EQ(planar(picture), "efgh");
  EXPECT_FALSE(source->read(picture));
}

TEST(Y4m, BadHeadersAreRefusedByFileName) {
  const TemporaryDirectory scratch;
  const std::string huge(10000, 'X');
  for (const std::string& header :
       {y4m_header("W4"), y4m_header("H4"), y4m_header("W0 H4"), y4m_header("W-4 H4"),
        y4m_header("W4x H4"), y4m_header("W4 H99999999999999"), y4m_header("W16385 H4"),
        y4m_header("W4 H4 F25"), y4m_header("W4 H4 F-1:1"), y4m_header("W4 H4 C411"),
        y4m_header("W4 H4 C444alpha"), y4m_header("W4 H4 C420p8"), y4m_header("W4 H4 C420p17"),
        y4m_header("W4 H4 Cmono-8"), y4m_header("W4 H4 C"), y4m_header("W4 H4 " + huge),
        std::string("YUV4MPEG2 W4 H4"), std::string("YUV4MPEG22 W4 H4\n")}) {
    write_file(scratch / "bad.y4m", header);
    const std::string text = error_text([&] { (void)libav::open_source(scratch / "bad.y4m"); });
    EXPECT_NE(text.find("bad.y4m"), std::string::npos) << header.substr(0, 60) << ": " << text;
  }
}

/// Opens a file of these bytes and returns the error without the file's name.
std::string opening_error(const std::string& bytes) {
  const TemporaryDirectory scratch;
  write_file(scratch / "bad.y4m", bytes);
  const std::string text = error_text([&] { (void)libav::open_source(scratch / "bad.y4m"); });
  const std::size_t name = text.find("bad.y4m': ");
  return name == std::string::npos ? text : text.substr(name + 10);
}

TEST(Y4m, AHeaderThatIsCutShortSaysSo) {
  for (const std::string header :
       {"YUV4MPEG2", "YUV4MPEG2 W4 H4 F25:1", "YUV4MPEG2 W4 H4 C420\r"}) {
    EXPECT_EQ(opening_error(header),
              fmt::format("the Y4M header is cut short: the file ends after {} bytes of it",
                          header.size()));
  }
  const std::string start = "YUV4MPEG2 W4 H4 X";
  EXPECT_EQ(opening_error(start + std::string(4095 - start.size(), 'x')),
            "the Y4M header is cut short: the file ends after 4095 bytes of it");
  for (const std::size_t size : {4096U, 4097U, 10000U}) {
    EXPECT_EQ(opening_error(start + std::string(size - start.size(), 'x')),
              "the Y4M header does not end within 4096 bytes");
  }
}

TEST(Y4m, ControlBytesOfAHeaderDoNotReachMessages) {
  EXPECT_EQ(opening_error("YUV4MPEG2 W4\x1b[2J H4\n"),
            "the Y4M header has a bad field 'W4\\x1b[2J'");
  EXPECT_EQ(
      opening_error("YUV4MPEG2 W4 H4 C\x9b"
                    "31m\n"),
      "Y4M colour space '\\x9b31m' is not supported: it must be 420, 422, 444 or mono, with 8 to "
      "16 bits and no alpha");
  EXPECT_EQ(opening_error("YUV4MPEG2 W4 H4 XYSCSS=4\t4\n").substr(0, 30),
            "Y4M colour space '4\\t4' is not");
  EXPECT_EQ(opening_error("YUV4MPEG2 W4 H4\r F25:1\n"), "the Y4M header has a bad field 'H4\\r'");
}

TEST(Y4m, AHeaderMayEndAsALineOfATextFile) {
  const TemporaryDirectory scratch;
  for (const char* const frame : {"FRAME\n", "FRAME\r\n", "FRAME Ip\r\n"}) {
    const std::string picture = frame + std::string("ab\ncd\r");
    write_file(scratch / "crlf.y4m", "YUV4MPEG2 W2 H2 C420jpeg\r\n" + picture + picture);
    const auto source = libav::open_source(scratch / "crlf.y4m");
    EXPECT_EQ(source->format(), (PictureFormat{2, 2, {Chroma::c420, 8}}));
    Picture image(source->format());
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(source->read(image)) << frame;
      EXPECT_EQ(planar(image), "ab\ncd\r");
    }
    EXPECT_FALSE(source->read(image));
  }
}

TEST(Y4m, SamplesThatWereChangedAsTextAreFoundOut) {
  const TemporaryDirectory scratch;
  const std::string picture = "FRAME\r\nab\r\ncde";  // this picture has one byte too many
  write_file(scratch / "crlf.y4m", "YUV4MPEG2 W2 H2\r\n" + picture + picture);
  const auto source = libav::open_source(scratch / "crlf.y4m");
  Picture image(source->format());
  ASSERT_TRUE(source->read(image));
  const std::string text = error_text([&] { (void)source->read(image); });
  EXPECT_NE(text.find("picture 1 does not start with a FRAME line; the header's line ends in a "
                      "carriage return"),
            std::string::npos)
      << text;
}

TEST(Y4m, CarriageReturnsOfFrameLinesAloneAreNotTaken) {
  const TemporaryDirectory scratch;
  write_file(scratch / "bad.y4m", "YUV4MPEG2 W2 H2 Cmono\nFRAME\r\nabcd");
  const auto source = libav::open_source(scratch / "bad.y4m");
  Picture image(source->format());
  const std::string text = error_text([&] { (void)source->read(image); });
  EXPECT_NE(text.find("picture 0 does not start with a FRAME line"), std::string::npos) << text;
}

TEST(Y4m, OldHeadersNameTheColourSpaceInAnExtension) {
  const TemporaryDirectory scratch;
  const std::pair<const char*, PixelFormat> kCases[] = {
      {"XYSCSS=444", {Chroma::c444, 8}},
      {"XYSCSS=422", {Chroma::c422, 8}},
      {"XYSCSS=420JPEG", {Chroma::c420, 8}},
      {"XYSCSS=420MPEG2", {Chroma::c420, 8}},
      {"XYSCSS=420PALDV", {Chroma::c420, 8}},
      {"XYSCSS=444P10", {Chroma::c444, 10}},
      {"XYSCSS=422P12 XCOLORRANGE=FULL", {Chroma::c422, 12}},
      {"XYSCSS=411 C422", {Chroma::c422, 8}},  // the parameter C has priority over XYSCSS
      {"C444 XYSCSS=420JPEG", {Chroma::c444, 8}},
      {"XSOMETHING=444", {Chroma::c420, 8}},
  };
  for (const auto& [fields, pixel] : kCases) {
    write_file(scratch / "old.y4m", y4m_header(fmt::format("W4 H4 {}", fields)));
    EXPECT_EQ(libav::open_source(scratch / "old.y4m")->format().pixel, pixel) << fields;
  }
  EXPECT_EQ(opening_error(y4m_header("W4 H4 XYSCSS=411")).substr(0, 29),
            "Y4M colour space '411' is not");
}

TEST(Y4m, EveryTruncationEndsInAnErrorThatNamesThePicture) {
  const TemporaryDirectory scratch;
  const std::string header = y4m_header("W4 H2 C420");
  const std::string whole = header + "FRAME\n0123456789ab" + "FRAME\ncdefghijklmn";
  const std::size_t frame_bytes = 18;
  for (std::size_t length = header.size() + 1; length < whole.size(); ++length) {
    if ((length - header.size()) % frame_bytes == 0) continue;
    write_file(scratch / "cut.y4m", whole.substr(0, length));
    const std::size_t whole_pictures = (length - header.size()) / frame_bytes;
    const std::string text = error_text([&] {
      const auto source = libav::open_source(scratch / "cut.y4m");
      Picture picture(source->format());
      for (std::size_t i = 0; i < whole_pictures; ++i) ASSERT_TRUE(source->read(picture));
      (void)source->read(picture);
    });
    EXPECT_NE(text.find(fmt::format("picture {} is truncated", whole_pictures)), std::string::npos)
        << length << ": " << text;
    EXPECT_NE(text.find("cut.y4m"), std::string::npos) << text;
  }
}

TEST(Y4m, AHeaderThatLiesAboutTheSizeIsFoundOutAtOpening) {
  const TemporaryDirectory scratch;
  write_file(scratch / "huge.y4m", y4m_header("W16384 H16384 C444p16") + "FRAME\nabc");
  const std::string text = error_text([&] { (void)libav::open_source(scratch / "huge.y4m"); });
  EXPECT_NE(text.find("huge.y4m': picture 0 is truncated: 1610612733 of the 1610612736 bytes"),
            std::string::npos)
      << text;
}

TEST(Y4m, AFileWithoutPicturesEndsAtOnce) {
  const TemporaryDirectory scratch;
  write_file(scratch / "none.y4m", y4m_header("W4 H2"));
  const auto source = libav::open_source(scratch / "none.y4m");
  Picture picture(source->format());
  EXPECT_FALSE(source->read(picture));
}

TEST(Y4m, SamplesThatAreNoPictureAreNotTakenForOne) {
  const TemporaryDirectory scratch;
  write_file(scratch / "bad.y4m", y4m_header("W2 H2 Cmono") + "FRAME\nabcdeFRAME\nefgh");
  const auto source = libav::open_source(scratch / "bad.y4m");
  Picture picture(source->format());
  ASSERT_TRUE(source->read(picture));
  const std::string text = error_text([&] { (void)source->read(picture); });
  EXPECT_NE(text.find("picture 1 does not start with a FRAME line"), std::string::npos) << text;
}

TEST(Y4m, SamplesBeyondTheDepthAreRefusedWhereTheyStand) {
  const TemporaryDirectory scratch;
  std::string samples(2 * 4, '\0');
  samples[7] = 4;  // makes the last sample 1024, which exceeds 10 bits
  write_file(scratch / "deep.y4m", y4m_header("W2 H2 Cmono10") + "FRAME\n" + samples);
  const auto source = libav::open_source(scratch / "deep.y4m");
  Picture picture(source->format());
  const std::string text = error_text([&] { (void)source->read(picture); });
  EXPECT_NE(text.find("picture 0 has the sample 1024 at column 1, row 1"), std::string::npos)
      << text;
}

TEST(Y4m, AWriterThatIsNotCommittedLeavesNothing) {
  const TemporaryDirectory scratch;
  {
    Y4mWriter writer(scratch / "clip.y4m", {4, 4, {}}, {25, 1});
    writer.write(Picture({4, 4, {}}));
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Y4m, AWriterRefusesPicturesOfAnotherFormat) {
  const TemporaryDirectory scratch;
  Y4mWriter writer(scratch / "clip.y4m", {4, 4, {}}, {25, 1});
  EXPECT_THROW(writer.write(Picture({4, 2, {}})), Error);
}

TEST(Raw, PicturesOfAnyFormatAreReadBack) {
  const TemporaryDirectory scratch;
  Random random(2);
  for (const Chroma chroma : kChromas) {
    for (const int bits : {8, 10, 16}) {
      // With odd sizes, rows end inside the alignment. 700 rows take more than one scattered read.
      const PictureFormat format{67, 700, {chroma, bits}};
      const Picture first = random_picture(format, random);
      const Picture second = random_picture(format, random);
      write_file(scratch / "clip.yuv", planar(first) + planar(second));
      const auto source = libav::open_source(scratch / "clip.yuv", format);
      Picture read(format);
      ASSERT_TRUE(source->read(read));
      EXPECT_EQ(planar(read), planar(first)) << to_string(format);
      ASSERT_TRUE(source->read(read));
      EXPECT_EQ(planar(read), planar(second)) << to_string(format);
      EXPECT_FALSE(source->read(read));
    }
  }
}

TEST(Raw, ALastPictureThatIsCutSaysWhatIsMissing) {
  const TemporaryDirectory scratch;
  const PictureFormat format{4, 2, {Chroma::c420, 8}};
  write_file(scratch / "clip.yuv", std::string(12 + 5, 'x'));
  const auto source = libav::open_source(scratch / "clip.yuv", format);
  Picture picture(format);
  ASSERT_TRUE(source->read(picture));
  const std::string text = error_text([&] { (void)source->read(picture); });
  EXPECT_NE(text.find("picture 1 is truncated: 7 of the 12 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("clip.yuv"), std::string::npos) << text;
}

TEST(OpenSource, WhatIsNoVideoIsAnErrorThatNamesTheFile) {
  const TemporaryDirectory scratch;
  write_file(scratch / "empty.y4m", "");
  write_file(scratch / "text.webm", "this is no video at all, whatever its name says\n");
  struct Case {
    std::filesystem::path path;
    const char* reason;
  };
  const Case kCases[] = {
      {scratch / "missing.y4m", "No such file"},
      {scratch / "empty.y4m", "it is empty"},
      {scratch.path(), "it is a directory"},
      {scratch / "text.webm", "no video file"},
  };
  for (const Case& bad : kCases) {
    const std::string text = error_text([&] { (void)libav::open_source(bad.path); });
    EXPECT_NE(text.find(bad.path.filename().string()), std::string::npos) << text;
    EXPECT_NE(text.find(bad.reason), std::string::npos) << text;
  }
}

TEST(OpenSource, ARandomFileNeverCrashes) {
  const TemporaryDirectory scratch;
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = i % 2 == 0 ? "YUV4MPEG2 W4 H2 C420\n" : "";
    const std::uint32_t size = random.below(300) + 1;
    for (std::uint32_t k = 0; k < size; ++k) bytes += static_cast<char>(random.below(256));
    if (i % 2 == 0) bytes[10 + random.below(11)] = static_cast<char>(random.below(256));
    write_file(scratch / "noise", bytes);
    try {
      const auto source = libav::open_source(scratch / "noise");
      Picture picture(source->format());
      while (source->read(picture)) {
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

}  // namespace
}  // namespace sidecore::video::test_video
