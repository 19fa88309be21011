// Keeps lines of samples that intra prediction needs after the loop filter has changed them.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "video/picture.h"
#include "vp9/frame_header.h"
#include "vp9/picture_data.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// Copies of the last line of each row of superblocks, as it was before the loop filter. Intra
/// prediction in the row below reads them, so that the filter may follow close behind the
/// reconstruction. Only the lines of the last few rows are kept.
class UnfilteredLines {
 public:
  /// Prepares for a frame in `memory`. keep() of row r must be called only when no thread needs the
  /// line of row r - rows_kept any more. Allocates only if the frame is larger than earlier ones.
  void start(const video::Picture& memory, std::size_t rows_kept) {
    const std::size_t sample_bytes = memory.format().pixel.bytes_per_sample();
    rows_kept_ = rows_kept;
    row_bytes_ = 0;
    for (int plane = 0; plane < 3; ++plane) {
      begin_[static_cast<std::size_t>(plane)] = row_bytes_ + kMargin * sample_bytes;
      const auto width = static_cast<std::size_t>(memory.format().plane_width(plane));
      row_bytes_ += (width + 2 * kMargin) * sample_bytes;
    }
    bytes_.require(rows_kept * row_bytes_);
  }

  /// Copies the part of the line below a superblock that is reconstructed and not filtered yet.
  template <class Sample>
  void keep(const std::array<video::PlaneView<Sample>, 3>& planes, const FrameHeader& header,
            int row, int column) {
    for (int plane = 0; plane < 3; ++plane) {
      const Subsampling sampling = header.subsampling(plane);
      const int x = (column * kSuperblock) >> sampling.x;
      const int y = (((row + 1) * kSuperblock) >> sampling.y) - 1;
      std::memcpy(at<Sample>(plane, row) + x, planes[static_cast<std::size_t>(plane)].row(y) + x,
                  static_cast<std::size_t>(kSuperblock >> sampling.x) * sizeof(Sample));
    }
  }

  /// Returns the last line of a row of superblocks: its sample at x = 0. Some samples beyond both
  /// ends are readable and have any value.
  template <class Sample>
  [[nodiscard]] const Sample* line(int plane, int row) const {
    return const_cast<UnfilteredLines*>(this)->at<Sample>(plane, row);
  }

 private:
  // Number of samples before and after a line that an intra predictor may read (IntraPredict).
  static constexpr std::size_t kMargin = kSuperblock;

  template <class Sample>
  [[nodiscard]] Sample* at(int plane, int row) {
    return reinterpret_cast<Sample*>(bytes_.data() +
                                     static_cast<std::size_t>(row) % rows_kept_ * row_bytes_ +
                                     begin_[static_cast<std::size_t>(plane)]);
  }

  std::size_t rows_kept_ = 1;
  std::size_t row_bytes_ = 0;
  std::array<std::size_t, 3> begin_{};  ///< offset of each plane's line in a row
  Storage<std::byte> bytes_;
};

}  // namespace sidecore::vp9
