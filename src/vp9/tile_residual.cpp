// Parses the residual of a block: which transform blocks have coefficients, and the coefficients.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vp9/block_tables.h"
#include "vp9/scan_tables.h"
#include "vp9/tile_parser.h"

namespace sidecore::vp9 {

namespace {

constexpr TransformType kTypeOfMode[kIntraModes] = {kDctDct,   kAdstDct, kDctAdst, kDctDct,
                                                    kAdstAdst, kAdstDct, kDctAdst, kDctAdst,
                                                    kAdstDct,  kAdstAdst};

/// Word with one byte-sized flag for each 4x4 block along a transform block's side.
template <TransformSize Size>
using Flags = std::conditional_t<
    Size == kTransform4x4, std::uint8_t,
    std::conditional_t<Size == kTransform8x8, std::uint16_t,
                       std::conditional_t<Size == kTransform16x16, std::uint32_t, std::uint64_t>>>;

template <TransformSize Size>
bool any_set(const std::uint8_t* flags) {
  Flags<Size> word = 0;
  std::memcpy(&word, flags, sizeof(word));
  return word != 0;
}

template <TransformSize Size>
void set_all(std::uint8_t* flags, bool value) {
  constexpr auto kOnes = static_cast<Flags<Size>>(0x0101010101010101);
  const auto word = static_cast<Flags<Size>>(value ? kOnes : 0);
  std::memcpy(flags, &word, sizeof(word));
}

}  // namespace

void TileParser::read_residual(const Block& block) {
  if (frame_->header.pixel.bits == 8) {
    read_planes<std::int16_t>(block, block.transform, 0, 1);
    read_planes<std::int16_t>(block, block.chroma_transform, 1, 3);
  } else {
    read_planes<std::int32_t>(block, block.transform, 0, 1);
    read_planes<std::int32_t>(block, block.chroma_transform, 1, 3);
  }
}

template <class Coefficient>
void TileParser::read_planes(const Block& block, TransformSize size, int first, int end) {
  switch (size) {
    case kTransform4x4:
      return read_planes<Coefficient, kTransform4x4>(block, first, end);
    case kTransform8x8:
      return read_planes<Coefficient, kTransform8x8>(block, first, end);
    case kTransform16x16:
      return read_planes<Coefficient, kTransform16x16>(block, first, end);
    default:
      return read_planes<Coefficient, kTransform32x32>(block, first, end);
  }
}

template <class Coefficient, TransformSize Size>
void TileParser::read_planes(const Block& block, int first, int end) {
  const FrameHeader& header = frame_->header;
  const bool chroma = first > 0;
  constexpr int kStep = 1 << Size;
  // Sizes below are in 4x4 blocks of the plane. Transform blocks beyond the frame are not coded.
  const Subsampling sampling = header.subsampling(first);
  const int per_column = 2 >> sampling.x;
  const int per_row = 2 >> sampling.y;
  const int wide = kWidthIn8[block.size] * per_column;
  const int high = kHeightIn8[block.size] * per_row;
  const int visible_wide = std::min(wide, (picture_->columns() - block.column) * per_column);
  const int visible_high = std::min(high, (picture_->rows() - block.row) * per_row);
  const int left_x = block.column * per_column;
  const int top_y = block.row * per_row;

  const QuantizerSteps& steps = frame_->segments[block.segment].quantizer;
  const TokenContext context{
      .size = Size,
      .dc_step = steps[chroma][0],
      .ac_step = steps[chroma][1],
      .bits = header.pixel.bits,
      .probabilities = frame_->probabilities.coefficients[Size][chroma][block.is_inter()],
      .counts = header.adapts() ? counts_.tokens[Size][chroma][block.is_inter()] : nullptr};
  for (int plane = first; plane < end; ++plane) {
    const auto index = static_cast<std::size_t>(plane);
    std::uint8_t* const above = above_->nonzero[index].data() + left_x;
    std::uint8_t* const left =
        left_.nonzero[index].data() + block.row % kUnitsInSuperblock * per_row;
    for (int y = 0; y < visible_high; y += kStep) {
      bool nonzero = any_set<Size>(left + y);
      for (int x = 0; x < visible_wide; x += kStep) {
        const int first_context = int{any_set<Size>(above + x)} + int{nonzero};
        nonzero = read_any_coefficients(decoder_, context, first_context);
        set_all<Size>(above + x, nonzero);
        if (nonzero) {
          read_transform<Coefficient, Size>(block, context, plane, left_x + x, top_y + y,
                                            first_context);
        }
      }
      set_all<Size>(left + y, nonzero);
    }
    // Blocks beyond the frame have no coefficients.
    if (visible_wide < wide) std::fill(above + visible_wide, above + wide, std::uint8_t{0});
    if (visible_high < high) std::fill(left + visible_high, left + high, std::uint8_t{0});
  }
}

/// Reads the coefficients of the transform block at `x` and `y`, in 4x4 blocks of the plane. It is
/// not inlined, because the loop above has no registers to spare.
template <class Coefficient, TransformSize Size>
[[gnu::noinline]] void TileParser::read_transform(const Block& block, const TokenContext& context,
                                                  int plane, int x, int y, int first_context) {
  constexpr std::size_t kCoefficients = std::size_t{16} << (2 * Size);
  TransformType type = kDctDct;
  if (frame_->header.quantization.lossless()) {
    type = kWalshHadamard;
  } else if (Size != kTransform32x32 && plane == 0 && !block.is_inter()) {
    const int sub_block = (y & 1) * 2 + (x & 1);
    type = kTypeOfMode[block.modes[static_cast<std::size_t>(sub_block)]];
  }
  const std::uint64_t first_coefficient = column_->next_coefficient;
  Coefficient* const place = picture_->coefficients<Coefficient>() + first_coefficient;
  // Another processor's memory may be slow to write in random order, so the block is built in the
  // cache.
  const ResidualMemory& apart = picture_->residual_memory();
  const bool is_apart = apart.owner != nullptr;
  std::array<Coefficient, kCoefficients> block_of_its_own;  // NOLINT: set below where it is used
  Coefficient* const coefficients = is_apart ? block_of_its_own.data() : place;
  std::fill_n(coefficients, kCoefficients, Coefficient{0});
  const CoefficientExtent extent =
      read_coefficients(decoder_, context, kScans[Size][type], first_context, coefficients);
  TransformBlock& transform = picture_->transforms[column_->transforms.end];
  transform = {.first_coefficient = static_cast<std::uint32_t>(first_coefficient),
               .x = static_cast<std::uint16_t>(x * 4),
               .y = static_cast<std::uint16_t>(y * 4),
               .end = static_cast<std::uint16_t>(extent.end),
               .rows = static_cast<std::uint8_t>(extent.rows),
               .columns = static_cast<std::uint8_t>(extent.columns),
               .narrow = extent.sum <= TransformBlock::kNarrowSum,
               .plane = static_cast<std::uint8_t>(plane),
               .size = Size,
               .type = type};
  if (is_apart) {
    std::copy_n(coefficients, kCoefficients, place);
    apart.transforms[column_->transforms.end] = transform;
  }
  ++column_->transforms.end;
  column_->next_coefficient = first_coefficient + kCoefficients;
}

}  // namespace sidecore::vp9
