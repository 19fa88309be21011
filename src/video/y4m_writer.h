// Y4M files out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "video/description.h"
#include "video/picture.h"
#include "video/source.h"

namespace sidecore::video {

/// The line that begins a Y4M file of progressive pictures. Fields of what is unknown are left out,
/// but for two that readers may need: an unknown rate is F0:0, and 4:2:0 of 8 bits without a siting
/// is 420jpeg, as FFmpeg writes it. Y4M has no words for the siting of deeper samples, and none for
/// primaries, transfer function and matrix. Throws Error (usage) for 4:4:0, which it has no word
/// for either.
[[nodiscard]] std::string y4m_header(const PictureFormat& format, FrameRate frame_rate,
                                     const Description& description = {});

/// Writes pictures of one format. The file appears under its name with commit(), whole, or never.
class Y4mWriter {
 public:
  /// Throws Error (usage) for a path that cannot be written or a bad format. "-" is standard
  /// output.
  Y4mWriter(const std::filesystem::path& path, const PictureFormat& format, FrameRate frame_rate);

  /// Throws Error (usage) when the picture is of another format, (environment) when the disk is
  /// full.
  void write(const Picture& picture);
  void commit();

 private:
  PictureFormat format_;
  AtomicFile file_;
  std::vector<std::byte> planar_;
};

}  // namespace sidecore::video
