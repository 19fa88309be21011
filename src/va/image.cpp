#include "va/image.h"

#include <algorithm>

#include "base/rounding.h"

namespace sidecore::va {
namespace {

constexpr std::array kFormats{
    ImageFormat{
        .fourcc = VA_FOURCC_NV12, .bits = 8, .interleaved = true, .v_first = false, .shift = 0},
    ImageFormat{
        .fourcc = VA_FOURCC_I420, .bits = 8, .interleaved = false, .v_first = false, .shift = 0},
    ImageFormat{
        .fourcc = VA_FOURCC_YV12, .bits = 8, .interleaved = false, .v_first = true, .shift = 0},
    ImageFormat{
        .fourcc = VA_FOURCC_P010, .bits = 10, .interleaved = true, .v_first = false, .shift = 6},
    ImageFormat{
        .fourcc = VA_FOURCC_I010, .bits = 10, .interleaved = false, .v_first = false, .shift = 0},
    ImageFormat{
        .fourcc = VA_FOURCC_P012, .bits = 12, .interleaved = true, .v_first = false, .shift = 4},
};

constexpr std::uint32_t kPitchAlignment = 64;

int half(int samples) {
  return (samples + 1) / 2;
}

/// A plane of an image that samples are written to.
template <class Sample>
struct Target {
  std::byte* data;
  std::size_t pitch;  ///< bytes
  [[nodiscard]] Sample* row(int y) const {
    return reinterpret_cast<Sample*>(data + static_cast<std::size_t>(y) * pitch);
  }
};

/// Returns the part of a frame's plane that `part` covers, clipped to the plane; empty if the frame
/// is null.
template <class Sample>
video::PlaneView<const Sample> part(const vp9::FrameBuffer* frame, int plane, const Region& part) {
  if (frame == nullptr) return {};
  video::PlaneView<const Sample> view = frame->visible<Sample>(plane);
  view.width = std::clamp(view.width - part.x, 0, part.width);
  view.height = std::clamp(view.height - part.y, 0, part.height);
  if (view.width == 0 || view.height == 0) return {};
  view.samples = view.row(part.y) + part.x;
  return view;
}

/// Conversion of a frame's samples to an image format: drops the lowest bits, then shifts up.
struct Shift {
  int down = 0;
  int up = 0;

  Shift(const vp9::FrameBuffer* frame, const ImageFormat& format) : up(format.shift) {
    if (frame == nullptr) return;
    const int bits = frame->memory.format().pixel.bits;
    down = std::max(bits - format.bits, 0);
    up += std::max(format.bits - bits, 0);
  }
  [[nodiscard]] bool none() const { return down == 0 && up == 0; }
  template <class Sample>
  [[nodiscard]] Sample of(Sample sample) const {
    return static_cast<Sample>(sample >> down << up);
  }
};

template <class Sample>
void copy_plane(const video::PlaneView<const Sample>& from, const Region& region, Shift shift,
                Sample beyond, const Target<Sample>& to) {
  for (int y = 0; y < region.height; ++y) {
    Sample* const row = to.row(y);
    const int width = y < from.height ? from.width : 0;
    const Sample* const source = width > 0 ? from.row(y) : nullptr;
    if (shift.none()) {
      std::copy_n(source, width, row);
    } else {
      for (int x = 0; x < width; ++x) row[x] = shift.of(source[x]);
    }
    std::fill(row + width, row + region.width, beyond);
  }
}

template <class Sample>
void interleave(const video::PlaneView<const Sample>& u, const video::PlaneView<const Sample>& v,
                const Region& region, Shift shift, Sample beyond, const Target<Sample>& to) {
  for (int y = 0; y < region.height; ++y) {
    Sample* const row = to.row(y);
    const int width = y < u.height ? u.width : 0;
    const Sample* const from_u = width > 0 ? u.row(y) : nullptr;
    const Sample* const from_v = width > 0 ? v.row(y) : nullptr;
    for (int x = 0; x < width; ++x) {
      row[2 * x] = shift.of(from_u[x]);
      row[2 * x + 1] = shift.of(from_v[x]);
    }
    std::fill(row + 2 * width, row + 2 * region.width, beyond);
  }
}

template <class Sample>
void write(const vp9::FrameBuffer* frame, const Region& region, const ImageFormat& format,
           const ImageLayout& layout, std::span<std::byte> bytes) {
  const auto target = [&](std::size_t plane) {
    return Target<Sample>{bytes.data() + layout.offsets[plane], layout.pitches[plane]};
  };
  const Region chroma{region.x / 2, region.y / 2, half(region.width), half(region.height)};
  const auto grey = static_cast<Sample>(1 << (format.bits - 1 + format.shift));
  const Shift shift(frame, format);
  copy_plane(part<Sample>(frame, 0, region), region, shift, Sample{0}, target(0));
  const auto u = part<Sample>(frame, 1, chroma);
  const auto v = part<Sample>(frame, 2, chroma);
  if (format.interleaved) {
    interleave(u, v, chroma, shift, grey, target(1));
  } else {
    copy_plane(u, chroma, shift, grey, target(format.v_first ? 2 : 1));
    copy_plane(v, chroma, shift, grey, target(format.v_first ? 1 : 2));
  }
}

}  // namespace

std::span<const ImageFormat> image_formats() {
  return kFormats;
}

const ImageFormat* find_image_format(std::uint32_t fourcc) {
  const auto* const found = std::ranges::find(kFormats, fourcc, &ImageFormat::fourcc);
  return found == kFormats.end() ? nullptr : found;
}

const ImageFormat& native_format(int bits) {
  return *find_image_format(bits > 10  ? VA_FOURCC_P012
                            : bits > 8 ? VA_FOURCC_P010
                                       : VA_FOURCC_NV12);
}

ImageLayout::ImageLayout(const ImageFormat& format, int width, int height) {
  const std::uint32_t sample = format.bits > 8 ? 2 : 1;
  const auto columns = static_cast<std::uint32_t>(width + width % 2);
  const auto rows = static_cast<std::uint32_t>(height);
  const std::uint32_t chroma_rows = (rows + 1) / 2;
  const std::uint32_t pitch = round_up(columns * sample, kPitchAlignment);
  planes = format.interleaved ? 2 : 3;
  pitches = {pitch, format.interleaved ? pitch : pitch / 2, format.interleaved ? 0 : pitch / 2};
  offsets = {0, pitch * rows, format.interleaved ? 0 : pitch * rows + pitch / 2 * chroma_rows};
  bytes = pitch * (rows + chroma_rows);
}

void write_image(const vp9::FrameBuffer* frame, const Region& region, const ImageFormat& format,
                 const ImageLayout& layout, std::span<std::byte> bytes) {
  if (format.bits > 8) {
    write<std::uint16_t>(frame, region, format, layout, bytes);
  } else {
    write<std::uint8_t>(frame, region, format, layout, bytes);
  }
}

}  // namespace sidecore::va
