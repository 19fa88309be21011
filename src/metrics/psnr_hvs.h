// psnr_hvs: PSNR of DCT coefficients weighted by the eye's contrast sensitivity, minus what the
// block's own texture masks (PSNR-HVS-M: Ponomarenko et al., "On between-coefficient contrast
// masking of DCT basis functions", VPQM 2007). It equals libvmaf's feature psnr_hvs, which follows
// the code of the Daala project.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "video/picture.h"

namespace sidecore::metrics {

/// Side of a block. Blocks are 8x8 sample windows, 7 samples apart in both directions, so
/// neighbouring blocks overlap by one sample.
inline constexpr int kHvsBlock = 8;
inline constexpr int kHvsStep = 7;
inline constexpr std::size_t kHvsTerms = 64;

using HvsCoefficients = std::array<std::int32_t, 64>;

/// Returns the integer DCT of a block: Daala's 8-point transform by lifting steps, of columns and
/// rows. Samples and coefficients are stored row by row; row 0, column 0 is DC, and row numbers are
/// vertical frequencies. The scale is that of the orthonormal transform: a flat block of value v
/// has DC 8v or 8v - 1. Samples of up to 12 bits give magnitudes of at most 16 bits, so squares fit
/// 32 bits.
[[nodiscard]] HvsCoefficients hvs_dct(const HvsCoefficients& samples);

/// Contrast sensitivity of a plane's coefficients, row by row. The chroma tables are valid for
/// every chroma format.
struct HvsTables {
  std::array<float, kHvsTerms> sensitivity;
  std::array<float, kHvsTerms> masking;  ///< (0.3885746225901003 * sensitivity)^2
};
/// Returns the tables of plane 0 (Y), 1 (Cb) or 2 (Cr).
[[nodiscard]] const HvsTables& hvs_tables(int plane);

/// Blocks of a plane. In pictures of odd size, chroma planes here are one sample smaller than the
/// picture's: libvmaf rounds their sizes down and so ignores the last column and row.
struct HvsGrid {
  int width = 0;  ///< width of the plane that is used, in samples
  int height = 0;
  int columns = 0;  ///< number of blocks in a row
  int rows = 0;
  [[nodiscard]] std::size_t blocks() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  }
};
[[nodiscard]] HvsGrid hvs_grid(const video::PictureFormat& format, int plane);

/// Throws Error (usage) unless psnr_hvs is defined for the format: at most 12 bits, with chroma,
/// and planes of at least 8x8 samples.
void check_psnr_hvs(const video::PictureFormat& format);

/// Returns what the block with first sample (x, y) adds to its plane's sum, coefficient by
/// coefficient (scalar definition). `plane` selects the tables.
[[nodiscard]] std::array<float, kHvsTerms> hvs_block_terms(
    video::PlaneView<const std::uint8_t> reference, video::PlaneView<const std::uint8_t> distorted,
    int plane, int x, int y);
[[nodiscard]] std::array<float, kHvsTerms> hvs_block_terms(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted, int plane, int x, int y);

/// Returns a plane's sum (scalar definition): one binary32 number to which the terms of all blocks
/// are added in sequence, blocks left to right, then top to bottom. Each addition rounds, so the
/// order affects the score: an exact sum of a 1080p picture differs by thousandths of a dB. Both
/// pictures must have one format, which check_psnr_hvs() accepts.
[[nodiscard]] float hvs_sum(const video::Picture& reference, const video::Picture& distorted,
                            int plane);

/// Scores in dB; identical planes get +infinity.
struct PsnrHvs {
  double y = 0;
  double cb = 0;
  double cr = 0;
  /// Score of the weighted mean error: weights are 0.8 for Y, 0.1 for Cb, 0.1 for Cr.
  double combined = 0;
};
/// Returns the scores from the sums of Y, Cb and Cr.
[[nodiscard]] PsnrHvs psnr_hvs(const std::array<float, 3>& sums,
                               const video::PictureFormat& format);
/// Writes the scores in the order of the feature's outputs.
void write_psnr_hvs(const PsnrHvs& score, std::span<double> scores);

}  // namespace sidecore::metrics
