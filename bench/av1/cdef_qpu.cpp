#include "av1/cdef_qpu.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "av1/cdef.interface.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
/// Returns the embedded shaders; a generated file defines it.
std::span<const Shader> av1_shaders();
}  // namespace sidecore::qpu

namespace sidecore::av1 {
namespace {

namespace shader = qpu::shader;

const qpu::Shader& shader_of(std::string_view name) {
  return *std::ranges::find(qpu::av1_shaders(), name, &qpu::Shader::name);
}

struct FilterBlock {
  std::uint32_t strengths, filtered_low, filtered_high, unused;
};

using StepWords = std::array<std::int32_t, 4 * shader::kCdefStepVectors>;

std::uint32_t pack(const CdefStrengths& strengths) {
  return std::uint32_t{strengths.luma.primary} << shader::kCdefLumaPrimary |
         std::uint32_t{strengths.luma.secondary} << shader::kCdefLumaSecondary |
         std::uint32_t{strengths.chroma.primary} << shader::kCdefChromaPrimary |
         std::uint32_t{strengths.chroma.secondary} << shader::kCdefChromaSecondary;
}

}  // namespace

CdefQpu::CdefQpu(qpu::Device& device, const video::PictureFormat& format)
    : format_((check_cdef_format(format), format)), layout_(format), grid_(format) {
  const std::vector<qpu::Shader> programs = shaders(format.pixel.bits);
  direction_ = device.program(programs[0], {});
  filter_ = device.program(programs[1], {});
  filter_blocks_ = device.create_buffer(grid_.filter_blocks() * sizeof(FilterBlock));
  blocks_ = device.create_buffer(grid_.filter_blocks() * shader::kCdefFilterBlockLanes * 2 *
                                 sizeof(std::uint32_t));
  steps_ = device.create_buffer(2 * kCdefSteps.size() * sizeof(StepWords));
  fill_steps();
}

std::vector<qpu::Shader> CdefQpu::shaders(int bits) {
  if (bits == 8) return {shader_of("cdef_direction"), shader_of("cdef_filter")};
  return {shader_of("cdef_direction_hbd"), shader_of("cdef_filter_hbd")};
}

void CdefQpu::fill_steps() {
  const auto to = steps_->as<StepWords>();
  const auto sample_bytes = static_cast<std::int32_t>(format_.pixel.bytes_per_sample());
  for (std::size_t chroma = 0; chroma < 2; ++chroma) {
    const auto stride = static_cast<std::int32_t>(layout_.planes[chroma].stride);
    for (std::size_t direction = 0; direction < kCdefSteps.size(); ++direction) {
      StepWords words{};
      for (std::size_t k = 0; k < 6; ++k) {
        constexpr std::array<std::size_t, 3> kTurns{0, 2, 6};
        const auto& [row, column] = kCdefSteps[(direction + kTurns[k / 2]) % 8][k % 2];
        words[k] = row * stride + column * sample_bytes;
        words[6 + k / 4] |= (row + 2 + ((column + 2) << 4)) << (8 * (k % 4));
      }
      to[chroma * kCdefSteps.size() + direction] = words;
    }
  }
}

void CdefQpu::set_frame(const CdefFrame& frame) {
  check_cdef_frame(frame, format_);
  damping_ = static_cast<std::uint32_t>(frame.damping);
  const auto to = filter_blocks_->as<FilterBlock>();
  for (std::size_t index = 0; index < grid_.filter_blocks(); ++index) {
    const std::uint64_t filtered = frame.filtered[index];
    to[index] = {pack(frame.strengths[index]), static_cast<std::uint32_t>(filtered),
                 static_cast<std::uint32_t>(filtered >> 32U), 0};
  }
}

void CdefQpu::record(qpu::CommandList& list, const qpu::BufferRange& from,
                     const qpu::BufferRange& to) const {
  list.upload({.buffer = filter_blocks_.get()});
  list.upload({.buffer = steps_.get()});
  const auto filter_columns = static_cast<std::uint32_t>(grid_.filter_columns);
  const auto columns = static_cast<std::uint32_t>(grid_.columns);
  const auto rows = static_cast<std::uint32_t>(grid_.rows);
  const qpu::BufferRange direction_bindings[] = {
      from, {.buffer = filter_blocks_.get()}, {.buffer = blocks_.get()}};
  list.dispatch(*direction_, direction_bindings,
                shader::CdefDirectionPush{
                    .luma_stride = static_cast<std::uint32_t>(layout_.planes[0].stride / 4),
                    .filter_columns = filter_columns,
                    .damping = damping_},
                {qpu::divide_rounding_up(
                     filter_columns, shader::kCdefDirectionLanes / shader::kCdefFilterBlockLanes),
                 static_cast<std::uint32_t>(grid_.filter_rows), 1});
  const std::uint32_t luma_groups =
      qpu::divide_rounding_up(columns, shader::kCdefFilterLanes / shader::kCdefLumaLanes);
  const std::uint32_t chroma_groups =
      qpu::divide_rounding_up(columns, shader::kCdefFilterLanes / shader::kCdefChromaLanes);
  shader::CdefFilterPush push{.plane_offsets = {},
                              .strides = {},
                              .columns = columns,
                              .rows = rows,
                              .luma_groups = luma_groups,
                              .chroma_groups = chroma_groups,
                              .block_stride = filter_columns * shader::kCdefFilterBlockSide,
                              .last_word = static_cast<std::uint32_t>(layout_.bytes / 4 - 1)};
  for (std::size_t plane = 0; plane < 3; ++plane) {
    push.plane_offsets[plane] = static_cast<std::uint32_t>(layout_.planes[plane].offset);
  }
  for (std::size_t chroma = 0; chroma < 2; ++chroma) {
    push.strides[chroma] = static_cast<std::uint32_t>(layout_.planes[chroma].stride);
  }
  const qpu::BufferRange filter_bindings[] = {
      from, to, {.buffer = blocks_.get()}, {.buffer = steps_.get()}};
  const std::uint32_t chroma_planes = format_.pixel.planes() == 1 ? 0 : 2;
  list.dispatch(*filter_, filter_bindings, push,
                {luma_groups + chroma_planes * chroma_groups, rows, 1});
}

}  // namespace sidecore::av1
