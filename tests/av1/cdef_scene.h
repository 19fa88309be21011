// Pictures and frames for tests of CDEF.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "av1/cdef.h"
#include "base/random.h"
#include "video/picture.h"

namespace sidecore::test {

/// Kinds of samples: noise; the lowest and the highest value; a ramp with a random slope.
enum class CdefSamples { noise, extreme, ramp };

template <class Sample>
void fill_cdef_picture(video::Picture& picture, CdefSamples kind, Random& random) {
  const auto most = static_cast<std::uint32_t>(picture.format().pixel.max_value());
  for (int plane = 0; plane < picture.format().pixel.planes(); ++plane) {
    const auto view = picture.plane<Sample>(plane);
    const std::uint32_t along_x = random.below(40);
    const std::uint32_t along_y = random.below(40);
    for (int y = 0; y < view.height; ++y) {
      for (int x = 0; x < view.width; ++x) {
        std::uint32_t value = random.below(most + 1);
        if (kind == CdefSamples::extreme) value = random.below(2) * most;
        if (kind == CdefSamples::ramp) {
          value = (static_cast<std::uint32_t>(x) * along_x +
                   static_cast<std::uint32_t>(y) * along_y + random.below(3)) %
                  (most + 1);
        }
        view.row(y)[x] = static_cast<Sample>(value);
      }
    }
  }
}

/// Returns a frame with random strengths, in which three of four blocks are filtered.
inline av1::CdefFrame random_cdef_frame(const video::PictureFormat& format, Random& random) {
  constexpr std::array<std::uint8_t, 4> kSecondary{0, 1, 2, 4};
  const av1::CdefGrid grid(format);
  const auto strength = [&] {
    return av1::CdefStrength{static_cast<std::uint8_t>(random.below(16) * random.below(2)),
                             kSecondary[random.below(4)]};
  };
  av1::CdefFrame frame{.damping = 3 + static_cast<int>(random.below(4))};
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

}  // namespace sidecore::test
