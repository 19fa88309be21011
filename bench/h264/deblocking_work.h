// Pictures to deblock: random ones, and those captured from a stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "h264/deblocking.h"

namespace sidecore::h264 {

/// A picture before deblocking.
struct DeblockingWork {
  video::Picture picture;
  std::vector<Macroblock> macroblocks;  ///< pass check_macroblocks()
};

/// Returns macroblocks as a stream could have them: intra, inter and skipped ones, with transforms
/// of both sizes. All indices are `index`, or random. `format` must have whole macroblocks.
[[nodiscard]] std::vector<Macroblock> random_macroblocks(const video::PictureFormat& format,
                                                         std::optional<int> index,
                                                         std::uint64_t seed);

/// Returns true if the file begins as write_capture() begins it.
[[nodiscard]] bool is_capture(const std::filesystem::path& path);
/// Reads a file of write_capture(). Throws Error (usage) if it is damaged.
[[nodiscard]] DeblockingWork read_capture(const std::filesystem::path& path);
/// Writes a picture to a file that is complete or absent. Throws Error (environment).
void write_capture(const std::filesystem::path& path, const DeblockingWork& work);

}  // namespace sidecore::h264
