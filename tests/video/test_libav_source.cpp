// Tests files that libavformat and libavcodec read. The test writes them in FFV1 (lossless) and
// Matroska, with encoders that every libavcodec has.
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
}

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "error_text.h"
#include "libav/api.h"
#include "libav/open.h"
#include "temporary_directory.h"
#include "video/source.h"
#include "video/synthetic_clip.h"

namespace sidecore::video::test_libav_source {
namespace {

using ::sidecore::test::error_text;
using ::sidecore::test::TemporaryDirectory;

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

/// Writes a Matroska file with one video stream.
class EncodedFile {
 public:
  EncodedFile(const std::filesystem::path& path, AVCodecID codec, int width, int height,
              const std::string& pixel_format)
      : encoder_(avcodec_alloc_context3(avcodec_find_encoder(codec))) {
    encoder_->width = width;
    encoder_->height = height;
    encoder_->pix_fmt = av_get_pix_fmt(pixel_format.c_str());
    encoder_->time_base = {1, 25};
    encoder_->framerate = {25, 1};
    require(avcodec_open2(encoder_, nullptr, nullptr) >= 0, "encoder");
    require(avformat_alloc_output_context2(&output_, nullptr, "matroska", path.c_str()) >= 0,
            "Matroska muxer");
    AVStream* const stream = avformat_new_stream(output_, nullptr);
    require(avcodec_parameters_from_context(stream->codecpar, encoder_) >= 0, "parameters");
    stream->time_base = encoder_->time_base;
    stream->avg_frame_rate = encoder_->framerate;
    require(avio_open(&output_->pb, path.c_str(), AVIO_FLAG_WRITE) >= 0, "output file");
    require(avformat_write_header(output_, nullptr) >= 0, "header");
    frame_->width = width;
    frame_->height = height;
    frame_->format = encoder_->pix_fmt;
    require(av_frame_get_buffer(frame_, 0) >= 0, "frame");
  }
  EncodedFile(const EncodedFile&) = delete;
  EncodedFile& operator=(const EncodedFile&) = delete;

  void add(const Picture& picture) {
    require(av_frame_make_writable(frame_) >= 0, "frame");
    for (int index = 0; index < picture.format().pixel.planes(); ++index) {
      const auto position = static_cast<std::size_t>(index);
      const PictureLayout::Plane& plane = picture.layout().planes[position];
      const std::size_t row_bytes = static_cast<std::size_t>(picture.format().plane_width(index)) *
                                    picture.format().pixel.bytes_per_sample();
      for (int y = 0; y < picture.format().plane_height(index); ++y) {
        std::memcpy(
            frame_->data[position] + y * frame_->linesize[position],
            picture.bytes().data() + plane.offset + static_cast<std::size_t>(y) * plane.stride,
            row_bytes);
      }
    }
    add_frame();
  }

  /// Adds a picture with the present content of the frame's memory.
  void add_frame() {
    frame_->pts = next_++;
    encode(frame_);
  }

  ~EncodedFile() {
    encode(nullptr);
    av_write_trailer(output_);
    avio_closep(&output_->pb);
    avformat_free_context(output_);
    av_packet_free(&packet_);
    av_frame_free(&frame_);
    avcodec_free_context(&encoder_);
  }

 private:
  void encode(const AVFrame* frame) {
    avcodec_send_frame(encoder_, frame);
    while (avcodec_receive_packet(encoder_, packet_) >= 0) {
      av_packet_rescale_ts(packet_, encoder_->time_base, output_->streams[0]->time_base);
      av_interleaved_write_frame(output_, packet_);
    }
  }

  AVCodecContext* encoder_;
  AVFormatContext* output_ = nullptr;
  AVPacket* packet_ = av_packet_alloc();
  AVFrame* frame_ = av_frame_alloc();
  std::int64_t next_ = 0;
};

void write_clip(const std::filesystem::path& path, AVCodecID codec, const PictureFormat& format,
                int pictures) {
  const SyntheticClip clip(format);
  EncodedFile file(path, codec, format.width, format.height, to_string(format.pixel));
  for (int t = 0; t < pictures; ++t) file.add(clip.reference(t));
}

/// Compares bytes, because the memory between rows is zero in both pictures.
bool same(const Picture& a, const Picture& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(LibavSource, LosslessClipsComeBackBitForBit) {
  const TemporaryDirectory scratch;
  for (const PixelFormat& pixel :
       {PixelFormat{Chroma::c420, 8}, PixelFormat{Chroma::c422, 8}, PixelFormat{Chroma::c444, 8},
        PixelFormat{Chroma::c400, 8}, PixelFormat{Chroma::c420, 10}, PixelFormat{Chroma::c422, 10},
        PixelFormat{Chroma::c444, 12}, PixelFormat{Chroma::c400, 16}}) {
    const PictureFormat format{65, 33, pixel};
    write_clip(scratch / "clip.mkv", AV_CODEC_ID_FFV1, format, 5);
    const auto source = libav::open_source(scratch / "clip.mkv");
    ASSERT_EQ(source->format(), format) << to_string(source->format());
    EXPECT_EQ(source->frame_rate().numerator, 25);
    Picture picture(format);
    const SyntheticClip clip(format);
    for (int t = 0; t < 5; ++t) {
      ASSERT_TRUE(source->read(picture));
      EXPECT_TRUE(same(picture, clip.reference(t))) << to_string(format) << ", picture " << t;
    }
    EXPECT_FALSE(source->read(picture));
  }
}

TEST(LibavSource, PixelFormatsThatAreNotSupportedAreNamed) {
  const TemporaryDirectory scratch;
  const std::pair<const char*, const char*> kCases[] = {
      {"bgr0", "is RGB"}, {"yuva420p", "alpha"}, {"yuv411p", "yuv411p is not supported"}};
  for (const auto& [pixel_format, reason] : kCases) {
    { EncodedFile(scratch / "odd.mkv", AV_CODEC_ID_FFV1, 64, 32, pixel_format).add_frame(); }
    const std::string text = error_text([&] { (void)libav::open_source(scratch / "odd.mkv"); });
    EXPECT_NE(text.find(pixel_format), std::string::npos) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    EXPECT_NE(text.find("odd.mkv"), std::string::npos) << text;
  }
}

/// Reads the file to its end and returns the error.
std::string reading_error(const std::filesystem::path& path) {
  return error_text([&] {
    const auto source = libav::open_source(path);
    Picture picture(source->format());
    while (source->read(picture)) {
    }
  });
}

TEST(LibavSource, DamagedPicturesAreRefusedAndNamed) {
  const TemporaryDirectory scratch;
  const std::filesystem::path path = scratch / "clip.mkv";
  write_clip(path, AV_CODEC_ID_MPEG4, {320, 240, {Chroma::c420, 8}}, 12);
  std::FILE* const file = std::fopen(path.c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::fseek(file, static_cast<long>(std::filesystem::file_size(path) / 2), SEEK_SET);
  const std::string noise(200, '\xa5');
  std::fwrite(noise.data(), 1, noise.size(), file);
  std::fclose(file);
  const std::string text = reading_error(path);
  EXPECT_NE(text.find("clip.mkv"), std::string::npos) << text;
  EXPECT_NE(text.find("cannot be decoded"), std::string::npos) << text;
}

TEST(LibavSource, ATruncatedFileIsRefusedAndNamed) {
  const TemporaryDirectory scratch;
  const std::filesystem::path path = scratch / "clip.mkv";
  write_clip(path, AV_CODEC_ID_FFV1, {64, 64, {Chroma::c420, 8}}, 6);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);
  const std::string text = reading_error(path);
  EXPECT_NE(text.find("clip.mkv"), std::string::npos) << text;
  EXPECT_NE(text.find("cannot be decoded"), std::string::npos) << text;
}

TEST(LibavSource, AFileWithoutVideoIsRefused) {
  const TemporaryDirectory scratch;
  // The header of a RIFF WAVE file with 8-bit mono PCM sound.
  const std::string header(
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0"
      "data\x08\0\0\0abcdefgh",
      52);
  std::FILE* const file = std::fopen((scratch / "sound.wav").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fclose(file);
  const std::string text = error_text([&] { (void)libav::open_source(scratch / "sound.wav"); });
  EXPECT_NE(text.find("sound.wav"), std::string::npos) << text;
  EXPECT_NE(text.find("no video stream"), std::string::npos) << text;
}

TEST(LibavSource, AMissingLibraryIsNamedWithItsPackage) {
  const std::string text =
      error_text([] { (void)libav::find_function("libavnothing.so.59", "av_nothing"); });
  EXPECT_NE(text.find("libavnothing.so.59"), std::string::npos) << text;
  EXPECT_NE(text.find("sudo apt install libavnothing59"), std::string::npos) << text;
}

}  // namespace
}  // namespace sidecore::video::test_libav_source
