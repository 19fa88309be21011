#include "metrics/motion.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Options of motion. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kMotionOptions{
    OptionSpec{"motion_force_zero", OptionType::boolean, 0, 0, 1, "force_0"},
    OptionSpec{"motion_blend_factor", OptionType::real, 1, 0, 1, "mbf"},
    OptionSpec{"motion_blend_offset", OptionType::real, 40, 0, 1000, "mbo"},
    OptionSpec{"motion_fps_weight", OptionType::real, 1, 0, 5, "mfw"},
    OptionSpec{"motion_max_val", OptionType::real, 10000, 0, 10000, "mmxv"},
    OptionSpec{"motion_five_frame_window", OptionType::boolean, 0, 0, 1, "mffw"},
    OptionSpec{"motion_moving_average", OptionType::boolean, 0, 0, 1, "mma"},
    OptionSpec{.name = "debug", .adds_outputs = true}};

/// Columns of the outputs of motion.
enum MotionOutput : std::uint8_t { kMotion2, kMotion3, kMotionSad, kMotionDebug };

/// Returns how many pictures back a picture is compared with.
std::size_t motion_distance(const FeatureOptions& options) {
  return options.flag("motion_five_frame_window") ? 2 : 1;
}

std::vector<std::string> motion_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"integer_motion2", "integer_motion3",
                                 "VMAF_integer_feature_motion_sad_score"};
  if (options.flag("debug")) names.emplace_back("integer_motion");
  return names;
}

void check_motion(const video::PictureFormat& format, const FeatureOptions& /*any*/) {
  check_motion_format(format);
}

double motion_score(std::uint64_t sad, const video::PictureFormat& format,
                    const FeatureOptions& options) {
  const double samples = static_cast<double>(format.width) * format.height;
  return std::min(static_cast<double>(sad) / 256.0 / samples * options.real("motion_fps_weight"),
                  options.real("motion_max_val"));
}

double blended(double motion, const FeatureOptions& options) {
  const double factor = options.real("motion_blend_factor");
  const double blend =
      motion * factor + (1 - factor) * std::min(options.real("motion_blend_offset"), motion);
  return std::min(blend, options.real("motion_max_val"));
}

/// Returns the score motion2 of picture i: the smaller of the changes to the pictures before and
/// after it, so that a scene cut counts for neither side. `motion` has the changes of all pictures.
double motion2(std::span<const double> motion, std::size_t i, std::size_t distance) {
  if (i < distance) return 0;
  if (i + 1 == motion.size()) return motion[i];
  const std::size_t before = i + 1 - distance;
  if (before < distance) return motion[i + 1];
  return std::min(motion[before], motion[i + 1]);
}

void finish_motion(const FeatureOptions& options, std::span<const std::span<double>> columns) {
  const std::span<const double> motion = columns[kMotionSad];
  const std::size_t distance = motion_distance(options);
  // The first `distance` pictures have no earlier picture; they get the score of the first picture
  // that has one.
  const double first = motion.size() > distance ? blended(motion[distance], options) : 0;
  double previous = first;
  for (std::size_t i = 0; i < motion.size(); ++i) {
    columns[kMotion2][i] = motion2(motion, i, distance);
    double score = first;
    if (i >= distance) {
      const double own = blended(columns[kMotion2][i], options);
      score = options.flag("motion_moving_average") ? (own + previous) / 2 : own;
      previous = own;
    }
    columns[kMotion3][i] = score;
  }
}

constexpr int kMotionRowsPerPiece = 32;

class MotionKernel final : public PairKernel {
 public:
  MotionKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
               std::size_t threads, MakeMotionSummer make)
      : format_(format),
        requests_(requests.begin(), requests.end()),
        distances_(requests),
        sums_(static_cast<std::size_t>((format.height + kMotionRowsPerPiece - 1) /
                                       kMotionRowsPerPiece)) {
    for (std::size_t i = 0; i < threads; ++i) summers_.push_back(make(format));
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    score_in_clip(reference, distorted, {}, rows, scores);
  }

  void score_in_clip(const video::Picture& reference, const video::Picture& /*distorted*/,
                     std::span<const video::Picture* const> earlier, ThreadTeam& rows,
                     std::span<double> scores) override {
    std::array<std::uint64_t, 2> sads{};
    for (std::size_t distance = 1; distance <= std::min(sads.size(), earlier.size()); ++distance) {
      if (!distances_.needed[distance - 1]) continue;
      sads[distance - 1] = sad(*earlier[distance - 1], reference, rows);
    }
    write_motion(sads, format_, requests_, scores);
  }

 private:
  std::uint64_t sad(const video::Picture& previous, const video::Picture& current,
                    ThreadTeam& rows) {
    const auto sum = [&](const RowRange& piece, std::size_t thread) {
      sums_[static_cast<std::size_t>(piece.first / kMotionRowsPerPiece)] =
          summers_[thread]->sad(previous, current, piece.first, piece.last);
    };
    rows.run_row_pieces({0, format_.height}, kMotionRowsPerPiece, sum);
    return std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0});
  }

  video::PictureFormat format_;
  std::vector<FeatureRequest> requests_;
  MotionDistances distances_;
  // Objects that compute the sums, one per thread.
  std::vector<std::unique_ptr<MotionSummer>> summers_;
  std::vector<std::uint64_t> sums_;
};

/// Writes row y of the difference of both planes, blurred vertically, to `row`.
template <class Sample>
void blur_vertically(video::PlaneView<const Sample> previous,
                     video::PlaneView<const Sample> current, int bits, int y, MotionRow& row) {
  for (int x = 0; x < current.width; ++x) {
    std::int64_t sum = std::int64_t{1} << (bits - 1);
    for (int t = 0; t < 5; ++t) {
      const int from = motion_mirror(y + t - kMotionRadius, current.height);
      sum +=
          std::int64_t{kMotionTaps[t]} * (int{previous.row(from)[x]} - int{current.row(from)[x]});
    }
    row.blurred[static_cast<std::size_t>(x)] = static_cast<std::int32_t>(sum >> bits);
  }
}

std::uint64_t sum_blurred_horizontally(const MotionRow& row) {
  const int width = static_cast<int>(row.blurred.size());
  std::uint64_t total = 0;
  for (int x = 0; x < width; ++x) {
    std::int64_t sum = 32768;
    for (int t = 0; t < 5; ++t) {
      const int from = motion_mirror(x + t - kMotionRadius, width);
      sum += std::int64_t{kMotionTaps[t]} * row.blurred[static_cast<std::size_t>(from)];
    }
    total += static_cast<std::uint64_t>(std::abs(sum >> 16));
  }
  return total;
}

template <class Sample>
std::uint64_t motion_sad_of(video::PlaneView<const Sample> previous,
                            video::PlaneView<const Sample> current, int bits, int first, int last,
                            MotionRow& row) {
  std::uint64_t total = 0;
  for (int y = first; y < last; ++y) {
    blur_vertically(previous, current, bits, y, row);
    total += sum_blurred_horizontally(row);
  }
  return total;
}

class ScalarMotionSummer final : public MotionSummer {
 public:
  explicit ScalarMotionSummer(const video::PictureFormat& format)
      : bits_(format.pixel.bits), row_(format.width) {}

  [[nodiscard]] std::uint64_t sad(const video::Picture& previous, const video::Picture& current,
                                  int first, int last) override {
    if (bits_ == 8) {
      return motion_sad(previous.plane<std::uint8_t>(0), current.plane<std::uint8_t>(0), first,
                        last, row_);
    }
    return motion_sad(previous.plane<std::uint16_t>(0), current.plane<std::uint16_t>(0), bits_,
                      first, last, row_);
  }

 private:
  int bits_;
  MotionRow row_;
};

std::unique_ptr<MotionSummer> make_scalar_motion_summer(const video::PictureFormat& format) {
  return std::make_unique<ScalarMotionSummer>(format);
}

std::unique_ptr<PairKernel> make_scalar_motion(const video::PictureFormat& format,
                                               std::span<const FeatureRequest> requests,
                                               std::size_t threads) {
  return make_motion_kernel(format, requests, threads, make_scalar_motion_summer);
}

}  // namespace

std::uint64_t motion_sad(video::PlaneView<const std::uint8_t> previous,
                         video::PlaneView<const std::uint8_t> current, int first, int last,
                         MotionRow& row) {
  return motion_sad_of(previous, current, 8, first, last, row);
}

std::uint64_t motion_sad(video::PlaneView<const std::uint16_t> previous,
                         video::PlaneView<const std::uint16_t> current, int bits, int first,
                         int last, MotionRow& row) {
  return motion_sad_of(previous, current, bits, first, last, row);
}

void check_motion_format(const video::PictureFormat& format) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("motion is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  if (format.width < kMotionMinimumSize || format.height < kMotionMinimumSize) {
    throw usage_error("motion needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kMotionMinimumSize, format.width, format.height);
  }
}

MotionDistances::MotionDistances(std::span<const FeatureRequest> requests) {
  for (const auto& [feature, options] : requests) {
    if (options.flag("motion_force_zero")) continue;
    needed[motion_distance(options) - 1] = true;
  }
}

void write_motion(std::span<const std::uint64_t, 2> sads, const video::PictureFormat& format,
                  std::span<const FeatureRequest> requests, std::span<double> values) {
  for (const auto& [feature, options] : requests) {
    const double motion = options.flag("motion_force_zero")
                              ? 0
                              : motion_score(sads[motion_distance(options) - 1], format, options);
    values[kMotion2] = values[kMotion3] = 0;
    values[kMotionSad] = motion;
    if (options.flag("debug")) values[kMotionDebug] = motion;
    values = values.subspan(options.flag("debug") ? kMotionDebug + 1 : kMotionDebug);
  }
}

std::unique_ptr<PairKernel> make_motion_kernel(const video::PictureFormat& format,
                                               std::span<const FeatureRequest> requests,
                                               std::size_t threads, MakeMotionSummer make) {
  return std::make_unique<MotionKernel>(format, requests, threads, make);
}

const FeatureFamily& motion_family() {
  static constexpr std::array kFeatures{Feature{"motion", "equal to libvmaf's scalar build",
                                                kMotionOptions, motion_outputs, check_motion,
                                                motion_distance, finish_motion}};
  static constexpr FeatureFamily kFamily{"motion", kFeatures, make_scalar_motion};
  return kFamily;
}

}  // namespace sidecore::metrics
