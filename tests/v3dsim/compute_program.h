// Runs one compute shader once on the first Vulkan device, with plain Vulkan 1.1 calls. The same
// program runs on lavapipe and, compiled for 64-bit ARM, on the Pi's driver with the simulated V3D.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sidecore::v3dsim_client {

struct BufferSpec {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  bool uniform = false;  ///< true for a uniform buffer, false for a storage buffer
  std::uint32_t bytes = 4;
  std::uint64_t seed = 0;           ///< seed of its initial contents; 0 gives zeros
  std::uint32_t mask = 0xffffffff;  ///< bit mask, ANDed with every word of the initial contents
  std::vector<std::byte> contents;  ///< initial contents; if not empty, replaces seed and mask
};

/// Storage image of 32-bit words; the simulator rejects every access to such an image.
struct ImageSpec {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t width = 0;  ///< width in words; 0 if there is no image
  std::uint32_t height = 0;
};

/// Command recorded for the image before the dispatch.
enum class ImageJob : std::uint8_t { none, clear, copy_from_buffer };

struct TransferSpec {
  /// Number of random copies, fills and updates between the storage buffers.
  std::uint32_t count = 0;
  std::uint64_t seed = 0;
};

struct ProgramSpec {
  std::vector<std::uint32_t> spirv;  ///< SPIR-V words; no dispatch is recorded if there are none
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> base{0, 0, 0};  ///< first workgroup, for vkCmdDispatchBase
  bool indirect = false;
  bool robust = false;  ///< if set, enables robustBufferAccess
  /// If true, an event is set before the dispatch, and the device waits for it.
  bool wait_for_event = false;
  std::uint32_t dispatches = 1;
  /// Number of submissions of the commands, each from the initial contents.
  std::uint32_t repeats = 1;
  std::vector<BufferSpec> buffers;
  std::vector<std::uint32_t> push_words;
  std::uint32_t push_step = 0;  ///< value added to the first push word for each further dispatch
  bool push_addresses =
      false;  ///< if set, the buffers' device addresses, 64 bits each, precede push_words
  /// Specialization constants, each as its id and its value.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants;
  TransferSpec transfers;
  /// Offset of every storage buffer in its memory, in bytes; a multiple of 256.
  std::uint32_t memory_offset = 0;
  /// Word that vkCmdFillBuffer writes to the whole first buffer before everything else.
  std::optional<std::uint32_t> fill;
  ImageSpec image;
  ImageJob image_job = ImageJob::none;
  bool compile_only = false;
};

class VulkanDevice;

struct ProgramResult {
  std::string device;
  /// Final contents of the buffers, in the order of ProgramSpec::buffers. If memory_offset is set,
  /// each element has the whole memory, from offset 0.
  std::vector<std::vector<std::byte>> buffers;
  std::uint64_t gpu_ns = 0;  ///< time between the timestamps around the dispatches, in ns
  /// Median over the repeats of the time from submission to fence, in ns.
  std::uint64_t submit_to_fence_ns = 0;
  std::vector<std::pair<std::string, std::uint64_t>>
      statistics;  ///< statistics of the executable; filled only with compile_only
};

/// Reads the words of a SPIR-V file. Throws Error (usage).
[[nodiscard]] std::vector<std::uint32_t> read_spirv(const std::string& path);

/// Fills the contents of buffers that have none, from their seeds and masks.
void materialize(ProgramSpec& spec);

/// Runs a program on the first device. Throws Error: usage for a bad request, failed for a lost
/// device, otherwise environment.
[[nodiscard]] ProgramResult run_program(const ProgramSpec& spec);
/// Runs a program on an open device, which must have robustBufferAccess if the program needs it.
[[nodiscard]] ProgramResult run_program(const ProgramSpec& spec, const VulkanDevice& device);

}  // namespace sidecore::v3dsim_client
