#include "av1/cdef_scene.h"

#include <array>

namespace sidecore::av1 {
namespace {

template <class Sample>
void fill_plane(const video::PlaneView<Sample>& plane, std::uint32_t most, CdefSamples kind,
                Random& random) {
  const std::uint32_t along_x = random.below(40);
  const std::uint32_t along_y = random.below(40);
  const auto value_at = [&](std::uint32_t x, std::uint32_t y) {
    switch (kind) {
      case CdefSamples::extreme:
        return random.below(2) * most;
      case CdefSamples::ramp:
        return (x * along_x + y * along_y + random.below(3)) % (most + 1);
      case CdefSamples::flat:
        return most / 2 + random.below(2);
      case CdefSamples::noise:
        break;
    }
    return random.below(most + 1);
  };
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      plane.row(y)[x] = static_cast<Sample>(
          value_at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)));
    }
  }
}

}  // namespace

void fill_cdef_picture(video::Picture& picture, CdefSamples kind, Random& random) {
  const video::PixelFormat& pixel = picture.format().pixel;
  const auto most = static_cast<std::uint32_t>(pixel.max_value());
  for (int plane = 0; plane < pixel.planes(); ++plane) {
    if (pixel.bits == 8) {
      fill_plane(picture.plane<std::uint8_t>(plane), most, kind, random);
    } else {
      fill_plane(picture.plane<std::uint16_t>(plane), most, kind, random);
    }
  }
}

CdefFrame random_cdef_frame(const video::PictureFormat& format, Random& random) {
  constexpr std::array<std::uint8_t, 4> kSecondary{0, 1, 2, 4};
  const CdefGrid grid(format);
  const auto strength = [&] {
    return CdefStrength{static_cast<std::uint8_t>(random.below(16) * random.below(2)),
                        kSecondary[random.below(4)]};
  };
  CdefFrame frame{.damping = 3 + static_cast<int>(random.below(4))};
  for (int row = 0; row < grid.filter_rows; ++row) {
    for (int column = 0; column < grid.filter_columns; ++column) {
      frame.strengths.push_back({strength(), strength()});
      std::uint64_t filtered = 0;
      for (int bit = 0; bit < 64; ++bit) {
        if (8 * row + bit / 8 < grid.rows && 8 * column + bit % 8 < grid.columns &&
            random.below(4) != 0) {
          filtered |= std::uint64_t{1} << bit;
        }
      }
      frame.filtered.push_back(filtered);
    }
  }
  return frame;
}

}  // namespace sidecore::av1
