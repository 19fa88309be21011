// Pictures out of files: Y4M and raw planar; libav/open.h opens all others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "video/byte_stream.h"
#include "video/picture.h"

namespace sidecore::video {

struct FrameRate {
  int numerator = 0;  ///< 0 when unknown
  int denominator = 1;
};

/// A sequence of pictures of one format.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  [[nodiscard]] virtual const PictureFormat& format() const = 0;
  [[nodiscard]] virtual FrameRate frame_rate() const = 0;
  /// What it is, for messages: the path, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Fills `picture`, whose format must be format(), with the next picture; false at the end.
  /// Throws Error (usage) that names the file and the picture's number, counted from 0, when the
  /// data is truncated or damaged, changes format on the way, or has samples beyond its depth.
  /// After a throw the picture's samples mean nothing.
  virtual bool read(Picture& picture) = 0;
  /// How many pictures before the one that read() has given last are missing, for they were damaged
  /// or left out. 0 of sources that end where they are damaged.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
};

/// First bytes of every Y4M file.
inline constexpr std::string_view kY4mSignature = "YUV4MPEG2";

/// The stream stands at the signature. Throws Error (usage) for a bad header.
[[nodiscard]] std::unique_ptr<PictureSource> open_y4m(std::unique_ptr<ByteStream> stream);

/// Headerless planar samples: 8-bit bytes, deeper ones little-endian 16-bit words. Throws Error
/// (usage) for a bad format.
[[nodiscard]] std::unique_ptr<PictureSource> open_raw(std::unique_ptr<ByteStream> stream,
                                                      const PictureFormat& format);

}  // namespace sidecore::video
