// Pictures as clients read them: fourccs, where planes lie, and the copy.
#pragma once

#include <va/va.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vp9/frame_buffer.h"

namespace sidecore::va {

/// A way to lay out samples. Those of more than 8 bits are 16-bit words of the machine's order.
struct ImageFormat {
  std::uint32_t fourcc;
  int bits;
  bool interleaved;  ///< chroma: one plane of U and V by turns; otherwise three planes
  bool v_first;      ///< of planes
  int shift;         ///< by which samples stand above the lowest bit
};

/// NV12, I420 and YV12 of 8 bits, P010 and I010 of 10, P012 of 12.
[[nodiscard]] std::span<const ImageFormat> image_formats();
/// Null for another fourcc.
[[nodiscard]] const ImageFormat* find_image_format(std::uint32_t fourcc);
/// The formats of surfaces of 8, 10 and 12 bits: NV12, P010, P012.
[[nodiscard]] const ImageFormat& native_format(int bits);

/// Where planes lie: the same for every image of a format and size, derived or created, because
/// clients learn it from one and use it for the other.
struct ImageLayout {
  std::uint32_t planes = 0;
  std::array<std::uint32_t, 3> offsets{};
  std::array<std::uint32_t, 3> pitches{};  ///< bytes
  std::uint32_t bytes = 0;

  /// 1 to video::kMaxDimension each way, odd ones too: chroma rounds up.
  ImageLayout(const ImageFormat& format, int width, int height);
};

/// Part of a surface, in luma samples.
struct Region {
  int x = 0;  ///< even
  int y = 0;  ///< even
  int width = 0;
  int height = 0;
};

/// Writes a region of a frame to the image's upper left corner. What lies beyond the frame, and all
/// of it without a frame, is black. `bytes` is the layout's. A frame of 10 or 12 bits may go to a
/// format of the other depth, with zeros below its own bits or without its two lowest ones.
void write_image(const vp9::FrameBuffer* frame, const Region& region, const ImageFormat& format,
                 const ImageLayout& layout, std::span<std::byte> bytes);

}  // namespace sidecore::va
