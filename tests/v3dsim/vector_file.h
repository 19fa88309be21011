// A test vector: a dispatch as an ordinary Vulkan program would make it, what its buffers held
// before and what the simulated V3D left in them. Any Vulkan device can be held against it, a
// board's above all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "v3dsim/compute_program.h"

namespace sidecore::v3dsim_client {

struct Vector {
  std::string name;
  /// What it asks of the hardware that nothing fixes; empty where Vulkan fixes every byte.
  std::string probes;
  std::string recorded_on;                       ///< the device's name
  ProgramSpec spec;                              ///< every buffer with its contents
  std::vector<std::vector<std::byte>> expected;  ///< final contents, a buffer each
};

/// Format 1: the line "sidecore-v3dsim-vector-1", one line of JSON (the fields above; buffers by
/// set, binding, kind and size), then, little-endian and without gaps, the SPIR-V, the contents of
/// all buffers before, and those after. Only what the JSON can say is kept: no transfers, images,
/// events or memory offsets. Throws Error as AtomicFile does, and (usage) for such a program.
void write_vector(const Vector& vector, const std::filesystem::path& path);

/// Throws Error (usage), naming the file, when it is not a whole vector of this format.
[[nodiscard]] Vector read_vector(const std::filesystem::path& path);

/// Runs it on the first Vulkan device. One line that says whether every byte is as expected, and
/// where not, how many words of which buffer differ and the first of them.
struct Verdict {
  bool agrees = false;
  std::string text;
};
[[nodiscard]] Verdict replay(const Vector& vector, const VulkanDevice& device);

}  // namespace sidecore::v3dsim_client
