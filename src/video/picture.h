// Pictures: planes of integer samples in memory that someone else may own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace sidecore::video {

/// Chroma sampling; c400 is luma only. c440 halves rows, as c422 halves columns.
enum class Chroma : std::uint8_t { c400, c420, c422, c444, c440 };

/// Sample type of a picture. Samples of 8 bits are bytes; deeper ones are 16-bit words, host order,
/// value in the low bits.
struct PixelFormat {
  Chroma chroma = Chroma::c420;
  int bits = 8;  ///< 8 to 16

  [[nodiscard]] int planes() const { return chroma == Chroma::c400 ? 1 : 3; }
  [[nodiscard]] std::size_t bytes_per_sample() const { return bits > 8 ? 2 : 1; }
  [[nodiscard]] int max_value() const { return (1 << bits) - 1; }
  bool operator==(const PixelFormat&) const = default;
};

/// FFmpeg's name, e.g. "yuv420p", "yuv422p10le", "gray12le".
[[nodiscard]] std::string to_string(const PixelFormat& format);
/// The inverse; throws Error (usage) that lists what is supported.
[[nodiscard]] PixelFormat parse_pixel_format(const std::string& name);

/// Size in luma samples, and sample type.
struct PictureFormat {
  int width = 0;
  int height = 0;
  PixelFormat pixel;

  /// Size of plane 0 (Y), 1 (Cb) or 2 (Cr) in its own samples; subsampled sizes round up.
  [[nodiscard]] int plane_width(int plane) const;
  [[nodiscard]] int plane_height(int plane) const;
  bool operator==(const PictureFormat&) const = default;
};

/// "1920x1080 yuv420p".
[[nodiscard]] std::string to_string(const PictureFormat& format);

/// The largest width or height that is accepted anywhere.
inline constexpr int kMaxDimension = 16384;
/// Throws Error (usage) unless 1 <= width, height <= kMaxDimension and 8 <= bits <= 16.
void check_format(const PictureFormat& format);

/// A plane that somebody else owns. Sample is std::uint8_t, std::uint16_t or float, perhaps const.
template <class Sample>
struct PlaneView {
  Sample* samples = nullptr;
  int width = 0;              ///< in samples
  int height = 0;             ///< in rows
  std::ptrdiff_t stride = 0;  ///< from a row to the next, in samples

  [[nodiscard]] Sample* row(int y) const { return samples + y * stride; }
  // NOLINTNEXTLINE(google-explicit-constructor): a mutable view is a const view
  operator PlaneView<const Sample>() const { return {samples, width, height, stride}; }
};

/// Where the planes of a picture lie in one block of memory. Rows start at multiples of
/// kRowAlignment, planes at multiples of kPlaneAlignment, so that a shader may read any plane as
/// 16-byte words and bind it at its own offset.
struct PictureLayout {
  static constexpr std::size_t kRowAlignment = 64;
  static constexpr std::size_t kPlaneAlignment = 256;

  struct Plane {
    std::size_t offset = 0;  ///< bytes from the block's start
    std::size_t stride = 0;  ///< bytes from a row to the next
    std::size_t bytes = 0;   ///< stride * rows
  };
  std::array<Plane, 3> planes;
  std::size_t bytes = 0;  ///< whole block

  PictureLayout() = default;
  explicit PictureLayout(const PictureFormat& format);
};

/// A picture in memory of its own (heap, zeroed) or in memory that a device sees too.
class Picture {
 public:
  Picture() = default;
  /// Own memory. Throws Error (usage) as check_format() does.
  explicit Picture(const PictureFormat& format);
  /// Memory of somebody else: at least PictureLayout(format).bytes, aligned to kRowAlignment, kept
  /// alive by `owner` (may be null when the caller sees to it).
  Picture(const PictureFormat& format, std::span<std::byte> memory, std::shared_ptr<void> owner);

  [[nodiscard]] const PictureFormat& format() const { return format_; }
  [[nodiscard]] const PictureLayout& layout() const { return layout_; }
  [[nodiscard]] std::span<std::byte> bytes() { return memory_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return memory_; }

  /// Sample must be std::uint8_t for 8 bits and std::uint16_t for more (asserted).
  template <class Sample>
  [[nodiscard]] PlaneView<Sample> plane(int index) {
    return view<Sample>(index, memory_.data());
  }
  template <class Sample>
  [[nodiscard]] PlaneView<const Sample> plane(int index) const {
    return view<const Sample>(index, static_cast<const std::byte*>(memory_.data()));
  }

 private:
  void assert_sample(std::size_t sample_bytes, int plane) const;

  template <class Sample, class Byte>
  PlaneView<Sample> view(int index, Byte* base) const {
    assert_sample(sizeof(Sample), index);
    const PictureLayout::Plane& plane = layout_.planes[static_cast<std::size_t>(index)];
    return {reinterpret_cast<Sample*>(base + plane.offset), format_.plane_width(index),
            format_.plane_height(index),
            static_cast<std::ptrdiff_t>(plane.stride / sizeof(Sample))};
  }

  PictureFormat format_;
  PictureLayout layout_;
  std::span<std::byte> memory_;
  std::shared_ptr<void> owner_;
};

}  // namespace sidecore::video
