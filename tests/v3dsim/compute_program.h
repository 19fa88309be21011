// One compute shader run once on the first Vulkan device, with plain Vulkan 1.1 calls: the same
// program runs on lavapipe and, compiled for 64-bit ARM, on the Pi's driver over the simulated V3D.
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
  bool uniform = false;  ///< else a storage buffer
  std::uint32_t bytes = 4;
  std::uint64_t seed = 0;           ///< of its first contents; 0: zeros
  std::uint32_t mask = 0xffffffff;  ///< ANDed to every word of them
  std::vector<std::byte> contents;  ///< its first contents, instead of seed and mask, if not empty
};

/// A storage image of 32-bit words; the simulator refuses whatever touches one.
struct ImageSpec {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t width = 0;  ///< 0: no image
  std::uint32_t height = 0;
};

/// What is recorded for the image before the dispatch.
enum class ImageJob : std::uint8_t { none, clear, copy_from_buffer };

struct TransferSpec {
  std::uint32_t count = 0;  ///< random copies, fills and updates between the storage buffers
  std::uint64_t seed = 0;
};

struct ProgramSpec {
  std::vector<std::uint32_t> spirv;  ///< empty: no dispatch
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> base{0, 0, 0};  ///< vkCmdDispatchBase
  bool indirect = false;
  bool robust = false;          ///< robustBufferAccess
  bool wait_for_event = false;  ///< set, and waited for, on the device before the dispatch
  std::uint32_t dispatches = 1;
  std::uint32_t repeats = 1;  ///< of the whole submission, from the first contents
  std::vector<BufferSpec> buffers;
  std::vector<std::uint32_t> push_words;
  std::uint32_t push_step = 0;  ///< added to the first of these for each further dispatch
  bool push_addresses =
      false;  ///< device addresses of the buffers, 64 bits each, before push_words
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants;  ///< specialization: id, value
  TransferSpec transfers;
  std::uint32_t memory_offset = 0;    ///< of every storage buffer in its memory; a multiple of 256
  std::optional<std::uint32_t> fill;  ///< vkCmdFillBuffer of the whole first buffer before the rest
  ImageSpec image;
  ImageJob image_job = ImageJob::none;
  bool compile_only = false;
};

class VulkanDevice;

struct ProgramResult {
  std::string device;
  /// Final contents, in the order of the request; with a memory offset, of the whole memory.
  std::vector<std::vector<std::byte>> buffers;
  std::uint64_t gpu_ns = 0;              ///< between timestamps around the dispatches
  std::uint64_t submit_to_fence_ns = 0;  ///< median of the repeats
  std::vector<std::pair<std::string, std::uint64_t>>
      statistics;  ///< of the executable; compile_only
};

/// The words of a SPIR-V file. Throws Error (usage).
[[nodiscard]] std::vector<std::uint32_t> read_spirv(const std::string& path);

/// The contents that the request's seeds and masks stand for, where it names none itself.
void materialize(ProgramSpec& spec);

/// Throws Error: usage for a bad request, failed for a lost device, environment for the rest.
[[nodiscard]] ProgramResult run_program(const ProgramSpec& spec);
/// On a device that is there; it has robustBufferAccess where the program wants it.
[[nodiscard]] ProgramResult run_program(const ProgramSpec& spec, const VulkanDevice& device);

}  // namespace sidecore::v3dsim_client
