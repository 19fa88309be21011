#include "neon/metrics/psnr_hvs.h"

#include <algorithm>
#include <cassert>

#include "neon/metrics/psnr_hvs_lanes.h"

namespace sidecore::neon {
namespace {

using metrics::HvsGrid;
using metrics::HvsTables;
using metrics::kHvsStep;
using metrics::kHvsTerms;

constexpr std::size_t kHvsLanes = 8;

/// 64 samples or coefficients of eight blocks, row by row.
using Blocks = std::array<Integers8, kHvsTerms>;

// Transposes an 8x8 matrix.
void transpose(std::array<uint16x8_t, 8>& m) {
  const auto swap16 = [](uint16x8_t& a, uint16x8_t& b) {
    const uint16x8x2_t pair = vtrnq_u16(a, b);
    a = pair.val[0];
    b = pair.val[1];
  };
  const auto swap32 = [](uint16x8_t& a, uint16x8_t& b) {
    const uint32x4x2_t pair = vtrnq_u32(vreinterpretq_u32_u16(a), vreinterpretq_u32_u16(b));
    a = vreinterpretq_u16_u32(pair.val[0]);
    b = vreinterpretq_u16_u32(pair.val[1]);
  };
  const auto swap64 = [](uint16x8_t& a, uint16x8_t& b) {
    const uint16x8_t low = vcombine_u16(vget_low_u16(a), vget_low_u16(b));
    b = vcombine_u16(vget_high_u16(a), vget_high_u16(b));
    a = low;
  };
  for (const std::size_t i : {0U, 2U, 4U, 6U}) swap16(m[i], m[i + 1]);
  for (const std::size_t i : {0U, 1U, 4U, 5U}) swap32(m[i], m[i + 2]);
  for (const std::size_t i : {0U, 1U, 2U, 3U}) swap64(m[i], m[i + 4]);
}

uint16x8_t load_row(const std::uint8_t* samples) {
  return vmovl_u8(vld1_u8(samples));
}
uint16x8_t load_row(const std::uint16_t* samples) {
  return vld1q_u16(samples);
}

/// Location of eight blocks: their first row, and the column of each. Lanes without a block repeat
/// one.
struct Place {
  int y = 0;
  std::array<int, kHvsLanes> x{};
};

template <class Sample>
void read_blocks(video::PlaneView<const Sample> plane, const Place& place, Blocks& blocks) {
  for (std::size_t row = 0; row < 8; ++row) {
    const Sample* const samples = plane.row(place.y + static_cast<int>(row));
    std::array<uint16x8_t, kHvsLanes> m;
    for (std::size_t lane = 0; lane < m.size(); ++lane) m[lane] = load_row(samples + place.x[lane]);
    transpose(m);
    for (std::size_t column = 0; column < 8; ++column) {
      blocks[row * 8 + column] = Integers8(m[column]);
    }
  }
}

void transform(const Integers8* from, std::size_t stride, Integers8* to) {
  Integers8 t0 = from[0];
  Integers8 t4 = from[stride];
  Integers8 t2 = from[2 * stride];
  Integers8 t6 = from[3 * stride];
  Integers8 t7 = from[4 * stride];
  Integers8 t3 = from[5 * stride];
  Integers8 t5 = from[6 * stride];
  Integers8 t1 = from[7 * stride];

  t1 = t0 - t1;
  const Integers8 half1 = half(t1);
  t0 = t0 - half1;
  t4 = t4 + t5;
  const Integers8 half4 = half(t4);
  t5 = t5 - half4;
  t3 = t2 - t3;
  t2 = t2 - half(t3);
  t6 = t6 + t7;
  const Integers8 half6 = half(t6);
  t7 = half6 - t7;

  t0 = t0 + half6;
  t6 = t0 - t6;
  t2 = half4 - t2;
  t4 = t2 - t4;

  t0 = t0 - scaled<13573, 15>(t4);
  t4 = t4 + scaled<11585, 14>(t0);
  t0 = t0 - scaled<13573, 15>(t4);
  t6 = t6 - scaled<21895, 15>(t2);
  t2 = t2 + scaled<15137, 14>(t6);
  t6 = t6 - scaled<21895, 15>(t2);

  t3 = t3 + scaled<19195, 15>(t5);
  t5 = t5 + scaled<11585, 14>(t3);
  t3 = t3 - scaled<7489, 13>(t5);
  t7 = half(t5) - t7;
  t5 = t5 - t7;
  t3 = half1 - t3;
  t1 = t1 - t3;
  t7 = t7 + scaled<3227, 15>(t1);
  t1 = t1 - scaled<6393, 15>(t7);
  t7 = t7 + scaled<3227, 15>(t1);
  t5 = t5 + scaled<2485, 13>(t3);
  t3 = t3 - scaled<18205, 15>(t5);
  t5 = t5 + scaled<2485, 13>(t3);

  const std::array<Integers8, 8> coefficients = {t0, t1, t2, t3, t4, t5, t6, t7};
  std::copy(coefficients.begin(), coefficients.end(), to);
}

void transform(Blocks& blocks, Blocks& between) {
  for (std::size_t i = 0; i < 8; ++i) transform(&blocks[i], 8, &between[i * 8]);
  for (std::size_t i = 0; i < 8; ++i) transform(&between[i], 8, &blocks[i * 8]);
}

/// One value for each quadrant of the blocks: top left, bottom left, top right, bottom right.
using Quadrants = std::array<Floats8, 4>;

std::size_t quadrant(std::size_t row, std::size_t column) {
  return (row >= 4 ? 1U : 0U) + (column >= 4 ? 2U : 0U);
}

// Sums the samples of each quadrant. The sums are exact in any order.
Quadrants sum_quadrants(const Blocks& samples) {
  Quadrants sums{broadcast(0), broadcast(0), broadcast(0), broadcast(0)};
  for (std::size_t i = 0; i < kHvsTerms; i += 4) {
    const Integers8 quad = (samples[i] + samples[i + 1]) + (samples[i + 2] + samples[i + 3]);
    Floats8& sum = sums[quadrant(i / 8, i % 8)];
    sum = sum + quad.to_float();
  }
  return sums;
}

Floats8 texture(const Blocks& samples) {
  Quadrants means = sum_quadrants(samples);
  const Floats8 mean = ((means[0] + means[1]) + (means[2] + means[3])) * broadcast(1.0F / 64);
  for (Floats8& part : means) part = part * broadcast(1.0F / 16);

  Floats8 variance = broadcast(0);
  Quadrants variances{variance, variance, variance, variance};
  for (std::size_t i = 0; i < kHvsTerms; ++i) {
    const std::size_t part = quadrant(i / 8, i % 8);
    const Floats8 sample = samples[i].to_float();
    const Floats8 from_mean = sample - mean;
    const Floats8 from_part = sample - means[part];
    variance = variance + from_mean * from_mean;
    variances[part] = variances[part] + from_part * from_part;
  }
  variance = variance * broadcast(1.0F / 63 * 64);
  for (Floats8& part : variances) part = part * broadcast(1.0F / 15 * 16);
  // The quotient is NaN if the variance is 0, and where_positive() then drops it.
  return where_positive(variance,
                        (((variances[0] + variances[1]) + variances[2]) + variances[3]) / variance);
}

Floats8 masking_threshold(const Blocks& coefficients, const Floats8& texture,
                          const HvsTables& tables) {
  Floats8 energy = broadcast(0);
  for (std::size_t i = 1; i < kHvsTerms; ++i) {
    energy = energy + coefficients[i].square() * broadcast(tables.masking[i]);
  }
  // The scalar definition takes the root in binary64 and rounds it to binary32. The result equals
  // that of a single rounding (Figueroa, "When is double rounding innocuous?", 1995).
  return square_root(energy * texture) * broadcast(1.0F / 32);
}

template <class Sample>
Floats8 analyse(video::PlaneView<const Sample> plane, const Place& place, const HvsTables& tables,
                Blocks& blocks, Blocks& scratch) {
  read_blocks(plane, place, blocks);
  const Floats8 kept = texture(blocks);
  transform(blocks, scratch);
  return masking_threshold(blocks, kept, tables);
}

// Computes the terms of eight blocks. `terms` points at the lane of the first block in the first
// term.
template <class Sample>
void eight_blocks(video::PlaneView<const Sample> reference,
                  video::PlaneView<const Sample> distorted, const HvsTables& tables,
                  const Place& place, float* terms) {
  Blocks a;
  Blocks b;
  Blocks scratch;
  const Floats8 threshold = maximum(analyse(reference, place, tables, a, scratch),
                                    analyse(distorted, place, tables, b, scratch));
  for (std::size_t i = 0; i < kHvsTerms; ++i) {
    Floats8 error = difference(a[i], b[i]);
    if (i != 0) {
      const Floats8 visible = error - threshold / broadcast(tables.masking[i]);
      error = where_positive(visible, visible);
    }
    const Floats8 weighted = error * broadcast(tables.sensitivity[i]);
    const Floats8 term = weighted * weighted;
    vst1q_f32(terms + i * kHvsRunBlocks, term.low);
    vst1q_f32(terms + i * kHvsRunBlocks + 4, term.high);
  }
}

// Computes the terms of eight neighbouring blocks of a row, from block `first` on. The row has
// `columns` blocks from there to its end, at least 1; if fewer than eight, the last block is
// repeated.
template <class Sample>
void half_run_terms(const HvsPlanes<Sample>& planes, int row, int first, int columns,
                    float* terms) {
  Place place{.y = row * kHvsStep, .x = {}};
  for (std::size_t lane = 0; lane < kHvsLanes; ++lane) {
    place.x[lane] = (first + std::min(static_cast<int>(lane), columns - 1)) * kHvsStep;
  }
  eight_blocks(planes.reference, planes.distorted, metrics::hvs_tables(planes.plane), place, terms);
}

// Sets the lanes of a run from `begin` on to 0.
void clear_lanes(std::span<float> terms, std::size_t begin) {
  for (std::size_t i = 0; i < kHvsTerms; ++i) {
    std::ranges::fill(terms.subspan(i * kHvsRunBlocks + begin, kHvsRunBlocks - begin), 0.0F);
  }
}

template <class Sample>
void row_terms(const HvsPlanes<Sample>& planes, int row, std::span<float> terms) {
  const auto columns = static_cast<std::size_t>(planes.grid.columns);
  assert(terms.size() == hvs_runs(planes.grid) * kHvsRunTerms);
  for (std::size_t first = 0; first < columns; first += kHvsRunBlocks) {
    const std::span<float> run = terms.subspan(first * kHvsTerms, kHvsRunTerms);
    for (std::size_t begin = 0; begin < kHvsRunBlocks && first + begin < columns;
         begin += kHvsLanes) {
      const std::size_t column = first + begin;
      half_run_terms(planes, row, static_cast<int>(column), static_cast<int>(columns - column),
                     &run[begin]);
    }
    if (columns - first < kHvsRunBlocks) clear_lanes(run, columns - first);
  }
}

}  // namespace

std::size_t hvs_runs(const HvsGrid& grid) {
  return (static_cast<std::size_t>(grid.columns) + kHvsRunBlocks - 1) / kHvsRunBlocks;
}

void hvs_row_terms(const HvsPlanes<std::uint8_t>& planes, int row, std::span<float> terms) {
  row_terms(planes, row, terms);
}

void hvs_row_terms(const HvsPlanes<std::uint16_t>& planes, int row, std::span<float> terms) {
  row_terms(planes, row, terms);
}

}  // namespace sidecore::neon
