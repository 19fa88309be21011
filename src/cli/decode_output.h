// Where decoded frames go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "video/description.h"
#include "video/source.h"
#include "vp9/frame_buffer.h"

namespace sidecore::cli {

class DecodeOutput {
 public:
  virtual ~DecodeOutput() = default;
  /// `number` is the frame's place in time, in frames (frame_numbers.h). Throws Error when the
  /// frame does not fit what was written before, or cannot be written.
  virtual void write(const vp9::FrameBuffer& frame, std::int64_t number) = 0;
  /// Makes the result appear, whole.
  virtual void finish() = 0;
  /// After an error of the input: makes what was written appear. A digest, which stands for all
  /// frames, does not.
  virtual void finish_part() = 0;
  /// Whether standard output is taken.
  [[nodiscard]] virtual bool on_standard_output() const = 0;
};

/// `container` is what the container says of the pictures. ".y4m" or ".yuv" by the path's ending;
/// "-" is Y4M. Throws Error (usage) for another ending.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_picture_output(
    const std::string& path, video::FrameRate rate, const video::Description& container);
/// One line: the MD5 of all samples, plane after plane, frame after frame, as vpxdec --md5 gives
/// it.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_md5_output(const std::string& path);
/// FFmpeg's framemd5 format, version 2; frames have their numbers as time stamps.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_framemd5_output(
    const std::string& path, video::FrameRate rate, const video::Description& container);
/// Decodes and keeps nothing.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_no_output();

}  // namespace sidecore::cli
