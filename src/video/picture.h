// Pictures: planes of integer samples in memory that the picture or someone else owns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace sidecore::video {

/// Chroma subsampling. c400 has luma only. c440 halves the number of rows, as c422 halves the
/// number of columns.
enum class Chroma : std::uint8_t { c400, c420, c422, c444, c440 };

/// Sample type of a picture. 8-bit samples are bytes. Samples of more bits are 16-bit words in host
/// byte order, with the value in the low bits.
struct PixelFormat {
  Chroma chroma = Chroma::c420;
  int bits = 8;  ///< bits per sample, 8 to 16

  [[nodiscard]] int planes() const { return chroma == Chroma::c400 ? 1 : 3; }
  [[nodiscard]] std::size_t bytes_per_sample() const { return bits > 8 ? 2 : 1; }
  [[nodiscard]] int max_value() const { return (1 << bits) - 1; }
  bool operator==(const PixelFormat&) const = default;
};

/// Returns FFmpeg's name, for example "yuv420p", "yuv422p10le", "gray12le".
[[nodiscard]] std::string to_string(const PixelFormat& format);
/// Parses FFmpeg's name. Throws Error (usage) that lists the supported formats.
[[nodiscard]] PixelFormat parse_pixel_format(const std::string& name);

/// Size in luma samples, and sample type.
struct PictureFormat {
  int width = 0;
  int height = 0;
  PixelFormat pixel;

  /// plane_width() and plane_height() return the size of plane 0 (Y), 1 (Cb) or 2 (Cr) in its own
  /// samples. Subsampled sizes are rounded up.
  [[nodiscard]] int plane_width(int plane) const;
  [[nodiscard]] int plane_height(int plane) const;
  bool operator==(const PictureFormat&) const = default;
};

/// Returns the format as text, for example "1920x1080 yuv420p".
[[nodiscard]] std::string to_string(const PictureFormat& format);

/// Largest width and height that are accepted anywhere.
inline constexpr int kMaxDimension = 16384;
/// Throws Error (usage) unless 1 <= width, height <= kMaxDimension and 8 <= bits <= 16.
void check_format(const PictureFormat& format);

/// View of a plane in memory that it does not own. Sample is std::uint8_t, std::uint16_t or float,
/// possibly const.
template <class Sample>
struct PlaneView {
  Sample* samples = nullptr;
  int width = 0;              ///< width in samples
  int height = 0;             ///< height in rows
  std::ptrdiff_t stride = 0;  ///< distance between rows, in samples

  [[nodiscard]] Sample* row(int y) const { return samples + y * stride; }
  // NOLINTNEXTLINE(google-explicit-constructor): a mutable view is a const view
  operator PlaneView<const Sample>() const { return {samples, width, height, stride}; }
};

/// Positions of a picture's planes in one block of memory. Rows start at multiples of kRowAlignment
/// and planes at multiples of kPlaneAlignment. A shader can therefore read any plane as 16-byte
/// words and bind it at its own offset.
struct PictureLayout {
  static constexpr std::size_t kRowAlignment = 64;
  static constexpr std::size_t kPlaneAlignment = 256;

  struct Plane {
    std::size_t offset = 0;  ///< offset of the plane from the start of the block, in bytes
    std::size_t stride = 0;  ///< distance between rows, in bytes
    std::size_t bytes = 0;   ///< size of the plane: stride * rows
  };
  std::array<Plane, 3> planes;
  std::size_t bytes = 0;  ///< size of the whole block

  PictureLayout() = default;
  explicit PictureLayout(const PictureFormat& format);
};

/// A picture in its own zeroed heap memory, or in given memory, for example of a device.
class Picture {
 public:
  Picture() = default;
  /// Creates a picture in its own memory. Throws Error (usage) as check_format() does.
  explicit Picture(const PictureFormat& format);
  /// Creates a picture in given memory, which must have PictureLayout(format).bytes or more bytes
  /// and be aligned to kRowAlignment. `owner` keeps the memory alive; it may be null if the caller
  /// keeps the memory alive.
  Picture(const PictureFormat& format, std::span<std::byte> memory, std::shared_ptr<void> owner);

  [[nodiscard]] const PictureFormat& format() const { return format_; }
  [[nodiscard]] const PictureLayout& layout() const { return layout_; }
  [[nodiscard]] std::span<std::byte> bytes() { return memory_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return memory_; }

  /// Returns a view of a plane. Sample must be std::uint8_t for 8 bits and std::uint16_t for more
  /// (asserted).
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
