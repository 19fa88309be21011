// psnr_hvs: PSNR of DCT coefficients that are weighted by the eye's contrast sensitivity, less what
// the block's own texture masks (PSNR-HVS-M: Ponomarenko et al., "On between-coefficient contrast
// masking of DCT basis functions", VPQM 2007), as libvmaf's feature of that name, which follows the
// code of the Daala project.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "video/picture.h"

namespace sidecore::metrics {

/// Blocks are 8x8 windows, 7 samples from one to the next both ways: they overlap by one.
inline constexpr int kHvsBlock = 8;
inline constexpr int kHvsStep = 7;
inline constexpr std::size_t kHvsTerms = 64;

using HvsCoefficients = std::array<std::int32_t, 64>;

/// The integer DCT: Daala's 8-point transform by lifting steps, of the columns and rows of a block
/// of samples. Samples and coefficients are row after row; row 0, column 0 is DC, and row numbers
/// are vertical frequencies. The scale is that of the orthonormal transform: a flat
/// block of value v has a DC of 8v, or 1 less. Samples of up to 12 bits give magnitudes that fit 16
/// bits, so that squares fit 32.
[[nodiscard]] HvsCoefficients hvs_dct(const HvsCoefficients& samples);

/// Contrast sensitivity of a plane's coefficients, row after row; the chroma tables serve every
/// chroma format.
struct HvsTables {
  std::array<float, kHvsTerms> sensitivity;
  std::array<float, kHvsTerms> masking;  ///< (0.3885746225901003 * sensitivity)^2
};
/// Of plane 0 (Y), 1 (Cb) or 2 (Cr).
[[nodiscard]] const HvsTables& hvs_tables(int plane);

/// The blocks of a plane. Chroma planes of odd pictures are a sample smaller than ours: libvmaf
/// rounds their sizes down, so that the last column and row take no part.
struct HvsGrid {
  int width = 0;  ///< samples that take part
  int height = 0;
  int columns = 0;  ///< blocks
  int rows = 0;
  [[nodiscard]] std::size_t blocks() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  }
};
[[nodiscard]] HvsGrid hvs_grid(const video::PictureFormat& format, int plane);

/// Throws Error (usage) unless psnr_hvs is defined: at most 12 bits, chroma present, and planes of
/// at least 8x8 samples.
void check_psnr_hvs(const video::PictureFormat& format);

/// Scalar definition: what the block whose first sample is (x, y) adds to its plane's sum,
/// coefficient after coefficient. `plane` chooses the tables.
[[nodiscard]] std::array<float, kHvsTerms> hvs_block_terms(
    video::PlaneView<const std::uint8_t> reference, video::PlaneView<const std::uint8_t> distorted,
    int plane, int x, int y);
[[nodiscard]] std::array<float, kHvsTerms> hvs_block_terms(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted, int plane, int x, int y);

/// Scalar definition of a plane's sum: one binary32 number to which every term of every block is
/// added in turn, blocks from left to right and from top to bottom; each addition rounds. The order
/// therefore shows in the score: an exact sum of a 1080p picture differs by thousandths of a dB.
/// Pictures are of one format, which check_psnr_hvs() accepts.
[[nodiscard]] float hvs_sum(const video::Picture& reference, const video::Picture& distorted,
                            int plane);

/// Scores in dB; identical planes get +infinity.
struct PsnrHvs {
  double y = 0;
  double cb = 0;
  double cr = 0;
  double combined = 0;  ///< of the weighted mean error: 0.8 Y, 0.1 Cb, 0.1 Cr
};
/// `sums` are those of Y, Cb and Cr.
[[nodiscard]] PsnrHvs psnr_hvs(const std::array<float, 3>& sums,
                               const video::PictureFormat& format);
/// In the order of the feature's outputs.
void write_psnr_hvs(const PsnrHvs& score, std::span<double> scores);

}  // namespace sidecore::metrics
