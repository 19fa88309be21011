// Reads the packets of the video stream in a container, with libavformat.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "libav/api.h"
#include "libav/open.h"
#include "video/byte_stream.h"
#include "video/description.h"
#include "video/packet_source.h"
#include "video/source.h"

namespace sidecore::libav {

/// Returns libav's text for a status.
[[nodiscard]] std::string describe_libav(int status);

class Input {
 public:
  /// Opens an input. Opens `path` again if the stream is reopenable(), so that libavformat can
  /// seek; otherwise passes it the stream's bytes. Selects the best video stream; with
  /// `need_decoder`, one that libavcodec can decode. Throws Error (usage) if there is none, and
  /// EncryptedError if it is encrypted.
  Input(std::unique_ptr<video::ByteStream> stream, const std::string& path, bool need_decoder);

  [[nodiscard]] const std::string& name() const { return stream_->name(); }
  [[nodiscard]] video::FrameRate frame_rate() const { return frame_rate_; }
  /// Returns the container's description of the pictures.
  [[nodiscard]] const video::Description& description() const { return description_; }
  [[nodiscard]] const AVStream& video() const { return *video_; }
  /// Rejects an uncertain format: throws Error (usage) if libavformat itself rates its detection as
  /// uncertain. Its readers of bare streams accept any bytes that look slightly like their codec's.
  void refuse_guess() const;
  /// Returns the decoder of the stream; null if there is none.
  [[nodiscard]] const AVCodec* codec() const { return codec_; }

  struct ReadResult {
    bool end = false;
    std::string damage;  ///< fault of the data; empty if there is none
  };
  /// Reads the next packet of the video stream, unless the data ends or is damaged. Throws
  /// EncryptedError for an encrypted packet.
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
  std::optional<std::int64_t> damage_;  ///< position of the first damage that the demuxer logged
};

/// Deleter of packets for unique_ptr.
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

/// Opens the pictures of a stream. Opens `path` again if the stream is reopenable(), so that
/// libavformat can seek; otherwise passes it the stream's bytes. VP9 is decoded by `vp9`, unless
/// that is empty. Throws Error (usage) if no video can be decoded to a supported pixel format.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_pictures(
    std::unique_ptr<video::ByteStream> stream, const std::string& path, const Vp9Decoding& vp9);

/// Opens the VP9 packets of a stream in the same way as open_pictures(). Throws Error (usage) if
/// there is no VP9 stream.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_vp9_packets(
    std::unique_ptr<video::ByteStream> stream, const std::string& path);
/// Returns the VP9 packets of an open input. Throws Error (usage) if it has no VP9 stream.
[[nodiscard]] std::unique_ptr<video::PacketSource> vp9_packets_of(Input input);

}  // namespace sidecore::libav
