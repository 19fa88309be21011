// A container that libavformat reads: its video stream, packet by packet.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <memory>
#include <string>

#include "libav/open.h"
#include "video/byte_stream.h"
#include "video/description.h"
#include "video/packet_source.h"
#include "video/source.h"

namespace sidecore::libav {

/// libav's text for a status.
[[nodiscard]] std::string describe_libav(int status);

class Input {
 public:
  /// Opens `path` again when the stream says it can be, so that libavformat may seek; otherwise
  /// feeds it from the stream. Chooses the best video stream; with `need_decoder`, one that
  /// libavcodec can decode. Throws Error (usage) when there is none, EncryptedError when it is
  /// encrypted.
  Input(std::unique_ptr<video::ByteStream> stream, const std::string& path, bool need_decoder);

  [[nodiscard]] const std::string& name() const { return stream_->name(); }
  [[nodiscard]] video::FrameRate frame_rate() const { return frame_rate_; }
  /// The container's description of the pictures.
  [[nodiscard]] const video::Description& description() const { return description_; }
  [[nodiscard]] const AVStream& video() const { return *video_; }
  /// Throws Error (usage) if libavformat's own opinion is that it may have taken the file for
  /// something else: its readers of bare streams take any bytes that look a little like their
  /// codec's.
  void refuse_guess() const;
  /// What decodes it; null when there is nothing.
  [[nodiscard]] const AVCodec* codec() const { return codec_; }

  struct ReadResult {
    bool end = false;
    std::string damage;  ///< what is wrong with the data; empty when nothing is
  };
  /// The next packet of the video stream, unless at the end or damaged. Throws EncryptedError for
  /// an encrypted one.
  [[nodiscard]] ReadResult read(AVPacket& packet);

 private:
  struct CloseInput {
    void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
  };
  struct FreeIo {
    void operator()(AVIOContext* io) const;
  };
  void open(const std::string& path, bool need_decoder);
  void choose_stream(bool need_decoder);
  void refuse_encrypted() const;

  std::unique_ptr<video::ByteStream> stream_;
  std::unique_ptr<AVIOContext, FreeIo> io_;
  std::unique_ptr<AVFormatContext, CloseInput> input_;
  AVStream* video_ = nullptr;
  const AVCodec* codec_ = nullptr;
  video::FrameRate frame_rate_;
  video::Description description_;
};

/// For unique_ptr.
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

/// Opens `path` again when the stream says it can be, so that libavformat may seek; otherwise feeds
/// libavformat from the stream. Gives VP9 to `vp9`, unless that is empty. Throws Error (usage) when
/// there is no video in it that can be decoded to a supported pixel format.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_pictures(
    std::unique_ptr<video::ByteStream> stream, const std::string& path, const Vp9Decoding& vp9);

/// Likewise. Throws Error (usage) when there is no VP9 stream in it.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_vp9_packets(
    std::unique_ptr<video::ByteStream> stream, const std::string& path);
/// The packets of an input that is open already; throws likewise.
[[nodiscard]] std::unique_ptr<video::PacketSource> vp9_packets_of(Input input);

}  // namespace sidecore::libav
