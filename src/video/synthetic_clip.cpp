#include "video/synthetic_clip.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace sidecore::video {
namespace {

// Mixes 32 bits: two rounds of multiplication and xorshift.
std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  x ^= x >> 16U;
  return x;
}

/// Value noise on a lattice of 2^shift samples: bilinear interpolation between hashed lattice
/// values.
struct Octave {
  std::uint32_t shift;
  std::uint32_t seed;    // number that is added to the plane's seed
  std::uint32_t weight;  // weight of the octave; the weights of all octaves add up to 7
};
constexpr Octave kOctaves[] = {{5, 1, 4}, {3, 2, 2}, {1, 3, 1}};

class NoiseRow {
 public:
  /// Prepares row `gy` of the noise of `octave`. Lattice values are 0..max_value (a power of two
  /// minus 1).
  NoiseRow(const Octave& octave, std::uint32_t plane_seed, std::uint32_t gy,
           std::uint32_t max_value)
      : cell_(1U << octave.shift),
        shift_(octave.shift),
        seed_(plane_seed + octave.seed),
        row_(gy >> octave.shift),
        below_(gy & (cell_ - 1)),
        max_value_(max_value) {}

  /// Adds weight * noise(gx + i, gy) to sum[i].
  void add_to(std::span<std::uint32_t> sum, std::uint32_t gx, std::uint32_t weight) const {
    std::uint32_t column = gx >> shift_;
    std::uint32_t right_of = gx & (cell_ - 1);
    std::uint32_t left = blend_rows(column);
    std::uint32_t right = blend_rows(column + 1);
    for (std::uint32_t& value : sum) {
      // The sum is at most 2^16 * 2^5 * 2^5, which fits in 32 bits.
      const std::uint32_t noise =
          (left * (cell_ - right_of) + right * right_of + cell_ * cell_ / 2) >> (2 * shift_);
      value += weight * noise;
      if (++right_of < cell_) continue;
      right_of = 0;
      left = right;
      right = blend_rows(++column + 1);
    }
  }

 private:
  [[nodiscard]] std::uint32_t lattice(std::uint32_t i, std::uint32_t j) const {
    return hash((i * 73856093U) ^ (j * 19349663U) ^ seed_) & max_value_;
  }
  [[nodiscard]] std::uint32_t blend_rows(std::uint32_t column) const {
    return lattice(column, row_) * (cell_ - below_) + lattice(column, row_ + 1) * below_;
  }

  std::uint32_t cell_;
  std::uint32_t shift_;
  std::uint32_t seed_;
  std::uint32_t row_;
  std::uint32_t below_;
  std::uint32_t max_value_;
};

bool in_rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t t) {
  return (x + 5 * t) % 160 < 48 && (y + 2 * t) % 96 < 40;
}

template <class Sample>
void fill_reference_plane(PlaneView<Sample> plane, int index, std::uint32_t t,
                          std::uint32_t max_value) {
  const std::uint32_t plane_seed = static_cast<std::uint32_t>(index) * 0x9e3779b9U;
  std::vector<std::uint32_t> sum(static_cast<std::size_t>(plane.width));
  for (int y = 0; y < plane.height; ++y) {
    std::fill(sum.begin(), sum.end(), 3U);
    const auto row = static_cast<std::uint32_t>(y);
    for (const Octave& octave : kOctaves) {
      NoiseRow(octave, plane_seed, row + t, max_value).add_to(sum, 3 * t, octave.weight);
    }
    Sample* const out = plane.row(y);
    for (int x = 0; x < plane.width; ++x) {
      std::uint32_t value = sum[static_cast<std::size_t>(x)] / 7;
      if (index == 0 && in_rectangle(static_cast<std::uint32_t>(x), row, t)) {
        value = max_value - value;
      }
      out[x] = static_cast<Sample>(value);
    }
  }
}

template <class Sample>
class Distortion {
 public:
  Distortion(PlaneView<const Sample> reference, int plane, std::uint32_t t, int bits)
      : reference_(reference),
        plane_(static_cast<std::uint32_t>(plane)),
        t_(t),
        step_(1 << (bits - 8)),
        max_value_((1 << bits) - 1) {}

  [[nodiscard]] Sample at(int x, int y) const {
    return static_cast<Sample>(std::clamp(distort(x, y), 0, max_value_));
  }

 private:
  [[nodiscard]] int distort(int x, int y) const {
    const auto block_x = static_cast<std::uint32_t>(x) >> 3U;
    const auto block_y = static_cast<std::uint32_t>(y) >> 3U;
    const std::uint32_t kind =
        hash((block_x * 2654435761U) ^ (block_y * 40503U) ^ (t_ * 97U) ^ (plane_ * 0x51ed27U)) & 3U;
    const int value = reference_.row(y)[x];
    switch (kind) {
      case 0:
        return quantised(value);
      case 1:
        return blurred(x, y);
      case 2:
        return value + noise(x, y) * step_;
      default:
        return value;
    }
  }

  [[nodiscard]] int quantised(int value) const {
    const int quantum = 12 * step_;
    return (value + quantum / 2) / quantum * quantum;
  }

  [[nodiscard]] int blurred(int x, int y) const {
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      const Sample* const row = reference_.row(std::clamp(y + dy, 0, reference_.height - 1));
      for (int dx = -1; dx <= 1; ++dx) sum += row[std::clamp(x + dx, 0, reference_.width - 1)];
    }
    return (sum + 4) / 9;
  }

  [[nodiscard]] int noise(int x, int y) const {
    const std::uint32_t bits =
        hash((static_cast<std::uint32_t>(x) * 374761393U) ^
             (static_cast<std::uint32_t>(y) * 668265263U) ^ (t_ * 1013U) ^ plane_);
    return static_cast<int>(bits & 7U) - 3;
  }

  PlaneView<const Sample> reference_;
  std::uint32_t plane_;
  std::uint32_t t_;
  int step_;
  int max_value_;
};

template <class Sample>
void fill(const PixelFormat& pixel, int t, Picture& picture) {
  for (int index = 0; index < pixel.planes(); ++index) {
    fill_reference_plane(picture.plane<Sample>(index), index, static_cast<std::uint32_t>(t),
                         static_cast<std::uint32_t>(pixel.max_value()));
  }
}

template <class Sample>
void distort(const PixelFormat& pixel, int t, const Picture& reference, Picture& picture) {
  for (int index = 0; index < pixel.planes(); ++index) {
    const Distortion<Sample> distortion(reference.plane<Sample>(index), index,
                                        static_cast<std::uint32_t>(t), pixel.bits);
    const PlaneView<Sample> plane = picture.plane<Sample>(index);
    for (int y = 0; y < plane.height; ++y) {
      for (int x = 0; x < plane.width; ++x) plane.row(y)[x] = distortion.at(x, y);
    }
  }
}

}  // namespace

SyntheticClip::SyntheticClip(const PictureFormat& format) : format_(format) {
  check_format(format);
}

Picture SyntheticClip::reference(int t) const {
  Picture picture(format_);
  fill_reference(t, picture);
  return picture;
}

Picture SyntheticClip::distorted(int t) const {
  Picture picture(format_);
  fill_distorted(t, reference(t), picture);
  return picture;
}

void SyntheticClip::fill_reference(int t, Picture& picture) const {
  assert(t >= 0 && picture.format() == format_);
  if (format_.pixel.bits > 8) {
    fill<std::uint16_t>(format_.pixel, t, picture);
  } else {
    fill<std::uint8_t>(format_.pixel, t, picture);
  }
}

void SyntheticClip::fill_distorted(int t, const Picture& reference, Picture& picture) const {
  assert(t >= 0 && picture.format() == format_ && reference.format() == format_);
  if (format_.pixel.bits > 8) {
    distort<std::uint16_t>(format_.pixel, t, reference, picture);
  } else {
    distort<std::uint8_t>(format_.pixel, t, reference, picture);
  }
}

}  // namespace sidecore::video
