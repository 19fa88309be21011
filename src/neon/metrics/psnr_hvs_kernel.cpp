// psnr_hvs by rows of blocks. Threads compute the terms of a group of rows in any order; meanwhile
// one of the threads adds up, in order, the terms of the previous group.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "neon/metrics/families.h"
#include "neon/metrics/psnr_hvs.h"

namespace sidecore::neon {
namespace {

/// A row of blocks of one plane.
struct BlockRow {
  int plane = 0;
  int row = 0;
  std::size_t terms = 0;
};

std::vector<BlockRow> block_rows(const video::PictureFormat& format) {
  std::vector<BlockRow> rows;
  for (int plane = 0; plane < 3; ++plane) {
    const metrics::HvsGrid grid = metrics::hvs_grid(format, plane);
    for (int row = 0; row < grid.rows; ++row) {
      rows.push_back({plane, row, hvs_runs(grid) * kHvsRunTerms});
    }
  }
  return rows;
}

class NeonPsnrHvs final : public metrics::PairKernel {
 public:
  NeonPsnrHvs(const video::PictureFormat& format, std::size_t threads)
      : format_(format),
        rows_(block_rows(format)),
        window_(threads == 1 ? 1 : kRowsPerThread * threads),
        row_terms_(rows_[0].terms) {
    for (std::vector<float>& terms : terms_) terms.resize(window_ * row_terms_);
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    sums_ = {};
    for (std::size_t first = 0; first < rows_.size() + window_; first += window_) {
      const std::size_t count = first < rows_.size() ? std::min(window_, rows_.size() - first) : 0;
      rows.run(count + 1, [&](std::size_t piece, std::size_t) {
        if (piece == 0) {
          if (first != 0) add_window(first - window_);
        } else {
          compute_row(reference, distorted, first + piece - 1);
        }
      });
    }
    metrics::write_psnr_hvs(metrics::psnr_hvs(sums_, format_), scores);
  }

 private:
  // Number of rows per thread in a group. It is large enough that the wait for the group's last
  // rows is a small part of the time.
  static constexpr std::size_t kRowsPerThread = 16;

  // Returns memory for the terms of a row. There is room for two groups of rows: one is computed
  // while the other is added up.
  [[nodiscard]] std::span<float> terms_of(std::size_t row) {
    std::vector<float>& window = terms_[row / window_ % 2];
    return std::span(window).subspan(row % window_ * row_terms_, rows_[row].terms);
  }

  void compute_row(const video::Picture& reference, const video::Picture& distorted,
                   std::size_t row) {
    if (format_.pixel.bits == 8) {
      compute_row_of<std::uint8_t>(reference, distorted, row);
    } else {
      compute_row_of<std::uint16_t>(reference, distorted, row);
    }
  }

  template <class Sample>
  void compute_row_of(const video::Picture& reference, const video::Picture& distorted,
                      std::size_t row) {
    const int plane = rows_[row].plane;
    const HvsPlanes<Sample> planes{reference.plane<Sample>(plane), distorted.plane<Sample>(plane),
                                   plane, metrics::hvs_grid(format_, plane)};
    hvs_row_terms(planes, rows_[row].row, terms_of(row));
  }

  void add_window(std::size_t first) {
    for (std::size_t row = first; row < std::min(first + window_, rows_.size()); ++row) {
      float& sum = sums_[static_cast<std::size_t>(rows_[row].plane)];
      sum = hvs_add_in_order(sum, terms_of(row));
    }
  }

  video::PictureFormat format_;
  std::vector<BlockRow> rows_;
  std::size_t window_;     ///< number of rows of blocks per group
  std::size_t row_terms_;  ///< number of terms of a row of luma, the longest kind of row
  std::array<std::vector<float>, 2> terms_;
  std::array<float, 3> sums_{};
};

}  // namespace

std::unique_ptr<metrics::PairKernel> make_psnr_hvs(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> /*the one*/,
    std::size_t threads) {
  return std::make_unique<NeonPsnrHvs>(format, threads);
}

}  // namespace sidecore::neon
