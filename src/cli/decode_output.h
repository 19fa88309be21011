// Outputs for decoded frames: picture files, checksums, or nothing.
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
  /// Writes a frame. `number` is its time in frames (frame_numbers.h). Throws Error if the frame's
  /// format does not fit the frames before it, or if it cannot be written.
  virtual void write(const vp9::FrameBuffer& frame, std::int64_t number) = 0;
  /// Completes the output: only now does its file appear under its name.
  virtual void finish() = 0;
  /// Completes the output after an error in the input, with the frames written so far. An MD5 of
  /// all frames is not written.
  virtual void finish_part() = 0;
  /// Returns true if the output goes to standard output.
  [[nodiscard]] virtual bool on_standard_output() const = 0;
};

/// Makes an output of pictures. The path's ending, ".y4m" or ".yuv", selects the format; "-" writes
/// Y4M to standard output. `container` describes the pictures as their container does. Throws Error
/// (usage) for another ending.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_picture_output(
    const std::string& path, video::FrameRate rate, const video::Description& container);
/// Makes an output of one line: the MD5 of all samples, plane after plane and frame after frame.
/// vpxdec --md5 prints the same MD5.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_md5_output(const std::string& path);
/// Makes an output in FFmpeg's framemd5 format, version 2. Each frame's time stamp is its number.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_framemd5_output(
    const std::string& path, video::FrameRate rate, const video::Description& container);
/// Makes an output that drops the frames.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_no_output();

}  // namespace sidecore::cli
