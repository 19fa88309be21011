// Reads pictures from the formats that libavformat and libavcodec support.
#include <cassert>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "libav/input.h"
#include "video/sample_range.h"

namespace sidecore::libav {
namespace {

struct FreeDecoder {
  void operator()(AVCodecContext* decoder) const { avcodec_free_context(&decoder); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

bool is_planar_word_format(const AVPixFmtDescriptor& description) {
  constexpr std::uint64_t kUnwanted = AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL |
                                      AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                      AV_PIX_FMT_FLAG_FLOAT;
  if ((description.flags & kUnwanted) != 0) return false;
  if (description.nb_components != 1 && description.nb_components != 3) return false;
  const int bits = description.comp[0].depth;
  if (bits < 8 || bits > 16) return false;
  for (int index = 0; index < description.nb_components; ++index) {
    const AVComponentDescriptor& component = description.comp[index];
    if (component.plane != index || component.shift != 0 || component.offset != 0 ||
        component.depth != bits || component.step != (bits > 8 ? 2 : 1)) {
      return false;
    }
  }
  return true;
}

/// Converts FFmpeg's pixel format to PixelFormat. Full-range variants (yuvj420p) have the same
/// samples.
video::PixelFormat translate(AVPixelFormat format, const std::string& name) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  if (description == nullptr) throw usage_error("{}: its pixel format is unknown", name);
  if ((description->flags & AV_PIX_FMT_FLAG_RGB) != 0) {
    throw usage_error("{}: pixel format {} is RGB, but only gray and planar YCbCr are supported",
                      name, description->name);
  }
  if ((description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0) {
    throw usage_error("{}: pixel format {} has an alpha plane, which is not supported", name,
                      description->name);
  }
  if (is_planar_word_format(*description)) {
    const int bits = description->comp[0].depth;
    const int log2_w = description->log2_chroma_w;
    const int log2_h = description->log2_chroma_h;
    if (description->nb_components == 1) return {video::Chroma::c400, bits};
    if (log2_w == 1 && log2_h == 1) return {video::Chroma::c420, bits};
    if (log2_w == 1 && log2_h == 0) return {video::Chroma::c422, bits};
    if (log2_w == 0 && log2_h == 0) return {video::Chroma::c444, bits};
  }
  throw usage_error(
      "{}: pixel format {} is not supported: it must be gray, yuv420p, yuv422p or yuv444p with 8 "
      "to 16 bits",
      name, description->name);
}

class Pictures final : public video::PictureSource {
 public:
  explicit Pictures(Input input)
      : input_(std::move(input)), packet_(av_packet_alloc()), frame_(av_frame_alloc()) {
    open_decoder();
    if (!decode_frame()) {
      input_.refuse_guess();
      throw usage_error("{}: there is no picture in it", name());
    }
    format_ = frame_format();
    try {
      video::check_format(format_);
    } catch (const Error& error) {
      throw usage_error("{}: {}", name(), error.what());
    }
    pending_ = true;
  }

  [[nodiscard]] const video::PictureFormat& format() const override { return format_; }
  [[nodiscard]] video::FrameRate frame_rate() const override { return input_.frame_rate(); }
  [[nodiscard]] const std::string& name() const override { return input_.name(); }

  bool read(video::Picture& picture) override {
    assert(picture.format() == format_);
    if (!std::exchange(pending_, false) && !decode_frame()) return false;
    const video::PictureFormat found = frame_format();
    if (found != format_) {
      throw usage_error("{}: picture {} has the format {}, but earlier pictures have {}", name(),
                        number_, to_string(found), to_string(format_));
    }
    copy_frame(picture);
    video::check_sample_range(picture, name(), number_);
    ++number_;
    return true;
  }

 private:
  void open_decoder() {
    const AVCodec* const codec = input_.codec();
    decoder_.reset(avcodec_alloc_context3(codec));
    int status = avcodec_parameters_to_context(decoder_.get(), input_.video().codecpar);
    decoder_->thread_count = 0;  // 0: one thread per core
    // Damage is reported in the flags of frames. AV_EF_EXPLODE would turn it into errors, but
    // damaged MPEG-4 then aborts the process in libavcodec 59.
    decoder_->err_recognition = AV_EF_CRCCHECK;
    if (status >= 0) status = avcodec_open2(decoder_.get(), codec, nullptr);
    if (status < 0) {
      throw usage_error("{}: its {} stream cannot be decoded: {}", name(), codec->name,
                        describe_libav(status));
    }
  }

  /// Decodes the next picture into frame_; returns false at the end.
  bool decode_frame() {
    while (true) {
      const int status = avcodec_receive_frame(decoder_.get(), frame_.get());
      if (status == AVERROR_EOF) return false;
      if (status == AVERROR(EAGAIN)) {
        feed_decoder();
        continue;
      }
      if (status < 0) throw_damaged(describe_libav(status));
      if ((frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame_->decode_error_flags != 0) {
        throw_damaged("the decoder had to conceal errors");
      }
      return true;
    }
  }

  void feed_decoder() {
    const Input::ReadResult result = input_.read(*packet_);
    if (!result.damage.empty()) throw_damaged(result.damage);
    const int status = avcodec_send_packet(decoder_.get(), result.end ? nullptr : packet_.get());
    av_packet_unref(packet_.get());
    if (status < 0) throw_damaged(describe_libav(status));
  }

  // Throws an error about damage. Decoders work on several pictures ahead, so the damage may be in
  // a later picture.
  [[noreturn]] void throw_damaged(const std::string& how) const {
    if (number_ == 0) input_.refuse_guess();
    throw usage_error("{}: picture {}, or one soon after it, cannot be decoded: {}", name(),
                      number_, how);
  }

  [[nodiscard]] video::PictureFormat frame_format() const {
    return {frame_->width, frame_->height,
            translate(static_cast<AVPixelFormat>(frame_->format), name())};
  }

  void copy_frame(video::Picture& picture) const {
    for (int index = 0; index < format_.pixel.planes(); ++index) {
      const auto position = static_cast<std::size_t>(index);
      const video::PictureLayout::Plane& plane = picture.layout().planes[position];
      const std::size_t row_bytes =
          static_cast<std::size_t>(format_.plane_width(index)) * format_.pixel.bytes_per_sample();
      const std::uint8_t* from = frame_->data[position];
      std::byte* to = picture.bytes().data() + plane.offset;
      for (int y = 0; y < format_.plane_height(index); ++y) {
        std::memcpy(to, from, row_bytes);
        from += frame_->linesize[position];
        to += plane.stride;
      }
    }
  }

  Input input_;
  std::unique_ptr<AVCodecContext, FreeDecoder> decoder_;
  std::unique_ptr<AVPacket, FreePacket> packet_;
  std::unique_ptr<AVFrame, FreeFrame> frame_;
  video::PictureFormat format_;
  bool pending_ = false;  // true if frame_ holds a picture that read() has not returned yet
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<video::PictureSource> open_pictures(std::unique_ptr<video::ByteStream> stream,
                                                    const std::string& path,
                                                    const Vp9Decoding& vp9) {
  Input input(std::move(stream), path, true);
  if (vp9 && input.video().codecpar->codec_id == AV_CODEC_ID_VP9) {
    return vp9(vp9_packets_of(std::move(input)));
  }
  return std::make_unique<Pictures>(std::move(input));
}

}  // namespace sidecore::libav
