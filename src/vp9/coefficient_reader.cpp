#include "vp9/coefficient_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

enum class ScanKind { diagonal, row, column };

/// A coefficient's place, and the two decoded before it that make its context.
struct ScanStep {
  std::uint16_t position;
  std::array<std::uint16_t, 2> neighbours;
};
using Scan = std::vector<ScanStep>;

Scan make_scan(std::span<const std::uint16_t> order, int log2_size, ScanKind kind) {
  const unsigned size = 1U << log2_size;
  Scan scan;
  scan.reserve(order.size());
  for (const std::uint16_t position : order) {
    const unsigned row = position >> log2_size;
    const unsigned column = position % size;
    const auto above = static_cast<std::uint16_t>(row > 0 ? position - size : 0);
    const auto left = static_cast<std::uint16_t>(column > 0 ? position - 1U : 0);
    // Along the direction in which energy falls off slowly only that neighbour counts, twice.
    const bool only_above = column == 0 || (kind == ScanKind::column && row > 0);
    const bool only_left = row == 0 || (kind == ScanKind::row && column > 0);
    scan.push_back({position, {only_left ? left : above, only_above ? above : left}});
  }
  return scan;
}

/// [size][kind of scan]
const Scan& scan_of(TransformSize size, TransformType type) {
  static const std::array<std::array<Scan, 3>, kTransformSizes> kScans = {{
      {make_scan(kDefaultScan4x4, 2, ScanKind::diagonal), make_scan(kRowScan4x4, 2, ScanKind::row),
       make_scan(kColScan4x4, 2, ScanKind::column)},
      {make_scan(kDefaultScan8x8, 3, ScanKind::diagonal), make_scan(kRowScan8x8, 3, ScanKind::row),
       make_scan(kColScan8x8, 3, ScanKind::column)},
      {make_scan(kDefaultScan16x16, 4, ScanKind::diagonal),
       make_scan(kRowScan16x16, 4, ScanKind::row), make_scan(kColScan16x16, 4, ScanKind::column)},
      {make_scan(kDefaultScan32x32, 5, ScanKind::diagonal), {}, {}},
  }};
  const std::size_t kind = type == kAdstDct ? 1 : type == kDctAdst ? 2 : 0;
  return kScans[size][kind];
}

constexpr std::uint8_t kBands4x4[16] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5};
constexpr std::uint8_t kBandsLarger[22] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4,
                                           4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5};

/// Energy class of the token's neighbours to come.
struct Magnitude {
  int value;
  std::uint8_t energy;
};

constexpr Probability kCategory1[] = {159};
constexpr Probability kCategory2[] = {165, 145};
constexpr Probability kCategory3[] = {173, 148, 140};
constexpr Probability kCategory4[] = {176, 155, 140, 135};
constexpr Probability kCategory5[] = {180, 157, 141, 134, 130};
// 18 bits of 12-bit samples; 10-bit ones have the last 16, 8-bit ones the last 14.
constexpr Probability kCategory6[] = {255, 255, 255, 255, 254, 254, 254, 252, 249,
                                      243, 230, 196, 177, 153, 140, 133, 130, 129};

int extra_bits(BoolDecoder& decoder, std::span<const Probability> probabilities) {
  int value = 0;
  for (const Probability probability : probabilities) {
    value = value << 1 | int{decoder.read(probability)};
  }
  return value;
}

/// A coefficient greater than one: the rest of the token tree, and extra bits.
Magnitude read_large(BoolDecoder& decoder, const Probability* pareto, int bits) {
  if (!decoder.read(pareto[0])) {
    if (!decoder.read(pareto[1])) return {2, 2};
    return {decoder.read(pareto[2]) ? 4 : 3, 3};
  }
  if (!decoder.read(pareto[3])) {
    if (!decoder.read(pareto[4])) return {5 + extra_bits(decoder, kCategory1), 4};
    return {7 + extra_bits(decoder, kCategory2), 4};
  }
  if (!decoder.read(pareto[5])) {
    if (!decoder.read(pareto[6])) return {11 + extra_bits(decoder, kCategory3), 5};
    return {19 + extra_bits(decoder, kCategory4), 5};
  }
  if (!decoder.read(pareto[7])) return {35 + extra_bits(decoder, kCategory5), 5};
  const std::size_t unused = static_cast<std::size_t>(12 - bits);
  return {67 + extra_bits(decoder, std::span(kCategory6).subspan(unused)), 5};
}

}  // namespace

template <class Coefficient>
CoefficientExtent read_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                    Coefficient* coefficients) {
  const ScanStep* const scan = scan_of(context.size, context.type).data();
  const int count = 16 << (2 * context.size);
  // The 8x8 and larger table ends where its last band begins to repeat.
  const std::uint8_t* const bands = context.size == kTransform4x4 ? kBands4x4 : kBandsLarger;
  const int last_band_entry = context.size == kTransform4x4 ? 15 : 21;
  std::array<std::uint8_t, 1024> energy;  // NOLINT: written before it is read, in scan order
  bool may_end = true;
  int step = context.dc_step;
  int lowest = 0;  // position
  int places = 0;  // all positions' bits
  std::uint64_t sum = 0;
  const auto extent = [&](int end) -> CoefficientExtent {
    const int side = 4 << context.size;
    return {end, lowest / side + 1, places % side + 1, sum};
  };
  for (int index = 0; index < count; ++index) {
    const ScanStep& place = scan[index];
    const int band = bands[std::min(index, last_band_entry)];
    const int nearby = index == 0
                           ? context.first_context
                           : (1 + energy[place.neighbours[0]] + energy[place.neighbours[1]]) >> 1;
    const Probability* const probabilities = context.probabilities[band][nearby];
    Count* const tokens = context.tokens[band][nearby];
    if (may_end) {
      ++context.more_coefficients[band][nearby];
      if (!decoder.read(probabilities[0])) {
        ++tokens[3];
        return extent(index);
      }
      if (index == 0) std::fill_n(coefficients, count, Coefficient{0});
    }
    may_end = decoder.read(probabilities[1]);
    if (!may_end) {
      ++tokens[0];
      energy[place.position] = 0;
    } else {
      Magnitude magnitude{1, 1};
      if (decoder.read(probabilities[2])) {
        ++tokens[2];
        magnitude = read_large(decoder, kParetoTable[probabilities[2] - 1], context.bits);
      } else {
        ++tokens[1];
      }
      energy[place.position] = magnitude.energy;
      lowest = std::max<int>(lowest, place.position);
      places |= place.position;
      // Unsigned, because damaged streams of 12 bits exceed 32.
      const auto product = static_cast<std::int32_t>(static_cast<std::uint32_t>(magnitude.value) *
                                                     static_cast<std::uint32_t>(step));
      const std::int32_t value = context.size == kTransform32x32 ? product / 2 : product;
      sum += static_cast<std::uint32_t>(value);
      coefficients[place.position] =
          static_cast<Coefficient>(decoder.read(128) ? 0U - static_cast<std::uint32_t>(value)
                                                     : static_cast<std::uint32_t>(value));
    }
    step = context.ac_step;
  }
  return extent(count);
}

template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&, std::int16_t*);
template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&, std::int32_t*);

}  // namespace sidecore::vp9
