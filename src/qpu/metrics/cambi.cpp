#include "qpu/metrics/cambi.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/rounding.h"
#include "metrics/cambi.interface.h"
#include "metrics/families.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(shader::kCambiShaderScales == metrics::kCambiScales);
static_assert(shader::kCambiShaderContrastSteps == metrics::kCambiMaxContrastSteps);
static_assert(shader::kCambiShaderReciprocals == metrics::kCambiWindowLimit);
static_assert(Cambi::kResultBytes == metrics::kCambiScales * sizeof(shader::CambiSums));

std::uint32_t cambi_word(int value) {
  return static_cast<std::uint32_t>(value);
}

/// Returns the sum whose base-2^16 digits, with carries, are `digits`.
std::uint64_t sum_of_digits(const std::uint32_t (&digits)[4]) {
  std::uint64_t sum = 0;
  for (std::size_t i = 4; i-- > 0;) sum = (sum << 16U) + digits[i];
  return sum;
}

/// Returns a contrast in units of 2^-24 from the bits of a binary32; it must not be 0.
std::uint64_t units_of_contrast(std::uint32_t bits) {
  const std::uint64_t significand = (bits & 0x7fffffU) | 0x800000U;
  return significand << ((bits >> 23U) - shader::kCambiLeastExponent);
}

}  // namespace

Cambi::Cambi(Device& device, const video::PictureFormat& format,
             const metrics::FeatureOptions& options)
    : format_(format), setup_(metrics::cambi_setup(format, options)) {
  make_scales();
  const auto make = [&](std::size_t words) {
    return device.create_buffer(words * sizeof(std::uint32_t));
  };
  const std::size_t words = std::size_t{stride_} * cambi_word(setup_.height);
  samples_ = make(words);
  masked_ = make(words);
  images_ = make(scales_.back().image + std::size_t{scales_.back().stride} * scales_.back().height);
  contrasts_ = make(contrasts_count_);
  histograms_ = make(metrics::kCambiScales * shader::kCambiDigits * shader::kCambiBins);
  make_tables(device);

  luma_ = device.program("cambi_luma", {{{0, cambi_word(format.pixel.bits)}}});
  mask_ = device.program("cambi_mask", {});
  scale_ = device.program("cambi_scale", {});
  contrast_ = device.program("cambi_contrasts", {{{0, cambi_word(setup_.window / 2)}}});
  select_ = device.program("cambi_select", {});
}

void Cambi::make_scales() {
  const auto stride_of = [](int width) { return divide_rounding_up(cambi_word(width), 2); };
  stride_ = stride_of(setup_.width);
  const std::array<metrics::CambiSize, metrics::kCambiScales> sizes = metrics::cambi_sizes(setup_);
  std::uint32_t image = 0;
  for (std::size_t k = 0; k < scales_.size(); ++k) {
    const auto& [width, height] = sizes[k];
    const std::uint32_t stride = stride_of(width);
    scales_[k] = {
        .width = cambi_word(width),
        .height = cambi_word(height),
        .stride = stride,
        .image = image,
        .contrasts = contrasts_count_,
        .largest = static_cast<std::uint32_t>(metrics::cambi_averaged_count(setup_, sizes[k]))};
    contrasts_count_ += cambi_word(width * height);
    image += round_up(stride * cambi_word(height), kRangeAlignment / sizeof(std::uint32_t));
    strips_ += divide_rounding_up(cambi_word(height), shader::kCambiTileRows);
  }
}

void Cambi::make_tables(Device& device) {
  tables_ = device.create_buffer(sizeof(shader::CambiTables));
  auto& tables = tables_->as<shader::CambiTables>().front();
  std::uint32_t strips = 0;
  for (std::size_t k = 0; k < scales_.size(); ++k) {
    const auto& [width, height, stride, image, contrasts, largest] = scales_[k];
    tables.scales[k] = {.width = width,
                        .height = height,
                        .stride = stride,
                        .image = image,
                        .contrasts = contrasts,
                        .largest = largest,
                        .first_strip = strips,
                        .unused = 0};
    strips += divide_rounding_up(height, shader::kCambiTileRows);
  }
  std::ranges::transform(setup_.visible, tables.visible, cambi_word);
  std::ranges::transform(metrics::cambi_step_weights(), tables.weights, cambi_word);
  std::ranges::copy(metrics::cambi_reciprocals(), tables.reciprocals);

  const metrics::CambiPlaces places = metrics::cambi_places(format_, setup_);
  places_ =
      device.create_buffer((places.columns.size() + places.rows.size()) * sizeof(std::uint32_t));
  const std::span<std::uint32_t> all = places_->as<std::uint32_t>();
  std::ranges::transform(places.columns, all.begin(), cambi_word);
  std::ranges::transform(places.rows, all.subspan(places.columns.size()).begin(), cambi_word);

  const auto list = device.create_command_list();
  list->upload({.buffer = tables_.get()});
  list->upload({.buffer = places_.get()});
  list->finish();
  device.submit(*list).wait();
}

BufferRange Cambi::image(const Scale& scale) const {
  return {images_.get(), std::size_t{scale.image} * sizeof(std::uint32_t),
          std::size_t{scale.stride} * scale.height * sizeof(std::uint32_t)};
}

void Cambi::record(CommandList& list, const BufferRange& plane, std::size_t stride,
                   const BufferRange& results) const {
  record(list, plane, stride, results, {.buffer = contrasts_.get()});
}

void Cambi::record(CommandList& list, const BufferRange& plane, std::size_t stride,
                   const BufferRange& results, const BufferRange& contrasts) const {
  record_contrasts(list, plane, stride, results, contrasts);
  const BufferRange bindings[] = {
      {.buffer = tables_.get()}, contrasts, {.buffer = histograms_.get()}, results};
  const std::uint32_t most = scales_[0].width * scales_[0].height;
  for (std::uint32_t digit = 0; digit <= shader::kCambiDigits; ++digit) {
    list.dispatch(
        *select_, bindings, shader::CambiSelectPush{.digit = digit},
        {divide_rounding_up(most, shader::kCambiSelected), shader::kCambiShaderScales, 1});
  }
}

void Cambi::record_contrasts(CommandList& list, const BufferRange& plane, std::size_t stride,
                             const BufferRange& results, const BufferRange& contrasts) const {
  const std::uint32_t width = cambi_word(setup_.width);
  const std::uint32_t height = cambi_word(setup_.height);
  const auto columns = [](std::uint32_t words) {
    return divide_rounding_up(words, shader::kCambiColumns);
  };
  const bool sampled = setup_.width != format_.width || setup_.height != format_.height;
  const shader::CambiLumaPush luma{
      .width = width,
      .height = height,
      .plane_stride = 4 * stride_in_vectors("luma", plane, stride, format_),
      .stride = stride_,
      .sampled = sampled ? 1U : 0U,
      .smoothed = setup_.bits < 10 ? 1U : 0U,
      .sum_words = kResultBytes / sizeof(std::uint32_t),
      .histogram_words = static_cast<std::uint32_t>(histograms_->size() / sizeof(std::uint32_t))};
  const BufferRange samples{.buffer = samples_.get()};
  const BufferRange tables{.buffer = tables_.get()};
  const BufferRange histograms{.buffer = histograms_.get()};
  const BufferRange images{.buffer = images_.get()};
  const BufferRange masked{.buffer = masked_.get()};
  const BufferRange luma_bindings[] = {
      plane, {.buffer = places_.get()}, samples, results, histograms};
  list.dispatch(*luma_, luma_bindings, luma,
                {columns(stride_), divide_rounding_up(height, shader::kCambiLumaRows), 1});

  const shader::CambiMaskPush mask{.width = width,
                                   .height = height,
                                   .stride = stride_,
                                   .flat_limit = cambi_word(setup_.flat_limit)};
  const BufferRange mask_bindings[] = {samples, masked};
  list.dispatch(*mask_, mask_bindings, mask,
                {columns(stride_), divide_rounding_up(height, shader::kCambiMaskRows), 1});

  for (std::size_t k = 0; k < scales_.size(); ++k) {
    const Scale& scale = scales_[k];
    const shader::CambiScalePush push{.width = scale.width,
                                      .height = scale.height,
                                      .stride = scale.stride,
                                      .factor = k > 0 || setup_.halved ? 2U : 1U,
                                      .from_stride = k == 0 ? stride_ : scales_[k - 1].stride};
    const BufferRange bindings[] = {k == 0 ? masked : image(scales_[k - 1]), image(scale)};
    list.dispatch(
        *scale_, bindings, push,
        {columns(scale.stride), divide_rounding_up(scale.height, shader::kCambiScaleRows), 1});
  }

  // Row length of the counters, in words. The margin is half a window, rounded up to pairs of
  // columns. `count_stride` makes neighbouring rows use different memory banks.
  const std::uint32_t margin = divide_rounding_up(cambi_word(setup_.window / 2), 2) * 2;
  const std::uint32_t count_words = divide_rounding_up(shader::kCambiTileColumns + 2 * margin, 4);
  const std::uint32_t count_stride = count_words % 32 == 0 ? count_words + 8 : count_words;
  const shader::CambiContrastsPush push{.steps = cambi_word(setup_.steps),
                                        .first_counted = cambi_word(setup_.first_counted),
                                        .counted = cambi_word(setup_.counted),
                                        .dark = cambi_word(setup_.dark),
                                        .count_stride = count_stride,
                                        .values = shader::kCambiCountWords / count_stride};
  const BufferRange bindings[] = {images, tables, contrasts, results};
  list.dispatch(*contrast_, bindings, push,
                {divide_rounding_up(scales_[0].width, shader::kCambiTileColumns), strips_, 1});
}

namespace {

/// Sum of a scale's largest contrasts, in units of 2^-24.
struct ContrastSum {
  std::uint64_t units = 0;
  bool exact = true;  ///< true if adding in binary64 is exact in any order
};

ContrastSum contrast_sum(const shader::CambiSums& sums, std::uint32_t largest) {
  std::uint64_t units = sum_of_digits(sums.sum);
  std::uint32_t low_bits = sums.low_bits;
  if (sums.contrasts > largest) {
    const std::uint64_t least = units_of_contrast(sums.least);
    units = sum_of_digits(sums.above) + sums.times * least;
    low_bits = sums.above_low_bits | static_cast<std::uint32_t>(least);
  }
  // All contrasts and all partial sums are multiples of 2^zeros. A binary64 number holds any such
  // multiple up to 2^(zeros + 53), so no addition is rounded.
  const int zeros = std::countr_zero(low_bits);
  return {units, units <= std::uint64_t{1} << std::min(53 + zeros, 63)};
}

}  // namespace

double Cambi::mean(std::span<const std::byte> contrasts, std::size_t k) const {
  const Scale& scale = scales_[k];
  std::vector<float> values(std::size_t{scale.width} * scale.height);
  std::memcpy(values.data(), contrasts.data() + scale.contrasts * sizeof(float),
              values.size() * sizeof(float));
  return metrics::cambi_mean_of_largest(values, scale.largest);
}

std::optional<double> Cambi::score(std::span<const std::byte> results,
                                   std::span<const std::byte> contrasts) const {
  constexpr double kUnit = 1.0 / (1U << 24U);
  std::array<double, metrics::kCambiScales> means{};
  for (std::size_t k = 0; k < means.size(); ++k) {
    shader::CambiSums sums{};
    std::memcpy(&sums, results.data() + k * sizeof sums, sizeof sums);
    const auto [units, exact] = contrast_sum(sums, scales_[k].largest);
    if (!exact && contrasts.empty()) return std::nullopt;
    means[k] = exact ? static_cast<double>(units) * kUnit / static_cast<double>(scales_[k].largest)
                     : mean(contrasts, k);
  }
  return metrics::cambi_score(means, setup_);
}

namespace {

class CambiWork final : public FeatureWork, public SecondPass {
 public:
  CambiWork(Device& device, const video::PictureFormat& format,
            std::span<const metrics::FeatureRequest> requests)
      : device_(device) {
    kernels_.reserve(requests.size());
    for (const metrics::FeatureRequest& request : requests) {
      kernels_.emplace_back(device, format, request.options);
    }
  }

  [[nodiscard]] std::size_t result_bytes() const override { return kernels_.size() * kRoom; }

  void record(CommandList& list, const DevicePicture& /*reference*/, const DevicePicture& distorted,
              const BufferRange& results) override {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      kernels_[i].record(list, distorted.plane(0), distorted.stride(0),
                         {results.buffer, results.offset + i * kRoom, Cambi::kResultBytes});
    }
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    return find_undecided(results, scores).empty();
  }

  [[nodiscard]] std::size_t further_bytes(std::span<const std::byte> results) const override {
    std::vector<double> scores(kernels_.size());
    std::size_t bytes = 0;
    for (const std::size_t i : find_undecided(results, scores)) bytes += room(kernels_[i]);
    return bytes;
  }

  void record_further(CommandList& list, const DevicePicture& /*reference*/,
                      const DevicePicture& distorted, std::span<const std::byte> results,
                      const BufferRange& further) override {
    if (sums_again_ == nullptr) sums_again_ = device_.create_buffer(Cambi::kResultBytes);
    std::vector<double> scores(kernels_.size());
    std::size_t offset = further.offset;
    for (const std::size_t i : find_undecided(results, scores)) {
      kernels_[i].record_contrasts(list, distorted.plane(0), distorted.stride(0),
                                   {.buffer = sums_again_.get()},
                                   {further.buffer, offset, kernels_[i].contrast_bytes()});
      offset += room(kernels_[i]);
    }
  }

  /// Returns false, because adding the contrasts takes too long for the collecting thread.
  [[nodiscard]] bool score_again(std::span<const std::byte> /*results*/,
                                 std::span<const std::byte> /*further*/,
                                 std::span<double> /*scores*/) const override {
    return false;
  }

  std::uint64_t recompute(std::span<const std::byte> results, std::span<const std::byte> further,
                          const video::Picture& /*reference*/, const video::Picture& /*distorted*/,
                          metrics::PairKernel& /*host*/, std::span<double> scores) const override {
    const std::vector<std::size_t> undecided = find_undecided(results, scores);
    for (const std::size_t i : undecided) {
      scores[i] = *kernels_[i].score(results.subspan(i * kRoom), further);
      further = further.subspan(room(kernels_[i]));
    }
    return undecided.size();
  }

 private:
  static constexpr std::size_t kRoom = round_up(Cambi::kResultBytes, kRangeAlignment);
  static std::size_t room(const Cambi& kernel) {
    return round_up(kernel.contrast_bytes(), kRangeAlignment);
  }

  /// Writes the scores that the results decide, and returns the indexes of the others.
  std::vector<std::size_t> find_undecided(std::span<const std::byte> results,
                                          std::span<double> scores) const {
    std::vector<std::size_t> undecided;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const std::optional<double> score = kernels_[i].score(results.subspan(i * kRoom), {});
      if (score) {
        scores[i] = *score;
      } else {
        undecided.push_back(i);
      }
    }
    return undecided;
  }

  Device& device_;
  std::vector<Cambi> kernels_;
  // Buffer for sums that the second pass writes and nothing reads.
  std::shared_ptr<Buffer> sums_again_;
};

std::unique_ptr<FeatureWork> make_cambi_work(Device& device, const video::PictureFormat& format,
                                             std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<CambiWork>(device, format, requests);
}

}  // namespace

FamilyWork cambi_work() {
  return {&metrics::cambi_family(), make_cambi_work};
}

}  // namespace sidecore::qpu
