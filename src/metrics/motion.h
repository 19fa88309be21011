// motion: how much the reference's luma changes from picture to picture, in integers, as libvmaf's
// feature of that name. This header is what implementations share.
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

/// The blur's taps, about 2^16 times those of a Gaussian; they sum up to 65566. Samples outside the
/// plane are those mirrored at the edge sample, which is not repeated.
inline constexpr int kMotionTaps[] = {3571, 16004, 26386, 16004, 3571};
inline constexpr int kMotionRadius = 2;
/// Smaller planes have nothing to mirror.
inline constexpr int kMotionMinimumSize = 3;

/// Throws Error (usage) unless motion is defined for such pictures.
void check_motion_format(const video::PictureFormat& format);

[[nodiscard]] constexpr int motion_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * size - 2 - index;
}

/// What a thread works in.
struct MotionRow {
  std::vector<std::int32_t> blurred;

  explicit MotionRow(int width) : blurred(static_cast<std::size_t>(width)) {}
};

/// Sum of |blur(previous - current)| over rows `first` to `last` - 1, in 1/256 of the step between
/// two levels of 8 bits. `bits` is the samples' depth, 8 for bytes.
[[nodiscard]] std::uint64_t motion_sad(video::PlaneView<const std::uint8_t> previous,
                                       video::PlaneView<const std::uint8_t> current, int first,
                                       int last, MotionRow& row);
[[nodiscard]] std::uint64_t motion_sad(video::PlaneView<const std::uint16_t> previous,
                                       video::PlaneView<const std::uint16_t> current, int bits,
                                       int first, int last, MotionRow& row);

/// motion_sad() or an implementation of it, with memory for a thread. One thread calls it at a
/// time.
class MotionSummer {
 public:
  virtual ~MotionSummer() = default;
  /// Of luma planes of pictures of the format it was made for.
  [[nodiscard]] virtual std::uint64_t sad(const video::Picture& previous,
                                          const video::Picture& current, int first, int last) = 0;
};
using MakeMotionSummer = std::unique_ptr<MotionSummer> (*)(const video::PictureFormat& format);

/// What requests compare a picture with: the one before it, the one before that, or both.
struct MotionDistances {
  std::array<bool, 2> needed{};

  explicit MotionDistances(std::span<const FeatureRequest> requests);
};

/// The values that a kernel writes of a picture for each request, one after the other. `sads` are
/// motion_sad() of the picture and the one that lies 1 and 2 back; 0 where there is none or no
/// request needs it.
void write_motion(std::span<const std::uint64_t, 2> sads, const video::PictureFormat& format,
                  std::span<const FeatureRequest> requests, std::span<double> values);

/// A kernel of the family motion.
[[nodiscard]] std::unique_ptr<PairKernel> make_motion_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, MakeMotionSummer make);

}  // namespace sidecore::metrics
