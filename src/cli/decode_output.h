// Where decoded frames go.
#pragma once

#include <memory>
#include <string>

#include "video/source.h"
#include "vp9/frame_buffer.h"

namespace sidecore::cli {

class DecodeOutput {
 public:
  virtual ~DecodeOutput() = default;
  /// Throws Error when the frame does not fit what was written before, or cannot be written.
  virtual void write(const vp9::FrameBuffer& frame) = 0;
  /// Makes the result appear, whole.
  virtual void finish() = 0;
  /// Whether standard output is taken.
  [[nodiscard]] virtual bool on_standard_output() const = 0;
};

/// ".y4m" or ".yuv" by the path's ending; "-" is Y4M. Throws Error (usage) for another ending.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_picture_output(const std::string& path,
                                                                video::FrameRate rate);
/// One line: the MD5 of all samples, plane after plane, frame after frame, as vpxdec --md5 gives
/// it.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_md5_output(const std::string& path);
/// FFmpeg's framemd5 format, version 2; frames are numbered by the frame rate.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_framemd5_output(const std::string& path,
                                                                 video::FrameRate rate);
/// Decodes and keeps nothing.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_no_output();

}  // namespace sidecore::cli
