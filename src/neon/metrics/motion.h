// NEON implementation of metrics/motion.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/motion.h"
#include "video/picture.h"

namespace sidecore::neon {

/// NEON implementation of metrics::motion_sad() for planes of one width and depth, with memory for
/// one thread. The sums are the same if samples do not exceed their depth.
class MotionSad {
 public:
  /// Creates the object. `bits` is the number of bits per sample; at 8, samples are bytes.
  MotionSad(int width, int bits);

  [[nodiscard]] std::uint64_t sum(video::PlaneView<const std::uint8_t> previous,
                                  video::PlaneView<const std::uint8_t> current, int first,
                                  int last);
  [[nodiscard]] std::uint64_t sum(video::PlaneView<const std::uint16_t> previous,
                                  video::PlaneView<const std::uint16_t> current, int first,
                                  int last);

 private:
  template <class Sample>
  std::uint64_t sum_rows(video::PlaneView<const Sample> previous,
                         video::PlaneView<const Sample> current, int first, int last);
  template <class Sample>
  void subtract(const Sample* previous, const Sample* current, int y);
  /// Returns the rows of differences around row y, mirrored at the plane's border.
  [[nodiscard]] std::array<const std::int16_t*, 5> rows_around(int y, int height);
  /// Blurs vertically into narrow_, with mirrored ends. Returns false if a value is too large for
  /// narrow_.
  [[nodiscard]] bool blur_vertically(int y, int height);
  /// Blurs vertically into wide_.
  void blur_vertically_wide(int y, int height);
  [[nodiscard]] std::uint64_t sum_narrow() const;
  [[nodiscard]] std::uint64_t sum_wide() const;
  [[nodiscard]] std::int16_t* difference_row(int y);

  int bits_;
  int width_;
  metrics::MotionRow sad_row_;
  std::array<std::vector<std::int16_t>, 5> differences_;  // the last five rows of differences
  std::vector<std::int16_t> narrow_;                      // one row after the vertical blur
  // Values of the row in 32 bits. They are used if a value is too large for narrow_.
  std::vector<std::int32_t> wide_;
};

}  // namespace sidecore::neon
