#include "qpu/metrics/ssim.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "metrics/decimation.h"
#include "metrics/ssim.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(shader::kSsimTaps == metrics::kSsimWindow);
static_assert(shader::kSsimDivisor1 == metrics::kSsimC1);
static_assert(shader::kSsimDivisor2 == metrics::kSsimC2);
static_assert(shader::kSsimDivisor3 == metrics::kSsimC3);

constexpr std::uint32_t kMoments = 5;

std::uint32_t windows_along(int samples) {
  return static_cast<std::uint32_t>(samples) - shader::kSsimTaps + 1;
}

std::uint32_t quads_across(std::uint32_t windows) {
  return divide_rounding_up(windows, 4);
}

std::uint32_t kind_of(int bits) {
  if (bits == 0) return shader::kSsimFloats;
  return bits == 8 ? shader::kSsimBytes : shader::kSsimWords;
}

float unit_of(int bits) {
  return bits == 0 ? 1.0F : 1.0F / static_cast<float>(1 << (bits - 8));
}

std::size_t bytes_per_sample(int bits) {
  if (bits == 0) return sizeof(float);
  return bits == 8 ? 1 : 2;
}

// Checks the memory of a plane, and returns its stride in words.
std::uint32_t checked_stride(const SsimPlane& plane) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(plane.width) * bytes_per_sample(plane.bits);
  return stride_in_units("plane", plane.range, plane.stride, 4, row_bytes, plane.height);
}

std::uint32_t last_word(const SsimPlane& plane) {
  return static_cast<std::uint32_t>(plane.range.bytes() / 4) - 1;
}

std::uint32_t parts_bits(const metrics::SsimParts& parts) {
  return (parts.luminance ? shader::kSsimLuminance : 0) |
         (parts.contrast ? shader::kSsimContrast : 0) |
         (parts.structure ? shader::kSsimStructure : 0) | (parts.ssim ? shader::kSsimProduct : 0);
}

/// Returns the largest number of fraction bits for which the sum over all windows, each term below
/// 2 in magnitude, stays below 2^63.
std::uint32_t fraction_bits(std::uint64_t windows) {
  return std::min(44U, 62U - static_cast<std::uint32_t>(std::bit_width(windows)));
}

double to_double(std::uint32_t low, std::uint32_t high, std::uint32_t fraction) {
  const auto bits = std::bit_cast<std::int64_t>((std::uint64_t{high} << 32) | low);
  return static_cast<double>(bits) / static_cast<double>(std::uint64_t{1} << fraction);
}

/// Returns the error bound of one term of a sum that ssim_windows_recompute.comp computes, in the
/// units of that sum.
std::uint32_t sum_term_error(metrics::SsimPart part) {
  switch (part) {
    case metrics::SsimPart::ssim:
      return shader::kSsimProductError;
    case metrics::SsimPart::structure:
      return shader::kSsimStructureError;
    default:
      return shader::kSsimRatioError;
  }
}

/// Returns the number of bits after the binary point of a binary64 number that is as large as
/// `windows`. The sum of one similarity over that many windows is at most that large, so its
/// precision is never coarser.
int coarsest_fraction(std::uint64_t windows) {
  return 53 - static_cast<int>(std::bit_width(windows));
}

}  // namespace

Ssim::Ssim(Device& device, int max_width, int max_height, SsimAddition addition)
    : device_(device), addition_(addition) {
  const std::uint32_t height = windows_along(max_height);
  const std::uint32_t quads = quads_across(windows_along(max_width));
  const std::size_t rows = std::min(height, kBandRows) + shader::kSsimTaps - 1;
  rows_ = device_.create_buffer(kMoments * rows * quads * 4 * sizeof(float));
  const std::size_t blocks =
      divide_rounding_up(std::min(height, kBandRows), shader::kSsimColumnRows);
  open_ =
      device_.create_buffer(std::max(rows, 2 * kMoments * blocks) * quads * sizeof(std::uint32_t));
  moments_ = device_.create_buffer(kMoments * std::min(height, kBandRows) * std::size_t{quads} * 4 *
                                   sizeof(float));
  sums_ = device_.create_buffer(std::size_t{windows_along(max_width)} *
                                divide_rounding_up(height, kBandRows) * shader::kSsimGroupBlocks *
                                sizeof(shader::SsimSums));
}

void Ssim::decimate(CommandList& list, const SsimPlane& from, int factor,
                    const SsimPlane& to) const {
  const shader::SsimDecimatePush push{
      .width = static_cast<std::uint32_t>(from.width),
      .height = static_cast<std::uint32_t>(from.height),
      .stride = checked_stride(from),
      .unit = unit_of(from.bits),
      .out_width = static_cast<std::uint32_t>(to.width),
      .out_height = static_cast<std::uint32_t>(to.height),
      .out_stride = checked_stride(to),
      .weight = factor == kHalving ? 0.0F : metrics::box_weight(factor)};
  const std::uint32_t kind = kind_of(from.bits);
  const auto constant_factor = static_cast<std::uint32_t>(factor);
  const BufferRange planes[] = {from.range, to.range};
  const std::uint32_t group_rows = divide_rounding_up(push.out_height, shader::kSsimGroupRows);
  const std::uint32_t columns = divide_rounding_up(push.out_width, shader::kSsimGroupColumns);
  if (factor == kHalving) {
    list.dispatch(*device_.program("ssim_halve", {{{0, kind}}}), planes, push,
                  {divide_rounding_up(quads_across(push.out_width), shader::kSsimGroupColumns),
                   group_rows, 1});
  } else {
    list.dispatch(*device_.program("ssim_box", {{{0, kind}, {2, constant_factor}}}), planes, push,
                  {columns, group_rows, 1});
  }
  list.dispatch(
      *device_.program("ssim_decimate_recompute",
                       {{{0, kind}, {1, serial()}, {2, constant_factor}}}),
      planes, push,
      {columns,
       divide_rounding_up(push.out_height, shader::kSsimGroupRows * shader::kSsimRecomputeRows),
       1});
}

void Ssim::filter_band(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                       std::uint32_t first, std::uint32_t rows, const BufferRange& moments) const {
  const std::uint32_t quads = quads_across(windows_along(a.width));
  const std::uint32_t groups = divide_rounding_up(quads, shader::kSsimGroupColumns);
  const std::uint32_t sample_rows = rows + shader::kSsimTaps - 1;
  const auto rows_program = device_.program("ssim_rows", {{{0, kind_of(a.bits)}}});
  const shader::SsimRowsPush rows_push{.first_row = first,
                                       .rows = sample_rows,
                                       .quads = quads,
                                       .stride_a = checked_stride(a),
                                       .stride_b = checked_stride(b),
                                       .last_a = last_word(a),
                                       .last_b = last_word(b),
                                       .unit = unit_of(a.bits)};
  const BufferRange in_rows[] = {a.range, b.range, {rows_.get()}, {open_.get()}};
  list.dispatch(*rows_program, in_rows, rows_push,
                {groups, divide_rounding_up(sample_rows, shader::kSsimGroupRows), 1});
  list.dispatch(
      *device_.program("ssim_rows_recompute", {{{0, kind_of(a.bits)}, {1, serial()}}}), in_rows,
      rows_push,
      {groups, divide_rounding_up(sample_rows, shader::kSsimGroupRows * shader::kSsimRecomputeRows),
       1});

  const shader::SsimColumnsPush columns_push{.height = rows, .quads = quads};
  const BufferRange in_columns[] = {{rows_.get()}, moments, {open_.get()}};
  const std::uint32_t pair_groups = divide_rounding_up(2 * quads, shader::kSsimGroupPairs);
  const std::uint32_t blocks = divide_rounding_up(rows, shader::kSsimColumnRows);
  list.dispatch(*device_.program("ssim_columns", {}), in_columns, columns_push,
                {pair_groups, divide_rounding_up(blocks, shader::kSsimGroupBlocks), kMoments});
  list.dispatch(*device_.program("ssim_columns_recompute", {{{1, serial()}}}), in_columns,
                columns_push,
                {pair_groups,
                 divide_rounding_up(blocks, shader::kSsimGroupBlocks * shader::kSsimRecomputeRows),
                 kMoments});
}

void Ssim::filter(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                  const BufferRange& moments) const {
  const std::uint32_t height = windows_along(a.height);
  const std::size_t row_bytes =
      std::size_t{quads_across(windows_along(a.width))} * 4 * sizeof(float);
  for (std::uint32_t first = 0; first < height; first += kBandRows) {
    const std::uint32_t rows = std::min(kBandRows, height - first);
    filter_band(list, a, b, first, rows,
                {moments.buffer, moments.offset + kMoments * first * row_bytes,
                 kMoments * rows * row_bytes});
  }
}

void Ssim::measure(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                   const BufferRange& totals, std::uint32_t place,
                   const metrics::SsimParts& needed) const {
  const std::uint32_t width = windows_along(a.width);
  const std::uint32_t height = windows_along(a.height);
  const auto program = device_.program("ssim_windows", {{{0, parts_bits(needed)}}});
  std::uint32_t sums = 0;
  for (std::uint32_t first = 0; first < height; first += kBandRows) {
    const std::uint32_t windows = std::min(kBandRows, height - first);
    filter_band(list, a, b, first, windows, {moments_.get()});
    const BufferRange moments[] = {{moments_.get()}, {sums_.get()}};
    list.dispatch(
        *program, moments,
        shader::SsimWindowsPush{.width = width,
                                .height = windows,
                                .quads = quads_across(width),
                                .strip_rows = divide_rounding_up(windows, shader::kSsimGroupBlocks),
                                .first_sums = sums,
                                .fraction_bits = fraction_bits(std::uint64_t{width} * height)},
        {divide_rounding_up(width, shader::kSsimGroupPairs), 1, 1});
    sums += shader::kSsimGroupBlocks * width;
  }
  const BufferRange ends[] = {{sums_.get()}, totals};
  list.dispatch(*device_.program("ssim_total", {}), ends,
                shader::SsimTotalPush{.count = sums, .place = place}, {1, 1, 1});
}

metrics::SimilaritySums Ssim::sums_of(const shader::SsimSums& sums, int width, int height) {
  const std::uint64_t windows = std::uint64_t{windows_along(width)} * windows_along(height);
  const std::uint32_t fraction = fraction_bits(windows);
  // Error bounds, with u = 2^-24. pair_quotient(): the reciprocal is off by 1.02 u, the first
  // quotient by 2.02 u, the remainder by 5.1 u^2, the second quotient by 6.1 u^2 of the ratio; in
  // all less than 12 u^2. For luminance, whose dividend has a larger second part, it is less than
  // 17 u^2. Structure is exact. The product inherits its factors' errors, omits 13 u^2 and rounds
  // by 40 u^2: in all less than 82 u^2. The scalar definition's own roundings are below 0.4 u^2.
  // Finally to_fixed() of ssim_fixed.glsl rounds the two parts of a term, together by at most one
  // unit.
  const auto n = static_cast<double>(windows);
  const double unit = 1.0 / static_cast<double>(std::uint64_t{1} << fraction);
  const double ratio = n * (unit + 0x1p-43);
  return {.sums = {to_double(sums.luminance_low, sums.luminance_high, fraction),
                   to_double(sums.contrast_low, sums.contrast_high, fraction),
                   to_double(sums.structure_low, sums.structure_high, fraction),
                   to_double(sums.ssim_low, sums.ssim_high, fraction)},
          .largest_structure = static_cast<double>(sums.largest_structure),
          .errors = {ratio, ratio, n * unit, n * (unit + 0x1p-41)},
          .windows = windows};
}

void Ssim::measure_serially(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                            const BufferRange& runs, metrics::SsimPart part) const {
  const std::uint32_t width = windows_along(a.width);
  const std::uint32_t height = windows_along(a.height);
  metrics::SsimParts parts;
  parts.*metrics::kSsimParts[static_cast<std::size_t>(part)] = true;
  const auto program = device_.program("ssim_windows_recompute", {{{0, parts_bits(parts)}}});
  const int coarsest =
      static_cast<int>(shader::kSsimSumFraction) - coarsest_fraction(std::uint64_t{width} * height);
  shader::SsimRecomputePush push{.width = width,
                                 .height = 0,
                                 .quads = quads_across(width),
                                 .row_runs = divide_rounding_up(width, shader::kSsimRunWindows),
                                 .first_run = 0,
                                 .coarsest = static_cast<std::uint32_t>(std::max(0, coarsest))};
  const BufferRange bindings[] = {{moments_.get()}, runs};
  for (std::uint32_t first = 0; first < height; first += kBandRows) {
    push.height = std::min(kBandRows, height - first);
    filter_band(list, a, b, first, push.height, {moments_.get()});
    list.dispatch(*program, bindings, push,
                  {divide_rounding_up(push.height, 256), push.row_runs, 1});
    push.first_run += push.row_runs * push.height;
  }
}

std::size_t Ssim::run_count(int width, int height) {
  return std::size_t{divide_rounding_up(windows_along(width), shader::kSsimRunWindows)} *
         windows_along(height);
}

metrics::BoundedSum Ssim::serial_sum(std::span<const shader::SsimRun> runs, int width, int height,
                                     metrics::SsimPart part, double largest) {
  constexpr int kFraction = static_cast<int>(shader::kSsimSumFraction);
  const double term_error = std::ldexp(sum_term_error(part), -kFraction);
  const std::uint32_t across = windows_along(width);
  const std::uint32_t row_runs = divide_rounding_up(across, shader::kSsimRunWindows);
  const int coarsest = coarsest_fraction(std::uint64_t{across} * windows_along(height));
  double before = 0;  // approximation of the serial sum of all earlier runs
  double error = 0;
  // Sum of the terms, split into units of 2^32 and of 1, and what the scalar definition's roundings
  // add. No step here is rounded.
  std::int64_t high = 0;
  std::int64_t low = 0;
  std::int64_t rounding = 0;
  std::uint32_t bits = 0;  // bitwise OR of all terms of the run
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const shader::SsimRun& run = runs[i];
    const auto first = static_cast<std::uint32_t>(i % row_runs) * shader::kSsimRunWindows;
    const double terms = std::min(shader::kSsimRunWindows, across - first);
    high += std::bit_cast<std::int32_t>(run.sum_high);
    low += run.sum_low;
    bits |= run.bits;
    // All partial sums of the run lie between before - reach and before + reach.
    const double reach = terms * largest + std::abs(before) * 0x1p-20;
    const int power = std::ilogb(before + reach);
    const bool in_one_binade = before > reach && std::ilogb(before - reach) == power;
    double run_error = terms * (term_error + std::exp2(std::ilogb(std::abs(before) + reach) - 53));
    const int fraction = 52 - power;
    const int quantum = fraction - coarsest;
    if (in_one_binade && quantum >= 0 && quantum < static_cast<int>(shader::kSsimQuanta) &&
        fraction < kFraction) {
      const auto index = static_cast<std::size_t>(quantum);
      const double undecided_error = std::ldexp(run.undecided[index], -fraction);
      if (undecided_error < run_error) {
        run_error = undecided_error;
        rounding += std::bit_cast<std::int32_t>(run.rounding[index]);
      }
    }
    error += run_error;
    before += to_double(run.sum_low, run.sum_high, shader::kSsimSumFraction);
  }
  // Exact terms, and therefore all partial sums, are multiples of 2^granule units. If a partial sum
  // has at most 53 bits above that, no addition rounds, neither in the scalar definition nor here.
  const int granule = std::countr_zero(bits);
  const auto windows = static_cast<double>(std::uint64_t{across} * windows_along(height));
  if (granule > 0 && windows * largest <= std::ldexp(1.0, 53 + granule - kFraction)) {
    return {.value = std::ldexp(static_cast<double>(high), 32 - kFraction) +
                     std::ldexp(static_cast<double>(low), -kFraction),
            .error = 0,
            .largest = largest};
  }
  const double value = std::ldexp(static_cast<double>(high), 32 - kFraction) +
                       std::ldexp(static_cast<double>(low + rounding), -kFraction);
  return {.value = value, .error = error + std::abs(value) * 0x1p-52, .largest = largest};
}

}  // namespace sidecore::qpu
