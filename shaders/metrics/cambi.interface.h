// Interface of the shaders cambi_*.comp, read by GLSL and by C++.
//
// Samples of 10 bits (up to 1024) and images are stored row by row, two of 16 bits a word; what
// lies behind the end of a row of odd width is 0. An image's highest bit of 16 says which samples
// are looked at.
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
SIDECORE_CONST uint kCambiShaderSteps = 32u;
SIDECORE_CONST uint kCambiShaderReciprocals = 4226u;

// An invocation of these makes as many rows of a column of two samples, a workgroup 64 columns.
SIDECORE_CONST uint kCambiColumns = 64u;
SIDECORE_CONST uint kCambiLumaRows = 8u;
SIDECORE_CONST uint kCambiMaskRows = 16u;
SIDECORE_CONST uint kCambiScaleRows = 8u;

// A workgroup of cambi_contrasts.comp makes as many contrasts of as many rows.
SIDECORE_CONST uint kCambiTileColumns = 64u;
SIDECORE_CONST uint kCambiTileRows = 64u;
// Words of its counts, a byte a count. More may be read, and are not used.
SIDECORE_CONST uint kCambiCountWords = 3840u;

// A workgroup of cambi_select.comp looks at as many contrasts.
SIDECORE_CONST uint kCambiSelected = 4096u;
// Contrasts are selected by their 27 bits, so many at a time.
SIDECORE_CONST uint kCambiDigitBits = 9u;
SIDECORE_CONST uint kCambiDigits = 3u;
SIDECORE_CONST uint kCambiBins = 512u;
// Contrasts other than 0 are at least 0.5, of these bits, and less than 2^14; all are multiples of
// 2^-24.
SIDECORE_CONST uint kCambiLeastContrast = 0x3f000000u;
SIDECORE_CONST uint kCambiLeastExponent = 126u;

struct CambiScale {
  uint width;
  uint height;
  uint stride;       // words from a row of its image to the next
  uint image;        // its first word
  uint contrasts;    // the number of its first contrast; rows follow each other without a gap
  uint largest;      // how many contrasts are added up
  uint first_strip;  // rows of workgroups of cambi_contrasts.comp before it
  uint unused;
};

// What is the same for all pictures.
struct CambiTables {
  CambiScale scales[kCambiShaderScales];
  uint visible[kCambiShaderSteps];  // by the step less 1: as of metrics::CambiSetup
  uint weights[kCambiShaderSteps];
  float reciprocals[kCambiShaderReciprocals];
};

// What comes of a scale. Sums are in units of 2^-24, as four digits to the base of 2^16 whose
// carries are not done yet, the lowest first. They stay below 2^32: windows are so large in larger
// pictures that none of more than 2^16 tiles has one below metrics::kCambiWindowLimit.
struct CambiSums {
  uint contrasts;  // other than 0
  uint sum[4];     // of all
  uint low_bits;   // which of the lowest 32 bits any of them has
  // Where more contrasts than are added up differ from 0: bits of the least that is, how many times
  // that is, and the sum of those above it.
  uint least;
  uint times;
  uint above[4];
  uint above_low_bits;
};

// cambi_luma.comp: samples of 10 bits. Binding 0, read: luma as 32-bit words. Binding 1, read:
// where columns lie in it, then rows. Binding 2, written: the samples. Bindings 3 and 4, written
// with 0: the sums and the histograms. constant_id 0: bits per sample (8, 10, 12 or 16).
struct CambiLumaPush {
  uint width;  // of the encode
  uint height;
  uint plane_stride;  // words
  uint stride;        // words, of the samples
  uint sampled;       // whether binding 1 says where samples lie; else they lie at their own places
  uint smoothed;      // whether they are means of 2x2
  uint sum_words;
  uint histogram_words;
};

// cambi_mask.comp: binding 0, read: samples. Binding 1, written: an image of them.
struct CambiMaskPush {
  uint width;
  uint height;
  uint stride;
  uint flat_limit;
};

// cambi_scale.comp: an image whose samples are modes. Binding 0, read: the image before. Binding 1,
// written.
struct CambiScalePush {
  uint width;  // of the new image
  uint height;
  uint stride;
  uint factor;  // 2: the other image is twice as large, and every other sample of it is taken; or 1
  uint from_stride;  // words, of the other
};

// cambi_contrasts.comp: contrasts of all scales. Bindings 0 and 1, read: images, CambiTables.
// Binding 2, written: contrasts. Binding 3, read and written: CambiSums of the scales. constant_id
// 0: half a window.
struct CambiContrastsPush {
  uint steps;
  uint first_counted;
  uint counted;
  uint dark;
  uint count_stride;  // words from a value's counts to the next value's
  uint values;        // that counts have room for
};

// cambi_select.comp, for digits from 0 to kCambiDigits - 1, counts the contrasts of the least added
// up's digits before by this digit; then, with kCambiDigits, adds up those above it. Binding 0,
// read: CambiTables. Binding 1, read: contrasts. Binding 2, read and written: kCambiDigits
// histograms of kCambiBins a scale. Binding 3, read and written: CambiSums of the scales.
struct CambiSelectPush {
  uint digit;
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
