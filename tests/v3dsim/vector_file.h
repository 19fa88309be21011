// A test vector: a dispatch as an ordinary Vulkan program makes it, and its buffers before and
// after the run on the simulated V3D. The results of any Vulkan device can be compared with it, in
// particular those of a board.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "v3dsim/compute_program.h"

namespace sidecore::v3dsim_client {

struct Vector {
  std::string name;
  /// Name of the hardware behaviour that the vector probes because no specification fixes it; empty
  /// if Vulkan fixes every byte.
  std::string probes;
  std::string recorded_on;  ///< name of the device that recorded the vector
  ProgramSpec spec;         ///< the program, and all buffers with their initial contents
  std::vector<std::vector<std::byte>> expected;  ///< final contents, one entry per buffer
};

/// Writes format 1: the line "sidecore-v3dsim-vector-1", one line of JSON (the fields above;
/// buffers by set, binding, kind and size), then, little-endian and without gaps, the SPIR-V, the
/// contents of all buffers before, and those after. Only what the JSON can express is kept: no
/// transfers, images, events or memory offsets. Throws Error (usage) for a program with these,
/// otherwise as AtomicFile does.
void write_vector(const Vector& vector, const std::filesystem::path& path);

/// Reads a vector. Throws Error (usage), naming the file, unless the file holds a complete vector
/// of this format.
[[nodiscard]] Vector read_vector(const std::filesystem::path& path);

/// Result of a replay. `text` is one line: whether every byte is as expected, and if not, how many
/// words of which buffer differ, and the first one.
struct Verdict {
  bool agrees = false;
  std::string text;
};
[[nodiscard]] Verdict replay(const Vector& vector, const VulkanDevice& device);

}  // namespace sidecore::v3dsim_client
