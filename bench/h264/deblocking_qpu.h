// Deblocking of H.264 on the QPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "h264/deblocking.h"
#include "h264/deblocking.interface.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"

namespace sidecore::h264 {

/// Returns the shader that record_deblocking() dispatches.
[[nodiscard]] const qpu::Shader& deblocking_shader();

/// Number of words of a packed macroblock.
inline constexpr std::size_t kPackedWords = shader::kMacroblockWords;
/// Packs macroblocks as the shader reads them. `words` must have room for them.
void pack_macroblocks(std::span<const Macroblock> macroblocks, std::span<std::uint32_t> words);

/// Records the deblocking of a picture in device memory: one dispatch of one workgroup. `picture`
/// has the layout of video::PictureLayout. Makes a buffer for the packed macroblocks, which the
/// list keeps. Throws Error (usage) as check_macroblocks() does.
void record_deblocking(qpu::Device& device, qpu::CommandList& list, const qpu::BufferRange& picture,
                       const video::PictureFormat& format, std::span<const Macroblock> macroblocks);

}  // namespace sidecore::h264
