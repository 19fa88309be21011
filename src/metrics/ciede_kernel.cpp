#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/ciede.h"
#include "metrics/families.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {
namespace {

std::vector<std::string> ciede_outputs(const FeatureOptions& /*none*/) {
  return {"ciede2000"};
}

void check_ciede(const video::PictureFormat& format, const FeatureOptions& /*none*/) {
  check_float_depth("ciede", format.pixel.bits);
  const video::Chroma chroma = format.pixel.chroma;
  // libvmaf reads the chroma rows of 4:2:2 beyond their ends.
  if (chroma != video::Chroma::c420 && chroma != video::Chroma::c444) {
    throw usage_error("ciede is defined for 4:2:0 and 4:4:4, not for {}", to_string(format));
  }
}

constexpr int kCiedeRowsPerPiece = 4;

class CiedeKernel final : public PairKernel {
 public:
  CiedeKernel(const video::PictureFormat& format, std::size_t threads,
              decltype(&ciede_differences) differences)
      : format_(format),
        find_differences_(differences),
        differences_(format.width, format.height),
        scratch_(threads) {
    for (Scratch& scratch : scratch_) {
      for (std::vector<std::uint16_t>& row : scratch) {
        row.resize(static_cast<std::size_t>(format.width) + 1);
      }
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    team.run_rows({0, format_.height}, kCiedeRowsPerPiece, [&](int y, std::size_t thread) {
      Scratch& scratch = scratch_[thread];
      find_differences_(rows_of(reference, y, std::span(scratch).first<3>()),
                        rows_of(distorted, y, std::span(scratch).last<3>()), format_.pixel.bits,
                        format_.width, differences_.row(y));
    });
    // The differences must be added in order, because sums in binary64 are rounded.
    double sum = 0;
    for (int y = 0; y < format_.height; ++y) {
      const float* const row = differences_.row(y);
      for (int x = 0; x < format_.width; ++x) sum += row[x];
    }
    scores[0] = 45 - 20 * std::log10(sum / (static_cast<double>(format_.width) * format_.height));
  }

 private:
  /// Rows of Y, U and V, of the reference and then of the distorted picture.
  using Scratch = std::array<std::vector<std::uint16_t>, 6>;

  CiedeRows rows_of(const video::Picture& picture, int y,
                    std::span<std::vector<std::uint16_t>, 3> rows) const {
    if (format_.pixel.bits == 8) return expand<std::uint8_t>(picture, y, rows);
    return expand<std::uint16_t>(picture, y, rows);
  }

  /// Copies row y of each plane. A chroma sample of 4:2:0 stands for two columns and two rows.
  template <class Sample>
  CiedeRows expand(const video::Picture& picture, int y,
                   std::span<std::vector<std::uint16_t>, 3> rows) const {
    const bool is_halved = format_.pixel.chroma == video::Chroma::c420;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const video::PlaneView<const Sample> from = picture.plane<Sample>(static_cast<int>(plane));
      std::vector<std::uint16_t>& to = rows[plane];
      if (plane == 0 || !is_halved) {
        std::copy_n(from.row(y), format_.width, to.begin());
        continue;
      }
      const Sample* const row = from.row(y / 2);
      const auto pairs = static_cast<std::size_t>(format_.width + 1) / 2;
      for (std::size_t x = 0; x < pairs; ++x) to[2 * x] = to[2 * x + 1] = row[x];
    }
    return {rows[0].data(), rows[1].data(), rows[2].data()};
  }

  video::PictureFormat format_;
  decltype(&ciede_differences) find_differences_;
  FloatPlane differences_;
  std::vector<Scratch> scratch_;  // one element per thread
};

std::unique_ptr<PairKernel> make_scalar_ciede(const video::PictureFormat& format,
                                              std::span<const FeatureRequest> /*the one*/,
                                              std::size_t threads) {
  return make_ciede_kernel(format, threads, ciede_differences);
}

}  // namespace

std::unique_ptr<PairKernel> make_ciede_kernel(const video::PictureFormat& format,
                                              std::size_t threads,
                                              decltype(&ciede_differences) differences) {
  return std::make_unique<CiedeKernel>(format, threads, differences);
}

const FeatureFamily& ciede_family() {
  static constexpr std::array kFeatures{Feature{.name = "ciede",
                                                .exactness = "equal to libvmaf's scalar build",
                                                .options = {},
                                                .outputs = ciede_outputs,
                                                .check = check_ciede,
                                                .reads_chroma = true}};
  static constexpr FeatureFamily kFamily{"ciede", kFeatures, make_scalar_ciede};
  return kFamily;
}

}  // namespace sidecore::metrics
