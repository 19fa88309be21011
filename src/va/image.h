// Images that players read: their formats, their layout in memory, and the copy of a frame to one.
#pragma once

#include <va/va.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vp9/frame_buffer.h"

namespace sidecore::va {

/// A format of 4:2:0 samples. Samples of more than 8 bits are 16-bit words in the machine's byte
/// order.
struct ImageFormat {
  std::uint32_t fourcc;
  int bits;  ///< bits per sample
  /// True: chroma is one plane with U and V in turn; false: U and V have planes of their own.
  bool interleaved;
  bool v_first;  ///< true: the plane of V comes before the plane of U
  int shift;     ///< number of zero bits below each sample in its word
};

/// Returns NV12, I420 and YV12 with 8 bits, P010 and I010 with 10, and P012 with 12.
[[nodiscard]] std::span<const ImageFormat> image_formats();
/// Returns the format of a fourcc; null if the fourcc is not supported.
[[nodiscard]] const ImageFormat* find_image_format(std::uint32_t fourcc);
/// Returns the format of surfaces with 8, 10 or 12 bits: NV12, P010 or P012.
[[nodiscard]] const ImageFormat& native_format(int bits);

/// Layout of an image's planes. All images of a format and size have the same layout, derived or
/// created, because players learn the layout from one and use it for the other.
struct ImageLayout {
  std::uint32_t planes = 0;
  std::array<std::uint32_t, 3> offsets{};
  std::array<std::uint32_t, 3> pitches{};  ///< bytes
  std::uint32_t bytes = 0;

  /// Lays out an image of 1 to video::kMaxDimension samples in width and height. Sizes may be odd:
  /// chroma rounds up.
  ImageLayout(const ImageFormat& format, int width, int height);
};

/// Part of a surface, in luma samples.
struct Region {
  int x = 0;  ///< even
  int y = 0;  ///< even
  int width = 0;
  int height = 0;
};

/// Writes a region of a frame to the image's upper left corner. The part of the region outside the
/// frame is black; all of it if `frame` is null. `bytes` is the memory that `layout` describes. A
/// frame of 10 bits may go to a format of 12 bits, and gets zeros as low bits; a frame of 12 bits
/// loses its two lowest bits in a format of 10.
void write_image(const vp9::FrameBuffer* frame, const Region& region, const ImageFormat& format,
                 const ImageLayout& layout, std::span<std::byte> bytes);

}  // namespace sidecore::va
