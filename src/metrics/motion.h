// motion: how much the reference's luma changes from picture to picture, in integers, as libvmaf's
// feature motion computes it. Implementations share this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Taps of the blur: about 2^16 times a Gaussian, with a sum of 65566. Samples outside the plane
/// are mirrored at the border sample, which is not repeated.
inline constexpr int kMotionTaps[] = {3571, 16004, 26386, 16004, 3571};
inline constexpr int kMotionRadius = 2;
/// Smallest width and height of the pictures: smaller planes have no samples to mirror.
inline constexpr int kMotionMinimumSize = 3;

/// Throws Error (usage) unless motion is defined for such pictures.
void check_motion_format(const video::PictureFormat& format);

[[nodiscard]] constexpr int motion_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * size - 2 - index;
}

/// Working memory of one thread.
struct MotionRow {
  std::vector<std::int32_t> blurred;

  explicit MotionRow(int width) : blurred(static_cast<std::size_t>(width)) {}
};

/// Returns the sum of |blur(previous - current)| over rows `first` to `last` - 1, in 1/256 of an
/// 8-bit level. `bits` is the samples' depth; it is 8 for bytes.
[[nodiscard]] std::uint64_t motion_sad(video::PlaneView<const std::uint8_t> previous,
                                       video::PlaneView<const std::uint8_t> current, int first,
                                       int last, MotionRow& row);
[[nodiscard]] std::uint64_t motion_sad(video::PlaneView<const std::uint16_t> previous,
                                       video::PlaneView<const std::uint16_t> current, int bits,
                                       int first, int last, MotionRow& row);

/// An implementation of motion_sad() with working memory for one thread, which only one thread at a
/// time may call.
class MotionSummer {
 public:
  virtual ~MotionSummer() = default;
  /// Returns motion_sad() of the luma of two pictures of the constructor's format.
  [[nodiscard]] virtual std::uint64_t sad(const video::Picture& previous,
                                          const video::Picture& current, int first, int last) = 0;
};
using MakeMotionSummer = std::unique_ptr<MotionSummer> (*)(const video::PictureFormat& format);

/// Distances at which requests compare pictures: needed[0] is true for 1 picture back, needed[1]
/// for 2 back.
struct MotionDistances {
  std::array<bool, 2> needed{};

  explicit MotionDistances(std::span<const FeatureRequest> requests);
};

/// Writes the values of a picture for each request, request by request. sads[i] is motion_sad() of
/// the picture and the picture i + 1 back; it is 0 if there is none, or if no request needs it.
void write_motion(std::span<const std::uint64_t, 2> sads, const video::PictureFormat& format,
                  std::span<const FeatureRequest> requests, std::span<double> values);

/// Makes a kernel of the family motion.
[[nodiscard]] std::unique_ptr<PairKernel> make_motion_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, MakeMotionSummer make);

}  // namespace sidecore::metrics
