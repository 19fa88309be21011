// Interface of the shaders cambi_*.comp. GLSL and C++ both include this file.
//
// Samples of 10 bits (up to 1024) and images are stored row by row, two 16-bit numbers per word. If
// a row has an odd width, the half word after its end is 0. The highest of an image's 16 bits is
// set for samples whose contrast is computed.
#ifndef SIDECORE_CAMBI_INTERFACE_H
#define SIDECORE_CAMBI_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

SIDECORE_CONST uint kCambiShaderScales = 5u;
SIDECORE_CONST uint kCambiShaderContrastSteps = 32u;
SIDECORE_CONST uint kCambiShaderReciprocals = 4226u;

// Sizes of workgroups in shaders that process a column of two samples per invocation. kCambiColumns
// is the number of such columns per workgroup; the other constants are the numbers of rows per
// invocation.
SIDECORE_CONST uint kCambiColumns = 64u;
SIDECORE_CONST uint kCambiLumaRows = 8u;
SIDECORE_CONST uint kCambiMaskRows = 16u;
SIDECORE_CONST uint kCambiScaleRows = 8u;

// Number of columns and rows of contrasts that a workgroup of cambi_contrasts.comp computes.
SIDECORE_CONST uint kCambiTileColumns = 64u;
SIDECORE_CONST uint kCambiTileRows = 64u;
// Number of words of shared memory for the counts, one byte per count. Reads may go beyond the
// counts in use; such values are not used.
SIDECORE_CONST uint kCambiCountWords = 3840u;

// Number of contrasts that a workgroup of cambi_select.comp processes.
SIDECORE_CONST uint kCambiSelected = 4096u;
// Number of bits in a digit. Contrasts are selected by their 27 bits, kCambiDigitBits at a time.
SIDECORE_CONST uint kCambiDigitBits = 9u;
SIDECORE_CONST uint kCambiDigits = 3u;
SIDECORE_CONST uint kCambiBins = 512u;
// Bits of the smallest contrast other than 0, which is 0.5. Contrasts are less than 2^14 and
// multiples of 2^-24.
SIDECORE_CONST uint kCambiLeastContrast = 0x3f000000u;
SIDECORE_CONST uint kCambiLeastExponent = 126u;

struct CambiScale {
  uint width;
  uint height;
  uint stride;       // distance between rows of the scale's image, in words
  uint image;        // index of the image's first word
  uint contrasts;    // index of the scale's first contrast; rows follow each other without a gap
  uint largest;      // number of contrasts of the scale that are added up
  uint first_strip;  // number of rows of workgroups of cambi_contrasts.comp before this scale
  uint unused;
};

// Tables that all pictures share.
struct CambiTables {
  CambiScale scales[kCambiShaderScales];
  uint visible[kCambiShaderContrastSteps];  // [step - 1], with values as in metrics::CambiSetup
  uint weights[kCambiShaderContrastSteps];
  float reciprocals[kCambiShaderReciprocals];
};

// Results of a scale. Sums are in units of 2^-24, as four digits to the base 2^16, the lowest
// first, before carries are propagated. Digits stay below 2^32, because a picture of more than 2^16
// tiles has windows so large that no count is below metrics::kCambiWindowLimit.
struct CambiSums {
  uint contrasts;  // number of contrasts other than 0
  uint sum[4];     // sum of all contrasts
  uint low_bits;   // bitwise OR of the lowest 32 bits of all contrasts
  // Values for the case that more contrasts differ from 0 than are added up: the bits of the
  // smallest contrast that is added up, the number of times it is added, and the sum of the larger
  // ones.
  uint least;
  uint times;
  uint above[4];
  uint above_low_bits;
};

// cambi_luma.comp: samples of 10 bits.
// - Binding 0, read: luma as 32-bit words.
// - Binding 1, read: the luma column of each column of samples, then the row of each row.
// - Binding 2, written: the samples.
// - Bindings 3 and 4, set to 0: the sums and the histograms.
// - constant_id 0: bits per luma sample (8, 10, 12 or 16).
struct CambiLumaPush {
  uint width;  // number of columns of samples
  uint height;
  uint plane_stride;  // distance between rows of luma, in words
  uint stride;        // distance between rows of samples, in words
  uint sampled;       // 1: positions come from binding 1; 0: samples have the positions of luma
  uint smoothed;      // 1: samples are means of 2x2 luma samples
  uint sum_words;
  uint histogram_words;
};

// cambi_mask.comp: marks the samples whose contrast is computed.
// - Binding 0, read: samples.
// - Binding 1, written: the image of these samples.
struct CambiMaskPush {
  uint width;
  uint height;
  uint stride;
  uint flat_limit;
};

// cambi_scale.comp makes the image of a scale. It takes samples of the previous image and replaces
// each by the value that at least two of three neighbours have, or by their minimum: horizontally,
// then vertically.
// - Binding 0, read: the previous image.
// - Binding 1, written: the new image.
struct CambiScalePush {
  uint width;  // number of columns of the new image
  uint height;
  uint stride;
  uint factor;  // 2: the previous image is twice as large and every other sample is read; else 1
  uint from_stride;  // distance between rows of the previous image, in words
};

// cambi_contrasts.comp: contrasts of all scales.
// - Bindings 0 and 1, read: images, CambiTables.
// - Binding 2, written: contrasts.
// - Binding 3, read and written: CambiSums of the scales.
// - constant_id 0: half the width of a window.
struct CambiContrastsPush {
  uint steps;
  uint first_counted;
  uint counted;
  uint dark;
  uint count_stride;  // distance between the counts of a value and those of the next, in words
  uint values;        // number of values for which there is room
};

// cambi_select.comp: selects the contrasts that are added up. With digit 0 to kCambiDigits - 1 it
// counts, by this digit, the contrasts that share all earlier digits with the smallest contrast
// that is added up. With digit kCambiDigits it adds up the larger ones.
// - Binding 0, read: CambiTables.
// - Binding 1, read: contrasts.
// - Binding 2, read and written: kCambiDigits histograms of kCambiBins per scale.
// - Binding 3, read and written: CambiSums of the scales.
struct CambiSelectPush {
  uint digit;
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
