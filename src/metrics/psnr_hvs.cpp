#include "metrics/psnr_hvs.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

template <class Sample>
HvsCoefficients read_block(video::PlaneView<const Sample> plane, int x, int y) {
  HvsCoefficients samples{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = plane.row(y + static_cast<int>(i / 8))[x + static_cast<int>(i % 8)];
  }
  return samples;
}

std::size_t quadrant(std::size_t i) {
  return (i / 8 >= 4 ? 1U : 0U) + (i % 8 >= 4 ? 2U : 0U);
}

// Returns the share of the block's variance that its four quadrants keep: near 0 if an edge between
// quadrants causes it, near 1 if texture fills the block. The sums of squares round at every
// addition, so their order matters.
float texture(const HvsCoefficients& samples) {
  float mean = 0;
  std::array<float, 4> means{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    mean += static_cast<float>(samples[i]);
    means[quadrant(i)] += static_cast<float>(samples[i]);
  }
  mean /= 64;
  for (float& part : means) part /= 16;

  float variance = 0;
  std::array<float, 4> variances{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sample = static_cast<float>(samples[i]);
    const float from_part = sample - means[quadrant(i)];
    variance += (sample - mean) * (sample - mean);
    variances[quadrant(i)] += from_part * from_part;
  }
  variance *= 1.0F / 63 * 64;
  for (float& part : variances) part *= 1.0F / 15 * 16;
  return variance > 0 ? (variances[0] + variances[1] + variances[2] + variances[3]) / variance
                      : variance;
}

// Returns how strongly the block masks errors: its AC energy, weighted by the eye's sensitivity,
// times its texture.
float masking_threshold(const HvsCoefficients& samples, const HvsCoefficients& coefficients,
                        const HvsTables& tables) {
  float energy = 0;
  for (std::size_t i = 1; i < coefficients.size(); ++i) {
    energy += static_cast<float>(coefficients[i] * coefficients[i]) * tables.masking[i];
  }
  const float masked = energy * texture(samples);
  return static_cast<float>(std::sqrt(static_cast<double>(masked)) / 32);
}

template <class Sample>
std::array<float, kHvsTerms> block_terms(video::PlaneView<const Sample> reference,
                                         video::PlaneView<const Sample> distorted,
                                         const HvsTables& tables, int x, int y) {
  const HvsCoefficients a = read_block(reference, x, y);
  const HvsCoefficients b = read_block(distorted, x, y);
  const HvsCoefficients dct_a = hvs_dct(a);
  const HvsCoefficients dct_b = hvs_dct(b);
  const float threshold =
      std::max(masking_threshold(a, dct_a, tables), masking_threshold(b, dct_b, tables));
  std::array<float, kHvsTerms> terms{};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    auto error = static_cast<float>(std::abs(dct_a[i] - dct_b[i]));
    if (i != 0) {
      const float hidden = threshold / tables.masking[i];
      error = error < hidden ? 0 : error - hidden;
    }
    const float weighted = error * tables.sensitivity[i];
    terms[i] = weighted * weighted;
  }
  return terms;
}

template <class Sample>
float plane_sum(const video::Picture& reference, const video::Picture& distorted, int plane) {
  const auto a = reference.plane<Sample>(plane);
  const auto b = distorted.plane<Sample>(plane);
  const HvsTables& tables = hvs_tables(plane);
  const HvsGrid grid = hvs_grid(reference.format(), plane);
  float sum = 0;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      for (const float term : block_terms(a, b, tables, column * kHvsStep, row * kHvsStep)) {
        sum += term;
      }
    }
  }
  return sum;
}

double decibels(double error) {
  return 10 * (-1 * std::log10(error));
}

}  // namespace

HvsGrid hvs_grid(const video::PictureFormat& format, int plane) {
  const bool chroma = plane > 0;
  const video::Chroma sampling = format.pixel.chroma;
  HvsGrid grid;
  grid.width = chroma && sampling != video::Chroma::c444 ? format.width / 2 : format.width;
  grid.height = chroma && sampling == video::Chroma::c420 ? format.height / 2 : format.height;
  // Blocks start at samples 0, 7, 14, ... that are below size - 7.
  const auto blocks = [](int size) { return size < kHvsBlock ? 0 : (size - 1) / kHvsStep; };
  grid.columns = blocks(grid.width);
  grid.rows = blocks(grid.height);
  return grid;
}

void check_psnr_hvs(const video::PictureFormat& format) {
  video::check_format(format);
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12) {
    throw usage_error("psnr_hvs is defined for 8, 10 and 12 bits a sample, not for {}", bits);
  }
  if (format.pixel.chroma == video::Chroma::c400) {
    throw usage_error("psnr_hvs needs chroma planes; the pictures are luma only");
  }
  for (const int plane : {0, 1}) {
    const HvsGrid grid = hvs_grid(format, plane);
    if (grid.width < kHvsBlock || grid.height < kHvsBlock) {
      throw usage_error(
          "psnr_hvs needs planes of at least 8x8 samples; pictures of {} have {} of {}x{}",
          to_string(format), plane == 0 ? "luma" : "chroma", grid.width, grid.height);
    }
  }
}

std::array<float, kHvsTerms> hvs_block_terms(video::PlaneView<const std::uint8_t> reference,
                                             video::PlaneView<const std::uint8_t> distorted,
                                             int plane, int x, int y) {
  return block_terms(reference, distorted, hvs_tables(plane), x, y);
}

std::array<float, kHvsTerms> hvs_block_terms(video::PlaneView<const std::uint16_t> reference,
                                             video::PlaneView<const std::uint16_t> distorted,
                                             int plane, int x, int y) {
  return block_terms(reference, distorted, hvs_tables(plane), x, y);
}

float hvs_sum(const video::Picture& reference, const video::Picture& distorted, int plane) {
  assert(reference.format() == distorted.format());
  return reference.format().pixel.bits == 8 ? plane_sum<std::uint8_t>(reference, distorted, plane)
                                            : plane_sum<std::uint16_t>(reference, distorted, plane);
}

PsnrHvs psnr_hvs(const std::array<float, 3>& sums, const video::PictureFormat& format) {
  const int max_value = format.pixel.max_value();
  std::array<double, 3> errors{};
  for (int plane = 0; plane < 3; ++plane) {
    const std::size_t coefficients = hvs_grid(format, plane).blocks() * kHvsTerms;
    const auto at = static_cast<std::size_t>(plane);
    const float mean = sums[at] / static_cast<float>(coefficients);
    errors[at] = mean / static_cast<float>(max_value * max_value);
  }
  return {decibels(errors[0]), decibels(errors[1]), decibels(errors[2]),
          decibels(errors[0] * .8 + .1 * (errors[1] + errors[2]))};
}

}  // namespace sidecore::metrics
