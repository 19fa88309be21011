// Pictures out of files: Y4M, raw planar, and whatever libavformat and libavcodec open.
#pragma once

#include <memory>
#include <optional>
#include <string>

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
};

/// Opens `path` ("-" for standard input). Y4M is recognised by its signature. Anything else is,
/// with `raw`, headerless planar samples of that format (8-bit bytes, deeper little-endian 16-bit),
/// and goes to libavformat without; the best video stream is decoded. Throws Error (usage) when the
/// file is missing, empty, a directory, or nothing that can be read.
[[nodiscard]] std::unique_ptr<PictureSource> open_source(
    const std::string& path, const std::optional<PictureFormat>& raw = std::nullopt);

}  // namespace sidecore::video
