#include "vp9/coefficient_reader.h"

#include <array>
#include <cstddef>

#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

/// Ends of the bands in decoding order. The last band ends with the block.
constexpr std::uint16_t kBandEnds[kTransformSizes][6] = {
    {1, 3, 6, 10, 13, 16}, {1, 3, 6, 10, 21, 64}, {1, 3, 6, 10, 21, 256}, {1, 3, 6, 10, 21, 1024}};

/// Energy classes of tokens, 0..5, stored as 2 * class + 1. The context of the next token is then a
/// quarter of the sum of its two neighbours' values.
enum Energy : std::uint8_t {
  kEnergyOfZero = 1,
  kEnergyOfOne = 3,
  kEnergyOfTwo = 5,
  kEnergyOfThree = 7,
  kEnergyOfFive = 9,
  kEnergyOfEleven = 11
};

struct Magnitude {
  std::uint32_t value;
  Energy energy;
};

constexpr Probability kCategory1[] = {159};
constexpr Probability kCategory2[] = {165, 145};
constexpr Probability kCategory3[] = {173, 148, 140};
constexpr Probability kCategory4[] = {176, 155, 140, 135};
constexpr Probability kCategory5[] = {180, 157, 141, 134, 130};
// Probabilities of the bits of a category 6 token: 18 for 12-bit samples. 10-bit samples use the
// last 16, 8-bit samples the last 14.
constexpr Probability kCategory6[] = {255, 255, 255, 255, 254, 254, 254, 252, 249,
                                      243, 230, 196, 177, 153, 140, 133, 130, 129};

template <std::size_t Bits>
[[gnu::always_inline]] inline std::uint32_t extra_bits(BoolDecoder& decoder,
                                                       const Probability (&probabilities)[Bits]) {
  std::uint32_t value = 0;
  for (const Probability probability : probabilities) {
    value = value << 1 | std::uint32_t{decoder.read(probability)};
  }
  return value;
}

/// Reads a coefficient greater than one: the rest of the token tree and the extra bits.
[[gnu::always_inline]] inline Magnitude read_large(BoolDecoder& decoder, const Probability* pareto,
                                                   int bits) {
  if (!decoder.read(pareto[0])) {
    if (!decoder.read(pareto[1])) return {2, kEnergyOfTwo};
    return {decoder.read(pareto[2]) ? 4U : 3U, kEnergyOfThree};
  }
  if (!decoder.read(pareto[3])) {
    if (!decoder.read(pareto[4])) return {5 + extra_bits(decoder, kCategory1), kEnergyOfFive};
    return {7 + extra_bits(decoder, kCategory2), kEnergyOfFive};
  }
  if (!decoder.read(pareto[5])) {
    if (!decoder.read(pareto[6])) return {11 + extra_bits(decoder, kCategory3), kEnergyOfEleven};
    return {19 + extra_bits(decoder, kCategory4), kEnergyOfEleven};
  }
  if (!decoder.read(pareto[7])) return {35 + extra_bits(decoder, kCategory5), kEnergyOfEleven};
  std::uint32_t extra = 0;
  for (int index = 12 - bits; index < 18; ++index) {
    extra = extra << 1 | std::uint32_t{decoder.read(kCategory6[index])};
  }
  return {67 + extra, kEnergyOfEleven};
}

/// Returns the dequantised value of a magnitude, without its sign.
template <class Coefficient>
std::uint32_t dequantised(std::uint32_t magnitude, int step, int is_32x32) {
  // The product is unsigned, because damaged streams with 12-bit samples overflow 32 bits.
  const std::uint32_t product = magnitude * static_cast<std::uint32_t>(step);
  if constexpr (sizeof(Coefficient) == 2) return product >> is_32x32;
  const auto value = static_cast<std::int32_t>(product);
  return static_cast<std::uint32_t>(is_32x32 != 0 ? value / 2 : value);
}

/// Implements read_coefficients(). If `Counted`, it counts the tokens.
template <bool Counted, class Coefficient>
CoefficientExtent read_tokens(BoolDecoder& shared, const TokenContext& context,
                              const ScanStep* scan, int first_context, Coefficient* coefficients) {
  BoolDecoder decoder = shared;
  const int log2_size = 2 + context.size;
  const std::size_t count = std::size_t{1} << (2 * log2_size);
  const int is_32x32 = context.size == kTransform32x32 ? 1 : 0;

  std::array<Energy, 1024> energies;  // NOLINT: written before it is read, in decoding order
  Energy* next = energies.data();
  const Energy* const end = next + count;
  const std::uint16_t* band_end = kBandEnds[context.size];
  const Energy* end_of_band = energies.data() + *band_end;
  const TokenProbabilities* probabilities_of_band = context.probabilities[0];
  const TokenProbabilities* probabilities = probabilities_of_band + first_context;
  TokenCounts* counts_of_band = Counted ? context.counts[0] : nullptr;
  TokenCounts* counts = Counted ? counts_of_band + first_context : nullptr;
  int step = context.dc_step;
  std::size_t positions = 0;  // bitwise OR of the positions of all nonzero coefficients
  std::uint64_t sum = 0;      // sum of the magnitudes
  // Moves to the next token; returns false after the last one.
  const auto advance = [&](Energy of_this) {
    *next++ = of_this;
    ++scan;
    if (next == end_of_band) {
      if (next == end) return false;
      end_of_band = energies.data() + *++band_end;
      probabilities_of_band += 6;
      if constexpr (Counted) counts_of_band += 6;
      step = context.ac_step;
    }
    const auto [first, second] = scan->neighbours;
    const int nearby = (energies[first] + energies[second]) >> 2;
    probabilities = probabilities_of_band + nearby;
    if constexpr (Counted) counts = counts_of_band + nearby;
    return true;
  };

  decoder.prepare();
  while (true) {
    Count* tokens = Counted ? counts->asked : nullptr;
    const auto count_token = [&](Token token) {
      if constexpr (Counted) ++tokens[token];
    };
    bool more = true;
    while (!decoder.read_prepared((*probabilities)[1])) {
      count_token(kZeroToken);
      more = advance(kEnergyOfZero);
      if (!more) break;
      if constexpr (Counted) tokens = counts->after_zero;
      decoder.prepare();
    }
    if (!more) break;
    Magnitude magnitude{1, kEnergyOfOne};
    const Probability above_one = (*probabilities)[2];
    if (decoder.read_prepared(above_one)) {
      count_token(kLargerToken);
      magnitude = read_large(decoder, kParetoTable[above_one - 1], context.bits);
      decoder.prepare();
    } else {
      count_token(kOneToken);
    }
    const std::uint64_t value = dequantised<Coefficient>(magnitude.value, step, is_32x32);
    const std::size_t position = scan->position;
    positions |= position;
    sum += value;
    coefficients[position] =
        static_cast<Coefficient>(decoder.read_prepared(128) ? 0 - value : value);
    if (!advance(magnitude.energy)) break;
    decoder.prepare();
    if (!decoder.read_prepared((*probabilities)[0])) {
      if constexpr (Counted) ++counts->asked[kNoMoreTokens];
      break;
    }
  }
  shared = decoder;
  const std::size_t size = std::size_t{1} << log2_size;
  return {static_cast<int>(next - energies.data()), static_cast<int>(positions >> log2_size) + 1,
          static_cast<int>(positions & (size - 1)) + 1, sum};
}

}  // namespace

template <class Coefficient>
CoefficientExtent read_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                    const ScanStep* scan, int first_context,
                                    Coefficient* coefficients) {
  return context.counts != nullptr
             ? read_tokens<true>(decoder, context, scan, first_context, coefficients)
             : read_tokens<false>(decoder, context, scan, first_context, coefficients);
}

template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&, const ScanStep*,
                                             int, std::int16_t*);
template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&, const ScanStep*,
                                             int, std::int32_t*);

}  // namespace sidecore::vp9
