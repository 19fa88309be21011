#include "vp9/picture_source.h"

#include <cassert>
#include <cstring>
#include <deque>
#include <exception>
#include <utility>

#include "base/error.h"
#include "vp9/packet_decoder.h"

namespace sidecore::vp9 {
namespace {

class Pictures final : public video::PictureSource {
 public:
  Pictures(std::unique_ptr<video::PacketSource> packets, const PictureSourceOptions& options)
      : packets_(std::move(packets)),
        decoder_({.stream = packets_->name(),
                  .threads = options.threads,
                  // With low delay, the frames lost to damage do not depend on the number of frames
                  // in flight.
                  .low_delay = options.start_at_key_frame,
                  .max_luma_samples = kMaxLumaSamplesOfAnyLevel,
                  .dsp = options.dsp}),
        decoding_(
            *packets_, decoder_,
            [this](const std::shared_ptr<const FrameBuffer>& frame, auto /*time_stamp*/) {
              shown_.push_back({frame, decoding_.lost_pictures()});
            },
            options.start_at_key_frame) {
    if (!decode()) throw usage_error("{}: the stream shows no frame", name());
    check(*shown_.front().frame);
    format_ = shown_.front().frame->format();
  }

  [[nodiscard]] const video::PictureFormat& format() const override { return format_; }
  [[nodiscard]] video::FrameRate frame_rate() const override { return packets_->frame_rate(); }
  [[nodiscard]] const std::string& name() const override { return packets_->name(); }

  bool read(video::Picture& picture) override {
    assert(picture.format() == format_);
    if (!decode()) return false;
    const auto [frame, lost] = std::move(shown_.front());
    shown_.pop_front();
    lost_ = lost;
    check(*frame);
    if (frame->format() != format_) {
      throw usage_error("{}: picture {} has the format {}, but earlier pictures have {}", name(),
                        number_, to_string(frame->format()), to_string(format_));
    }
    copy(frame->memory, picture);
    ++number_;
    return true;
  }

  [[nodiscard]] std::uint64_t lost() const override { return lost_; }

 private:
  struct Shown {
    std::shared_ptr<const FrameBuffer> frame;
    std::uint64_t lost = 0;  ///< number of pictures lost before this picture
  };

  /// Decodes until a picture is available; returns false at the end.
  bool decode() {
    while (shown_.empty() && !ended_) {
      try {
        if (decoding_.next()) continue;
        ended_ = true;
        decoding_.finish();
        decoding_.report_skipped_packets(name());
      } catch (const Error&) {
        ended_ = true;
        damage_ = std::current_exception();
      }
    }
    // The pictures before the damage are returned first, as in `sidecore decode`.
    if (shown_.empty() && damage_) std::rethrow_exception(damage_);
    return !shown_.empty();
  }

  void check(const FrameBuffer& frame) const {
    const video::PixelFormat& pixel = frame.memory.format().pixel;
    if (frame.color.space == ColorSpace::rgb) {
      throw usage_error("{}: picture {} is RGB, which is not supported: convert it to YUV", name(),
                        number_);
    }
    if (pixel.chroma != video::Chroma::c440) return;
    throw usage_error(
        "{}: pixel format {} is not supported: it must be gray, yuv420p, yuv422p or yuv444p with 8 "
        "to 16 bits",
        name(), to_string(pixel));
  }

  void copy(const video::Picture& from, video::Picture& to) const {
    for (int index = 0; index < format_.pixel.planes(); ++index) {
      const auto plane = static_cast<std::size_t>(index);
      const video::PictureLayout::Plane& source = from.layout().planes[plane];
      const video::PictureLayout::Plane& target = to.layout().planes[plane];
      const std::size_t row_bytes =
          static_cast<std::size_t>(format_.plane_width(index)) * format_.pixel.bytes_per_sample();
      for (std::size_t y = 0; y < static_cast<std::size_t>(format_.plane_height(index)); ++y) {
        std::memcpy(to.bytes().data() + target.offset + y * target.stride,
                    from.bytes().data() + source.offset + y * source.stride, row_bytes);
      }
    }
  }

  std::unique_ptr<video::PacketSource> packets_;
  std::deque<Shown> shown_;  ///< frames that read() has not returned yet
  Decoder decoder_;
  PacketDecoder decoding_;
  video::PictureFormat format_;
  bool ended_ = false;
  std::exception_ptr damage_;  ///< error that follows the frames in shown_; null if there was none
  std::uint64_t lost_ = 0;
  std::uint64_t number_ = 0;  ///< index of the next picture
};

}  // namespace

std::unique_ptr<video::PictureSource> open_pictures(std::unique_ptr<video::PacketSource> packets,
                                                    const PictureSourceOptions& options) {
  return std::make_unique<Pictures>(std::move(packets), options);
}

}  // namespace sidecore::vp9
