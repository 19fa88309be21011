// Writes Y4M files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "video/description.h"
#include "video/picture.h"
#include "video/source.h"

namespace sidecore::video {

/// Returns the header line of a Y4M file with progressive pictures. Fields of unknown values are
/// omitted, except for two that readers may need: an unknown rate is F0:0, and 8-bit 4:2:0 without
/// a siting is 420jpeg, as FFmpeg writes it. Y4M has no names for the siting of more than 8 bits,
/// for primaries, transfer function and matrix, and for 4:4:0. Throws Error (usage) for 4:4:0.
[[nodiscard]] std::string y4m_header(const PictureFormat& format, FrameRate frame_rate,
                                     const Description& description = {});

/// Writes pictures of one format. The file appears under its name only when commit() has completed
/// it.
class Y4mWriter {
 public:
  /// Opens the file; "-" is standard output. Throws Error (usage) if the path cannot be written or
  /// the format is bad.
  Y4mWriter(const std::filesystem::path& path, const PictureFormat& format, FrameRate frame_rate);

  /// Writes a picture. Throws Error (usage) if it has another format, and Error (environment) if
  /// the disk is full.
  void write(const Picture& picture);
  void commit();

 private:
  PictureFormat format_;
  AtomicFile file_;
  std::vector<std::byte> planar_;
};

}  // namespace sidecore::video
