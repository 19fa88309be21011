// Files with what CDEF reads and writes in a real stream: bench/tools/capture_cdef.cpp makes them.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "av1/cdef.h"
#include "video/picture.h"

namespace sidecore::av1 {

/// One frame of a stream. Both pictures have the frame's size rounded up to a multiple of 8.
struct CdefCapture {
  video::Picture before;  ///< the samples that the filter reads
  video::Picture after;   ///< filtered by the capturing decoder
  CdefFrame frame;
};

/// Returns true if the file can be read and begins as a capture does.
[[nodiscard]] bool is_cdef_capture(const std::string& path);

/// Appends a frame to a file. Throws Error (usage) if the frame is not valid (check_cdef_frame()),
/// and Error (environment) if writing fails.
void write_cdef_capture(std::ofstream& file, const CdefCapture& capture);

/// Reads the frames of a file in turn.
class CdefCaptureReader {
 public:
  /// Throws Error (usage) if the file cannot be opened.
  explicit CdefCaptureReader(const std::string& path);
  /// Returns the next frame; nothing at the end. Throws Error (usage) that names the file if it is
  /// damaged.
  [[nodiscard]] std::optional<CdefCapture> next();

 private:
  std::string path_;
  std::ifstream file_;
};

}  // namespace sidecore::av1
