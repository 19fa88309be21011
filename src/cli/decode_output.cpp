#include "cli/decode_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "libav/md5.h"
#include "video/planar_writer.h"
#include "video/y4m_writer.h"
#include "vp9/description.h"

namespace sidecore::cli {
namespace {

class PictureOutput final : public DecodeOutput {
 public:
  PictureOutput(const std::string& path, video::FrameRate rate, const video::Description& container,
                bool y4m)
      : path_(path), rate_(rate), container_(container), y4m_(y4m), file_(path) {}

  void write(const vp9::FrameBuffer& frame, std::int64_t /*number*/) override {
    const video::PictureFormat format = frame.format();
    if (y4m_) {
      if (frame.color.space == vp9::ColorSpace::rgb) {
        throw usage_error("a Y4M file cannot hold RGB: write .yuv (planes green, blue, red)");
      }
      if (format.pixel.chroma == video::Chroma::c440) {
        throw usage_error("a Y4M file cannot hold 4:4:0: write .yuv");
      }
      if (!first_) {
        first_ = format;
        file_.write(video::y4m_header(format, rate_, container_.or_else(description_of(frame))));
      } else if (*first_ != format) {
        throw usage_error("a Y4M file cannot hold a frame of {} after frames of {}: write .yuv",
                          to_string(format), to_string(*first_));
      }
      file_.write("FRAME\n");
    }
    video::pack_planar(frame.memory, format, samples_);
    file_.write(samples_);
  }
  void finish() override { file_.commit(); }
  void finish_part() override { file_.commit(); }
  [[nodiscard]] bool on_standard_output() const override { return is_standard_output(path_); }

 private:
  std::string path_;
  video::FrameRate rate_;
  video::Description container_;
  bool y4m_;
  AtomicFile file_;
  std::optional<video::PictureFormat> first_;
  std::vector<std::byte> samples_;
};

class Md5Output final : public DecodeOutput {
 public:
  explicit Md5Output(const std::string& path) : path_(path), file_(path) {}

  void write(const vp9::FrameBuffer& frame, std::int64_t /*number*/) override {
    video::pack_planar(frame.memory, frame.format(), samples_);
    md5_.update(samples_);
  }
  void finish() override {
    file_.write(md5_.finish() + "\n");
    file_.commit();
  }
  void finish_part() override {}
  [[nodiscard]] bool on_standard_output() const override { return is_standard_output(path_); }

 private:
  std::string path_;
  AtomicFile file_;
  libav::Md5 md5_;
  std::vector<std::byte> samples_;
};

class FrameMd5Output final : public DecodeOutput {
 public:
  FrameMd5Output(const std::string& path, video::FrameRate rate,
                 const video::Description& container)
      : path_(path), rate_(rate), container_(container), file_(path) {}

  void write(const vp9::FrameBuffer& frame, std::int64_t number) override {
    if (!std::exchange(began_, true)) write_header(frame);
    video::pack_planar(frame.memory, frame.format(), samples_);
    md5_.update(samples_);
    file_.write(fmt::format("0, {0:>10}, {0:>10}, {1:>8}, {2:>8}, {3}\n", number, 1,
                            samples_.size(), md5_.finish()));
  }
  void finish() override { file_.commit(); }
  void finish_part() override { file_.commit(); }
  [[nodiscard]] bool on_standard_output() const override { return is_standard_output(path_); }

 private:
  void write_header(const vp9::FrameBuffer& frame) {
    const video::PictureFormat format = frame.format();
    const video::PixelAspect aspect = container_.or_else(description_of(frame)).aspect;
    const video::FrameRate rate =
        rate_.numerator > 0 ? rate_ : video::FrameRate{25, 1};  // 25 is also FFmpeg's default
    file_.write(
        fmt::format("#format: frame checksums\n#version: 2\n#hash: MD5\n"
                    "#software: sidecore {}\n#tb 0: {}/{}\n#media_type 0: video\n"
                    "#codec_id 0: rawvideo\n#dimensions 0: {}x{}\n#sar 0: {}/{}\n"
                    "#stream#, dts,        pts, duration,     size, hash\n",
                    SIDECORE_VERSION, rate.denominator, rate.numerator, format.width, format.height,
                    aspect.width, aspect.height));
  }

  std::string path_;
  video::FrameRate rate_;
  video::Description container_;
  AtomicFile file_;
  libav::Md5 md5_;
  bool began_ = false;
  std::vector<std::byte> samples_;
};

class NoOutput final : public DecodeOutput {
 public:
  void write(const vp9::FrameBuffer& /*frame*/, std::int64_t /*number*/) override {}
  void finish() override {}
  void finish_part() override {}
  [[nodiscard]] bool on_standard_output() const override { return false; }
};

}  // namespace

std::unique_ptr<DecodeOutput> make_picture_output(const std::string& path, video::FrameRate rate,
                                                  const video::Description& container) {
  const std::string extension = std::filesystem::path(path).extension();
  if (path != "-" && extension != ".y4m" && extension != ".yuv") {
    throw usage_error("the output file '{}' must end in .y4m or .yuv", path);
  }
  return std::make_unique<PictureOutput>(path, rate, container, extension != ".yuv");
}

std::unique_ptr<DecodeOutput> make_md5_output(const std::string& path) {
  return std::make_unique<Md5Output>(path);
}

std::unique_ptr<DecodeOutput> make_framemd5_output(const std::string& path, video::FrameRate rate,
                                                   const video::Description& container) {
  return std::make_unique<FrameMd5Output>(path, rate, container);
}

std::unique_ptr<DecodeOutput> make_no_output() {
  return std::make_unique<NoOutput>();
}

}  // namespace sidecore::cli
