// Sources of pictures from Y4M and raw planar files; libav/open.h opens all other files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "video/byte_stream.h"
#include "video/picture.h"

namespace sidecore::video {

/// Frames per second (or ticks per second) as a fraction.
struct FrameRate {
  int numerator = 0;  ///< numerator of the rate; 0 if the rate is unknown
  int denominator = 1;
};

/// A sequence of pictures of one format.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  [[nodiscard]] virtual const PictureFormat& format() const = 0;
  [[nodiscard]] virtual FrameRate frame_rate() const = 0;
  /// Returns the source's name for messages: the path in quotes, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Reads the next picture into `picture`, whose format must be format(); returns false at the
  /// end. Throws Error (usage) if the data is truncated or damaged, changes format, or has samples
  /// beyond its bit depth. The error names the file and the picture's number, counted from 0. After
  /// an exception the picture's samples are undefined.
  virtual bool read(Picture& picture) = 0;
  /// Returns how many pictures before the last one read are missing because they were damaged or
  /// skipped. Always 0 for sources that end at damage.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
};

/// Signature: the first bytes of every Y4M file.
inline constexpr std::string_view kY4mSignature = "YUV4MPEG2";

/// Opens a Y4M stream that is at its signature. Throws Error (usage) for a bad header.
[[nodiscard]] std::unique_ptr<PictureSource> open_y4m(std::unique_ptr<ByteStream> stream);

/// Opens a stream of planar samples without a header: bytes for 8 bits, little-endian 16-bit words
/// for more. Throws Error (usage) for a bad format.
[[nodiscard]] std::unique_ptr<PictureSource> open_raw(std::unique_ptr<ByteStream> stream,
                                                      const PictureFormat& format);

}  // namespace sidecore::video
