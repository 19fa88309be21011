// NEON implementation of metrics/motion.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/motion.h"
#include "video/picture.h"

namespace sidecore::neon {

/// metrics::motion_sad() of planes of one width and depth, with memory for a thread: the same sums
/// of samples that keep to their depth.
class MotionSad {
 public:
  /// `bits` is 8 for bytes.
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
  /// Rows of differences around row y, mirrored.
  [[nodiscard]] std::array<const std::int16_t*, 5> rows_around(int y, int height);
  /// Into narrow_, with mirrored ends. False when a value is too large for it.
  [[nodiscard]] bool blur_vertically(int y, int height);
  /// Into wide_.
  void blur_vertically_wide(int y, int height);
  [[nodiscard]] std::uint64_t sum_narrow() const;
  [[nodiscard]] std::uint64_t sum_wide() const;
  [[nodiscard]] std::int16_t* difference_row(int y);

  int bits_;
  int width_;
  metrics::MotionRow whole_row_;
  std::array<std::vector<std::int16_t>, 5> differences_;  // the last rows
  std::vector<std::int16_t> narrow_;                      // one row, blurred vertically
  std::vector<std::int32_t> wide_;                        // the same
};

}  // namespace sidecore::neon
