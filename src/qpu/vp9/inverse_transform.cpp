#include "qpu/vp9/inverse_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"
#include "qpu/shader_library.h"
#include "vp9/inverse_transform.interface.h"

namespace sidecore::qpu {
namespace {

// Parts of the work, in the order of their dispatches. Each has shaders for 8 bits and for more,
// most have one for each kind of blocks.
enum Part : std::size_t { k4x4, k8x8, kRows, kColumns, kColumns32, kAdd };
constexpr std::array<std::string_view, 6> kPartNames{"4x4",     "8x8",        "rows",
                                                     "columns", "columns_32", "add"};
constexpr std::string_view kPrefix = "inverse_transform_";

constexpr std::uint32_t kKinds = 5;
constexpr std::uint32_t kRowsOfEntry = 4;

// Null where a part has no blocks of the kind.
const Shader* shader_of(std::size_t part, std::uint32_t kind, int bits) {
  static constexpr std::array<std::string_view, kKinds> kKindNames{
      "_dct", "_adst_columns", "_adst_rows", "_adst", "_corner"};
  const std::string_view kind_name = part == k4x4 || part == kAdd ? "" : kKindNames[kind];
  const std::string name =
      fmt::format("{}{}{}{}", kPrefix, kPartNames[part], kind_name, bits == 8 ? "" : "_hbd");
  const auto embedded = embedded_shaders();
  const auto found = std::ranges::find(embedded, name, &Shader::name);
  return found == embedded.end() ? nullptr : &*found;
}

Specialization specialization_of(std::size_t part, vp9::TransformSize size, std::uint32_t kind,
                                 bool fitting, int bits) {
  const std::uint32_t wide = bits == 8 ? shader::kWrapping : shader::kWrapping32;
  Specialization result{{{shader::kTransformValuesConstant, fitting ? shader::kFitting : wide},
                         {shader::kTransformSizeConstant, size}}};
  if (part == k4x4) result.constants.emplace_back(shader::kTransformKindConstant, kind);
  if (bits != 8) {
    result.constants.emplace_back(shader::kTransformBitsConstant, static_cast<std::uint32_t>(bits));
  }
  return result;
}

std::uint32_t samples_of(vp9::TransformSize size) {
  return std::uint32_t{4} << size;
}
std::size_t coefficients_of(vp9::TransformSize size) {
  return std::size_t{16} << (2 * size);
}

// How many values from the first may be other than 0, for the kinds whose others are.
std::uint32_t corner_of(vp9::TransformSize size) {
  return size == vp9::kTransform8x8 ? 4 : 8;
}

std::uint32_t lanes_log2(std::size_t part, vp9::TransformSize size, int bits) {
  const std::uint32_t deep = bits == 8 ? 0 : 1;
  switch (part) {
    case kRows:
      return 2;
    case kColumns:
      return size + deep;
    case kColumns32:
      return 4 + deep;
    case kAdd:
      return 7;
    default:
      return 0;
  }
}

}  // namespace

std::vector<Shader> InverseTransform::shaders() {
  std::vector<Shader> shaders;
  std::ranges::copy_if(embedded_shaders(), std::back_inserter(shaders),
                       [](const Shader& shader) { return shader.name.starts_with(kPrefix); });
  return shaders;
}

InverseTransform::InverseTransform(Device& device, int bits, std::size_t least_lanes_of_corners,
                                   std::uint32_t most_workgroups)
    : device_(device),
      bits_(bits),
      least_lanes_of_corners_(least_lanes_of_corners),
      most_workgroups_(std::min(most_workgroups, device.limits().max_workgroup_count[0])) {
  if (bits != 8 && bits != 10 && bits != 12) {
    throw usage_error("the QPU's inverse transform is for samples of 8, 10 or 12 bits, not {}",
                      bits);
  }
  for (std::size_t part = 0; part < kPartNames.size(); ++part) {
    for (const auto size :
         {vp9::kTransform4x4, vp9::kTransform8x8, vp9::kTransform16x16, vp9::kTransform32x32}) {
      for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        for (const bool fitting : {true, false}) {
          works_.push_back({.shader = shader_of(part, kind, bits),
                            .specialization = specialization_of(part, size, kind, fitting, bits),
                            .lanes_log2 = lanes_log2(part, size, bits)});
        }
      }
    }
  }
}

void InverseTransform::start() {
  for (Work& work : works_) {
    work.entries.clear();
    work.lanes = 0;
  }
  blocks_.clear();
}

void InverseTransform::reserve(std::size_t blocks, std::size_t coefficient_bytes) {
  if (blocks > shader::kEntryBlock) {  // which is the padding's
    throw usage_error("{} blocks with a residual in a frame; the QPU takes {}", blocks,
                      shader::kEntryBlock);
  }
  device_.reserve(block_buffer_, (blocks + 1) * sizeof(vp9::TransformBlock));
  const std::size_t of_padding = coefficients_of(vp9::kTransform32x32) * coefficient_size();
  device_.reserve(coefficients_, coefficient_bytes + of_padding);
  device_.reserve(residuals_, coefficient_bytes + of_padding);
  coefficient_bytes_ = coefficient_bytes;
}

InverseTransform::Work& InverseTransform::work(std::size_t part, const vp9::TransformBlock& block,
                                               std::uint32_t kind) {
  return works_[((part * vp9::kTransformSizes + block.size) * kKinds + kind) * 2 +
                (block.narrow ? 0 : 1)];
}

InverseTransform::Passes InverseTransform::passes(const vp9::TransformBlock& block) const {
  const std::uint32_t corner = corner_of(block.size);
  const bool few_rows = block.rows <= corner;
  const bool few_columns = block.columns <= corner;
  if (block.size == vp9::kTransform4x4) return {.first = k4x4, .kind = block.type};
  if (block.size == vp9::kTransform8x8 && (bits_ == 8 || block.narrow)) {
    const bool has_corner = block.type == vp9::kDctDct && few_rows && few_columns;
    return {.first = k8x8, .kind = block.type, .corner = has_corner, .few_rows = has_corner};
  }
  const bool has_corners = block.size != vp9::kTransform8x8;
  const std::uint32_t row_type = block.type & shader::kSineRows;
  const std::uint32_t column_type = block.type & shader::kSineColumns;
  return {.first = kRows,
          .kind = row_type,
          .corner = has_corners && row_type == 0 && few_columns,
          .second = block.size == vp9::kTransform32x32 ? kColumns32 : kColumns,
          .second_kind = column_type,
          .few_rows = has_corners && column_type == 0 && few_rows};
}

void InverseTransform::count_corners(const vp9::TransformBlock& block) {
  const Passes of = passes(block);
  const auto count = [&](std::size_t part, std::uint32_t entries) {
    Work& corner = work(part, block, shader::kCorner);
    corner.lanes += std::size_t{entries} << corner.lanes_log2;
  };
  const std::uint32_t rows = of.few_rows ? corner_of(block.size) : samples_of(block.size);
  if (of.corner) count(of.first, of.first == kRows ? rows / kRowsOfEntry : 1);
  if (of.first == kRows && of.few_rows) count(of.second, 1);
}

bool InverseTransform::has_corners(std::size_t part, const vp9::TransformBlock& block) {
  return work(part, block, shader::kCorner).lanes >= least_lanes_of_corners_;
}

template <class Coefficient>
void InverseTransform::take(const vp9::TransformBlock& block, ResidualUse use,
                            const Coefficient* coefficients) {
  const auto entry = static_cast<std::uint32_t>(blocks_.size()) |
                     (use == ResidualUse::store ? shader::kStoreResidual : 0U);
  blocks_.push_back(block);
  const Passes of = passes(block);
  const bool corner = of.corner && has_corners(of.first, block);
  const bool few_rows =
      of.first == kRows ? of.few_rows && has_corners(of.second, block) : corner && of.few_rows;
  const std::uint32_t samples = samples_of(block.size);
  const std::uint32_t rows = few_rows ? corner_of(block.size) : samples;  // that are read
  std::vector<std::uint32_t>& first =
      work(of.first, block, corner ? shader::kCorner : of.kind).entries;
  if (of.first != kRows) {
    first.push_back(entry);
  } else {
    for (std::uint32_t group = 0; group < rows / kRowsOfEntry; ++group) {
      first.push_back(entry + (group << shader::kRowsShift));
    }
    work(of.second, block, few_rows ? shader::kCorner : of.second_kind).entries.push_back(entry);
    if (of.second == kColumns32 && use == ResidualUse::add) {
      vp9::TransformBlock narrow = block;
      narrow.narrow = true;
      work(kAdd, narrow, 0).entries.push_back(entry);
    }
  }
  std::memcpy(coefficients_->as<Coefficient>().data() + block.first_coefficient, coefficients,
              std::size_t{rows} * samples * sizeof(Coefficient));
}

void InverseTransform::pack() {
  // What lanes beyond the last entry read, and drop: nobody writes there meanwhile.
  vp9::TransformBlock padding{};
  padding.first_coefficient = static_cast<std::uint32_t>(coefficient_bytes_ / coefficient_size());
  const auto none = static_cast<std::uint32_t>(blocks_.size()) | shader::kNoEntry;
  blocks_.push_back(padding);
  std::ranges::copy(std::as_bytes(std::span(blocks_)), block_buffer_->bytes().begin());
  entries_ = 0;
  for (Work& work : works_) {
    const std::size_t whole = shader::kTransformLanes >> work.lanes_log2;
    work.entries.resize((work.entries.size() + whole - 1) / whole * whole, none);
    work.first = static_cast<std::uint32_t>(entries_);
    entries_ += work.entries.size();
  }
  device_.reserve(list_buffer_, entries_ * sizeof(std::uint32_t));
  const auto list = list_buffer_->as<std::uint32_t>();
  for (const Work& work : works_) {
    std::ranges::copy(work.entries, list.begin() + work.first);
  }
}

template <class Coefficient>
void InverseTransform::set_blocks(std::span<const vp9::TransformBlock> blocks,
                                  std::span<const ResidualUse> uses,
                                  std::span<const Coefficient> coefficients) {
  start();
  reserve(blocks.size(), coefficients.size_bytes());
  for (const vp9::TransformBlock& block : blocks) count_corners(block);
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    take(blocks[index], uses[index], coefficients.data() + blocks[index].first_coefficient);
  }
  pack();
}

template void InverseTransform::set_blocks(std::span<const vp9::TransformBlock>,
                                           std::span<const ResidualUse>,
                                           std::span<const std::int16_t>);
template void InverseTransform::set_blocks(std::span<const vp9::TransformBlock>,
                                           std::span<const ResidualUse>,
                                           std::span<const std::int32_t>);

void InverseTransform::set_blocks(const vp9::PictureData& picture, const TransformRows& which) {
  start();
  const auto for_each = [&](const auto& visit) {
    for (int row = 0; row < picture.superblock_rows(); ++row) {
      for (int column = 0; column < picture.superblock_columns(); ++column) {
        const vp9::Range range = picture.superblock(row, column);
        for (std::uint32_t index = range.begin; index < range.end; ++index) {
          const vp9::Block& block = picture.blocks[index];
          if (row < (block.is_inter() ? which.inter : which.intra)) continue;
          const ResidualUse use = block.is_inter() ? ResidualUse::add : ResidualUse::store;
          for (std::uint32_t of = 0; of < block.transform_count; ++of) {
            visit(picture.transforms[block.first_transform + of], use);
          }
        }
      }
    }
  };
  std::size_t blocks = 0;
  std::size_t end = 0;
  for_each([&](const vp9::TransformBlock& block, ResidualUse) {
    ++blocks;
    count_corners(block);
    end = std::max(end, block.first_coefficient + coefficients_of(block.size));
  });
  const auto take_all = [&]<class Coefficient>(const Coefficient* coefficients) {
    reserve(blocks, end * sizeof(Coefficient));
    for_each([&](const vp9::TransformBlock& block, ResidualUse use) {
      take(block, use, coefficients + block.first_coefficient);
    });
  };
  if (bits_ == 8) {
    take_all(picture.coefficients<std::int16_t>());
  } else {
    take_all(picture.coefficients<std::int32_t>());
  }
  pack();
}

std::uint32_t InverseTransform::workgroups(const Work& work) const {
  return static_cast<std::uint32_t>((work.entries.size() << work.lanes_log2) /
                                    shader::kTransformLanes);
}

template <class Visit>
void InverseTransform::for_each_dispatch(const Work& work, const Visit& visit) const {
  const std::size_t entries = shader::kTransformLanes >> work.lanes_log2;  // of a workgroup
  const std::uint32_t all = workgroups(work);
  for (std::uint32_t done = 0; done < all;) {
    const std::uint32_t groups = std::min(all - done, most_workgroups_);
    visit(done * entries, (done + groups) * entries);
    done += groups;
  }
}

std::size_t InverseTransform::dispatches() const {
  std::size_t count = 0;
  for (const Work& work : works_) for_each_dispatch(work, [&](auto, auto) { ++count; });
  return count;
}

std::vector<DispatchWork> InverseTransform::work() const {
  std::vector<DispatchWork> work;
  for (std::size_t index = 0; index < works_.size(); ++index) {
    const Work& of = works_[index];
    const bool fitting = index % 2 == 0;
    const auto kind = static_cast<std::uint32_t>(index / 2 % kKinds);
    const std::size_t size = index / 2 / kKinds % vp9::kTransformSizes;
    const std::size_t part = index / 2 / kKinds / vp9::kTransformSizes;
    const std::size_t samples = std::size_t{4} << size;
    std::string name = "rows, then columns";
    if (part == k4x4) name = "";
    if (part == k8x8) name = kind == 0 ? "DCT" : kind == shader::kCorner ? "corner" : "sines";
    if (part == k8x8 && !fitting) name += ", wide";
    for_each_dispatch(of, [&](std::size_t first, std::size_t last) {
      const auto blocks =
          std::count_if(of.entries.begin() + static_cast<std::ptrdiff_t>(first),
                        of.entries.begin() + static_cast<std::ptrdiff_t>(last),
                        [](std::uint32_t entry) { return (entry & shader::kNoEntry) == 0; });
      const bool last_pass = part != kRows && part != kAdd;
      work.push_back({fmt::format("{0}x{0} block", samples), name,
                      last_pass ? static_cast<double>(blocks) : 0});
    });
  }
  return work;
}

void InverseTransform::record(CommandList& list, Buffer& frame, const PicturePlanes& planes) const {
  if (entries_ == 0) return;
  planes.check(frame.size(), PicturePlanes::kVectorAlignment);
  list.upload({block_buffer_.get(), 0, blocks_.size() * sizeof(vp9::TransformBlock)});
  list.upload({list_buffer_.get(), 0, entries_ * sizeof(std::uint32_t)});
  list.upload({coefficients_.get(), 0, coefficient_bytes_});
  const BufferRange bindings[] = {{.buffer = block_buffer_.get()},
                                  {.buffer = list_buffer_.get()},
                                  {.buffer = coefficients_.get()},
                                  {.buffer = residuals_.get()},
                                  {.buffer = &frame}};
  for (const Work& work : works_) {
    if (work.entries.empty()) continue;
    const auto program = device_.program(*work.shader, work.specialization);
    shader::InverseTransformPush push{.first = work.first, .planes = {}, .strides = {}};
    for (std::size_t plane = 0; plane < planes.planes.size(); ++plane) {
      push.planes[plane] = static_cast<std::uint32_t>(planes.planes[plane].offset / 4);
    }
    push.strides[0] = static_cast<std::uint32_t>(planes.planes[0].stride / 4);
    push.strides[1] = static_cast<std::uint32_t>(planes.planes[1].stride / 4);
    for_each_dispatch(work, [&](std::size_t first, std::size_t last) {
      push.first = work.first + static_cast<std::uint32_t>(first);
      const auto groups =
          static_cast<std::uint32_t>(((last - first) << work.lanes_log2) / shader::kTransformLanes);
      list.dispatch(*program, std::span(bindings).first(program->interface().bindings.size()), push,
                    {groups, 1, 1});
    });
  }
}

}  // namespace sidecore::qpu
