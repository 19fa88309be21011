#include "qpu/vp9/inverse_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"
#include "qpu/shader_library.h"
#include "vp9/inverse_transform.interface.h"

namespace sidecore::qpu {
namespace {

// Parts of the work, in the order of their dispatches. Each part has shaders for 8 bits and for
// higher depths; most have one shader per kind of block.
enum Part : std::size_t { k4x4, k8x8, kRows, kColumns, kColumns32, kAdd };
constexpr std::array<std::string_view, 6> kPartNames{"4x4",     "8x8",        "rows",
                                                     "columns", "columns_32", "add"};
constexpr std::string_view kPrefix = "inverse_transform_";

constexpr std::uint32_t kKinds = 5;
constexpr std::uint32_t kRowsOfEntry = 4;

// Returns null if a part has no blocks of the kind.
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
  Specialization result{{{shader::kTransformValueRangeConstant, fitting ? shader::kFitting : wide},
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

// Returns the side of the corner in coefficients: outside it, corner blocks are 0.
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

// Calls visit(index, use) for the transform blocks that `which` selects in a picture; `use` depends
// on the block's prediction.
template <class Visit>
void for_each_transform(const vp9::PictureData& picture, const TransformRows& which,
                        const Visit& visit) {
  for (int row = 0; row < picture.superblock_rows(); ++row) {
    for (int column = 0; column < picture.superblock_columns(); ++column) {
      const vp9::Range range = picture.superblock(row, column);
      for (std::uint32_t index = range.begin; index < range.end; ++index) {
        const vp9::Block& block = picture.blocks[index];
        if (row < (block.is_inter() ? which.inter : which.intra)) continue;
        const ResidualUse use = block.is_inter() ? ResidualUse::add : ResidualUse::store;
        const std::uint32_t end = block.first_transform + block.transform_count;
        for (std::uint32_t of = block.first_transform; of < end; ++of) visit(of, use);
      }
    }
  }
}

// Size of the padding that lanes after the last entry read from coefficients and residuals and then
// discard. Nothing else writes to the padding.
constexpr std::size_t kPaddingBytes = 32 * 32 * sizeof(std::int32_t);

std::size_t padded(std::size_t coefficient_bytes) {
  return coefficient_bytes + kPaddingBytes;
}
std::size_t bytes_of_blocks(std::size_t blocks) {
  return (blocks + 1) * sizeof(vp9::TransformBlock);
}

}  // namespace

ParsedResidual ParsedResidual::create(Device& device, std::size_t coefficient_bytes,
                                      std::size_t blocks) {
  return {device.create_buffer(padded(coefficient_bytes)),
          device.create_buffer(bytes_of_blocks(blocks))};
}

bool ParsedResidual::fits(const DeviceLimits& limits, std::size_t coefficient_bytes,
                          std::size_t blocks) {
  const std::size_t most = limits.max_storage_buffer_range;
  return padded(coefficient_bytes) <= most && bytes_of_blocks(blocks) <= most &&
         blocks <= shader::kEntryBlock;
}

bool ParsedResidual::has_room(std::size_t coefficient_bytes, std::size_t blocks_to_come) const {
  return padded(coefficient_bytes) <= coefficients->size() &&
         bytes_of_blocks(blocks_to_come) <= blocks->size();
}

std::vector<Shader> InverseTransform::shaders() {
  std::vector<Shader> shaders;
  std::ranges::copy_if(embedded_shaders(), std::back_inserter(shaders),
                       [](const Shader& shader) { return shader.name.starts_with(kPrefix); });
  return shaders;
}

InverseTransform::InverseTransform(Device& device, int bits, std::size_t min_corner_lanes,
                                   std::uint32_t most_workgroups)
    : device_(device),
      bits_(bits),
      min_corner_lanes_(min_corner_lanes),
      most_workgroups_(std::min(most_workgroups, device.limits().max_workgroup_count[0])) {
  if (bits != 8 && bits != 10 && bits != 12) {
    throw usage_error("the QPU's inverse transform supports 8, 10 or 12 bits, not {}", bits);
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
    work.most = 0;
    work.count = 0;
    work.lanes = 0;
  }
  uploads_.clear();
  packed_bytes_ = 0;
}

InverseTransform::Work& InverseTransform::work(std::size_t part, const vp9::TransformBlock& block,
                                               std::uint32_t kind) {
  return works_[((part * vp9::kTransformSizes + block.size) * kKinds + kind) * 2 +
                (block.narrow ? 0 : 1)];
}

InverseTransform::Work& InverseTransform::adding_work(const vp9::TransformBlock& block) {
  vp9::TransformBlock narrow = block;
  narrow.narrow = true;
  return work(kAdd, narrow, 0);
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

void InverseTransform::count(const vp9::TransformBlock& block, ResidualUse use) {
  const Passes of = passes(block);
  // Room for corners is reserved in two lists, that of corners and that of whole blocks of their
  // kind, because corners may join whole blocks of their kind.
  const auto count_pass = [&](std::size_t part, std::uint32_t kind, std::size_t entries,
                              std::size_t of_corner) {
    work(part, block, kind).most += entries;
    if (of_corner == 0) return;
    Work& corner = work(part, block, shader::kCorner);
    corner.most += entries;
    corner.lanes += of_corner << corner.lanes_log2;
  };
  if (of.first != kRows) return count_pass(of.first, of.kind, 1, of.corner ? 1 : 0);
  const std::uint32_t samples = samples_of(block.size);
  const std::uint32_t rows = of.few_rows ? corner_of(block.size) : samples;
  count_pass(of.first, of.kind, samples / kRowsOfEntry, of.corner ? rows / kRowsOfEntry : 0);
  count_pass(of.second, of.second_kind, 1, of.few_rows ? 1 : 0);
  if (of.second == kColumns32 && use == ResidualUse::add) ++adding_work(block).most;
}

void InverseTransform::lay_out() {
  std::size_t entries = 0;
  for (Work& work : works_) {
    const std::size_t whole = shader::kTransformLanes >> work.lanes_log2;
    work.first = entries;
    entries += (work.most + whole - 1) / whole * whole;
  }
  device_.reserve(list_buffer_, entries * sizeof(std::uint32_t));
}

bool InverseTransform::has_corners(std::size_t part, const vp9::TransformBlock& block) {
  return work(part, block, shader::kCorner).lanes >= min_corner_lanes_;
}

std::uint32_t InverseTransform::add(const vp9::TransformBlock& block, ResidualUse use,
                                    std::uint32_t number) {
  const std::uint32_t entry = number | (use == ResidualUse::store ? shader::kStoreResidual : 0U);
  std::uint32_t* const list = list_buffer_->as<std::uint32_t>().data();
  const auto put = [list](Work& work, std::uint32_t what) {
    list[work.first + work.count++] = what;
  };
  const Passes of = passes(block);
  const bool corner = of.corner && has_corners(of.first, block);
  const bool few_rows =
      of.first == kRows ? of.few_rows && has_corners(of.second, block) : corner && of.few_rows;
  const std::uint32_t rows = few_rows ? corner_of(block.size) : samples_of(block.size);
  Work& first = work(of.first, block, corner ? shader::kCorner : of.kind);
  if (of.first != kRows) {
    put(first, entry);
    return rows;
  }
  for (std::uint32_t group = 0; group < rows / kRowsOfEntry; ++group) {
    put(first, entry + (group << shader::kRowsShift));
  }
  put(work(of.second, block, few_rows ? shader::kCorner : of.second_kind), entry);
  if (of.second == kColumns32 && use == ResidualUse::add) put(adding_work(block), entry);
  return rows;
}

void InverseTransform::finish(std::uint32_t padding, std::size_t first_coefficient) {
  vp9::TransformBlock none{};
  none.first_coefficient = static_cast<std::uint32_t>(first_coefficient);
  residual_.blocks->as<vp9::TransformBlock>()[padding] = none;
  upload(*residual_.blocks, padding, padding + std::size_t{1}, sizeof(none));
  device_.reserve(residuals_, residual_.coefficients->size());
  const auto list = list_buffer_->as<std::uint32_t>();
  for (Work& work : works_) {
    if (work.count == 0) continue;
    const std::size_t whole = shader::kTransformLanes >> work.lanes_log2;
    while (work.count % whole != 0) list[work.first + work.count++] = padding | shader::kNoEntry;
    upload(*list_buffer_, work.first, work.first + work.count, sizeof(list[0]));
  }
}

void InverseTransform::upload(Buffer& buffer, std::size_t begin, std::size_t end,
                              std::size_t bytes) {
  if (begin < end) uploads_.push_back({&buffer, begin * bytes, (end - begin) * bytes});
}

template <class Coefficient, class ForEach>
void InverseTransform::copy_all(const Coefficient* coefficients, const ForEach& for_each) {
  start();
  std::size_t blocks = 0;
  std::size_t end = 0;
  for_each([&](const vp9::TransformBlock& block, ResidualUse use) {
    ++blocks;
    count(block, use);
    end = std::max(end, block.first_coefficient + coefficients_of(block.size));
  });
  if (blocks > shader::kEntryBlock) {
    throw environment_error("a frame has {} blocks with a residual; the QPU supports at most {}",
                            blocks, shader::kEntryBlock);
  }
  lay_out();
  device_.reserve(copied_.coefficients, padded(end * sizeof(Coefficient)));
  device_.reserve(copied_.blocks, bytes_of_blocks(blocks));
  residual_ = copied_;
  const auto to = residual_.coefficients->as<Coefficient>();
  const auto to_blocks = residual_.blocks->as<vp9::TransformBlock>();
  std::uint32_t number = 0;
  for_each([&](const vp9::TransformBlock& block, ResidualUse use) {
    to_blocks[number] = block;
    const std::size_t samples = std::size_t{add(block, use, number)} * samples_of(block.size);
    ++number;
    std::copy_n(coefficients + block.first_coefficient, samples,
                to.begin() + block.first_coefficient);
    packed_bytes_ += sizeof(block) + samples * sizeof(Coefficient);
  });
  upload(*residual_.blocks, 0, number, sizeof(vp9::TransformBlock));
  upload(*residual_.coefficients, 0, end, sizeof(Coefficient));
  finish(number, end);
}

template <class Coefficient>
void InverseTransform::set_blocks(std::span<const vp9::TransformBlock> blocks,
                                  std::span<const ResidualUse> uses,
                                  std::span<const Coefficient> coefficients) {
  copy_all(coefficients.data(), [&](const auto& visit) {
    for (std::size_t index = 0; index < blocks.size(); ++index) visit(blocks[index], uses[index]);
  });
}

template void InverseTransform::set_blocks(std::span<const vp9::TransformBlock>,
                                           std::span<const ResidualUse>,
                                           std::span<const std::int16_t>);
template void InverseTransform::set_blocks(std::span<const vp9::TransformBlock>,
                                           std::span<const ResidualUse>,
                                           std::span<const std::int32_t>);

void InverseTransform::set_blocks(const vp9::PictureData& picture, const TransformRows& which) {
  const auto for_each = [&](const auto& visit) {
    for_each_transform(picture, which, [&](std::uint32_t index, ResidualUse use) {
      visit(picture.transforms[index], use);
    });
  };
  if (bits_ == 8) {
    copy_all(picture.coefficients<std::int16_t>(), for_each);
  } else {
    copy_all(picture.coefficients<std::int32_t>(), for_each);
  }
}

void InverseTransform::set_blocks(const vp9::PictureData& picture, const ParsedResidual& residual) {
  start();
  for_each_transform(picture, {}, [&](std::uint32_t index, ResidualUse use) {
    count(picture.transforms[index], use);
  });
  lay_out();
  residual_ = residual;
  for_each_transform(picture, {}, [&](std::uint32_t index, ResidualUse use) {
    add(picture.transforms[index], use, index);
  });
  for (const vp9::TileColumn& tile : picture.tile_columns) {
    upload(*residual_.blocks, tile.transforms.begin, tile.transforms.end,
           sizeof(vp9::TransformBlock));
    upload(*residual_.coefficients, tile.first_coefficient(), tile.next_coefficient,
           coefficient_size());
  }
  const std::size_t room = residual_.coefficients->size() - kPaddingBytes;
  const auto last = residual_.blocks->as<vp9::TransformBlock>().size() - 1;
  finish(static_cast<std::uint32_t>(last), room / coefficient_size());
}

std::uint32_t InverseTransform::workgroups(const Work& work) const {
  return static_cast<std::uint32_t>((work.count << work.lanes_log2) / shader::kTransformLanes);
}

template <class Visit>
void InverseTransform::for_each_dispatch(const Work& work, const Visit& visit) const {
  // Number of entries per workgroup.
  const std::size_t entries = shader::kTransformLanes >> work.lanes_log2;
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
      const auto entries =
          list_buffer_->as<std::uint32_t>().subspan(of.first + first, last - first);
      const auto blocks = std::ranges::count_if(
          entries, [](std::uint32_t entry) { return (entry & shader::kNoEntry) == 0; });
      const bool last_pass = part != kRows && part != kAdd;
      work.push_back({fmt::format("{0}x{0} block", samples), name,
                      last_pass ? static_cast<double>(blocks) : 0});
    });
  }
  return work;
}

void InverseTransform::record(CommandList& list, Buffer& frame, const PicturePlanes& planes) const {
  if (dispatches() == 0) return;
  planes.check(frame.size(), PicturePlanes::kVectorAlignment);
  for (const BufferRange& range : uploads_) list.upload(range);
  const BufferRange bindings[] = {{.buffer = residual_.blocks.get()},
                                  {.buffer = list_buffer_.get()},
                                  {.buffer = residual_.coefficients.get()},
                                  {.buffer = residuals_.get()},
                                  {.buffer = &frame}};
  for (const Work& work : works_) {
    if (work.count == 0) continue;
    const auto program = device_.program(*work.shader, work.specialization);
    shader::InverseTransformPush push{
        .first = static_cast<std::uint32_t>(work.first), .planes = {}, .strides = {}};
    for (std::size_t plane = 0; plane < planes.planes.size(); ++plane) {
      push.planes[plane] = static_cast<std::uint32_t>(planes.planes[plane].offset / 4);
    }
    push.strides[0] = static_cast<std::uint32_t>(planes.planes[0].stride / 4);
    push.strides[1] = static_cast<std::uint32_t>(planes.planes[1].stride / 4);
    for_each_dispatch(work, [&](std::size_t first, std::size_t last) {
      push.first = static_cast<std::uint32_t>(work.first + first);
      const auto groups =
          static_cast<std::uint32_t>(((last - first) << work.lanes_log2) / shader::kTransformLanes);
      list.dispatch(*program, std::span(bindings).first(program->interface().bindings.size()), push,
                    {groups, 1, 1});
    });
  }
}

}  // namespace sidecore::qpu
