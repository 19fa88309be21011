#include "qpu/metrics/vif.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/rounding.h"
#include "metrics/families.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(metrics::kVifNoise == 131072 && metrics::kVifScales == 4);
static_assert(sizeof(shader::VifUndecidedList) == 256);

std::uint32_t vif_word(int value) {
  return static_cast<std::uint32_t>(value);
}

/// Returns the number of rows above (or below) the centre that a scale's filter reads.
std::uint32_t radius_of(std::size_t scale) {
  return vif_word(metrics::kVifFilters[scale].taps / 2);
}

/// The integer part of a number, and the 64 bits after its point, which hold the rest of any
/// binary64 of at least 1.
struct VifFixedPoint {
  std::uint32_t whole;
  std::uint32_t high;
  std::uint32_t low;
};
VifFixedPoint fixed_point(double value) {
  const double whole = std::floor(value);
  const auto fraction = static_cast<std::uint64_t>(std::ldexp(value - whole, 64));
  return {static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(fraction >> 32),
          static_cast<std::uint32_t>(fraction)};
}

}  // namespace

shader::VifLimit vif_limit(double gain_limit) {
  const VifFixedPoint limit = fixed_point(gain_limit);
  const VifFixedPoint square = fixed_point(gain_limit * gain_limit);
  return {.limit = limit.whole,
          .limit_high = limit.high,
          .limit_low = limit.low,
          .square = square.whole,
          .square_high = square.high,
          .square_low = square.low,
          // limit_below is smaller by a factor of 1 - 2^-20, so binary32's roundings do not matter.
          .limit_below = static_cast<float>(gain_limit * (1 - 0x1p-20))};
}

std::uint32_t Vif::tile_columns(std::size_t scale) {
  const std::uint32_t padding = scale == 0 ? shader::kVifPadding0 : shader::kVifPadding;
  return shader::kVifTileColumns - 2 * padding;
}

Vif::TilePlaces Vif::tile_places(const video::PictureFormat& format) {
  TilePlaces places;
  for (std::size_t k = 0; k < metrics::kVifScales; ++k) {
    Tiles& tiles = places.scales[k];
    tiles.first = places.tiles;
    tiles.across = divide_rounding_up(vif_word(format.width >> k), tile_columns(k));
    tiles.down = divide_rounding_up(vif_word(format.height >> k), shader::kVifTileRows);
    // Each scale takes a multiple of 16 tiles, which are kRangeAlignment bytes, so a bound range
    // may begin at any scale's first tile.
    places.tiles += round_up(tiles.across * tiles.down, 16);
  }
  return places;
}

Vif::Vif(Device& device, const video::PictureFormat& format, std::span<const double> gain_limits,
         float error_scale)
    : format_(format), gain_limits_(gain_limits.begin(), gain_limits.end()) {
  metrics::check_vif_format(format);
  tile_places_ = tile_places(format);
  for (std::uint32_t k = 0; k < metrics::kVifScales; ++k) {
    Planes& planes = planes_[k];
    planes.width = vif_word(format.width >> k);
    planes.height = vif_word(format.height >> k);
    // Means have 16 bits.
    const std::uint32_t bits = k == 0 ? vif_word(format.pixel.bits) : 16;
    planes.windows = device.program(
        "vif_windows", {{{0, k}, {1, bits}, {2, std::bit_cast<std::uint32_t>(error_scale)}}});
    if (k == 0) continue;
    planes.stride = divide_rounding_up(planes.width, 8) * 2;
    planes.plane = round_up(planes.stride * planes.height, kRangeAlignment / 8);
    planes.buffer = device.create_buffer(std::size_t{planes.plane} * 2 * 8);
    planes.decimate =
        device.program("vif_decimate", {{{0, k}, {1, k == 1 ? vif_word(format.pixel.bits) : 16}}});
  }
  lists_ = device.create_buffer(gain_limits_.size() * kListBytes);
  recompute_ = device.program("vif_recompute", {});
  total_ = device.program("vif_total", {});
}

std::size_t Vif::tile_bytes() const {
  return gain_limits_.size() * tile_places_.tiles * sizeof(shader::VifTile);
}

void Vif::record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
                 std::size_t stride, const BufferRange& tiles, const BufferRange& results) const {
  const std::uint32_t vectors = stride_in_vectors("reference", reference, stride, format_);
  (void)stride_in_vectors("distorted", distorted, stride, format_);
  const auto plane_of = [&](std::size_t k, std::size_t picture) {
    if (k == 0) return picture == 0 ? reference : distorted;
    const std::size_t bytes = std::size_t{planes_[k].plane} * 8;
    return BufferRange{planes_[k].buffer.get(), picture * bytes, bytes};
  };
  const auto stride_of = [&](std::size_t k) {
    if (k > 0) return planes_[k].stride;
    return format_.pixel.bits == 8 ? 4 * vectors : 2 * vectors;
  };
  for (std::size_t k = 1; k < metrics::kVifScales; ++k) {
    const Planes& from = planes_[k - 1];
    const Planes& to = planes_[k];
    const shader::VifDecimatePush push{
        .width = from.width,
        .height = from.height,
        .stride = stride_of(k - 1),
        .to_width = to.width,
        .to_height = to.height,
        .to_stride = to.stride,
        .to_plane = to.plane,
        .lists = static_cast<std::uint32_t>(gain_limits_.size() * metrics::kVifScales),
        .radius = radius_of(k)};
    const BufferRange bindings[] = {plane_of(k - 1, 0),
                                    plane_of(k - 1, 1),
                                    {.buffer = to.buffer.get()},
                                    {.buffer = lists_.get()}};
    list.dispatch(*to.decimate, bindings, push,
                  {divide_rounding_up(to.width, 4 * shader::kVifDecimateQuads),
                   divide_rounding_up(to.height, shader::kVifDecimateRows), 2});
  }
  for (std::size_t i = 0; i < gain_limits_.size(); ++i) {
    for (std::size_t k = 0; k < metrics::kVifScales; ++k) {
      const Tiles& place = tile_places_.scales[k];
      const std::size_t first = i * tile_places_.tiles + place.first;
      const BufferRange bindings[] = {
          plane_of(k, 0),
          plane_of(k, 1),
          {tiles.buffer, tiles.offset + first * sizeof(shader::VifTile),
           std::size_t{place.across} * place.down * sizeof(shader::VifTile)},
          {lists_.get(), (i * metrics::kVifScales + k) * sizeof(shader::VifUndecidedList),
           sizeof(shader::VifUndecidedList)}};
      const shader::VifWindowsPush push{.width = planes_[k].width,
                                        .height = planes_[k].height,
                                        .stride = stride_of(k),
                                        .first = static_cast<std::uint32_t>(first),
                                        .radius = radius_of(k),
                                        .gain = vif_limit(gain_limits_[i])};
      list.dispatch(*planes_[k].windows, bindings, push, {place.across, place.down, 1});
    }
  }
  for (std::size_t i = 0; i < gain_limits_.size(); ++i) {
    const BufferRange bindings[] = {{lists_.get(), i * kListBytes, kListBytes}, tiles};
    list.dispatch(*recompute_, bindings,
                  shader::VifRecomputePush{.gain = vif_limit(gain_limits_[i])}, {1, 1, 1});
  }
  for (std::size_t i = 0; i < gain_limits_.size(); ++i) {
    shader::VifTotalPush push{};
    for (std::size_t k = 0; k < metrics::kVifScales; ++k) {
      const Tiles& place = tile_places_.scales[k];
      push.first[k] = static_cast<std::uint32_t>(i) * tile_places_.tiles + place.first;
      push.tiles[k] = place.across * place.down;
    }
    const BufferRange bindings[] = {
        tiles,
        {lists_.get(), i * kListBytes, kListBytes},
        {results.buffer, results.offset + i * kResultBytes, kResultBytes}};
    list.dispatch(*total_, bindings, push, {vif_word(metrics::kVifScales), 1, 1});
  }
}

std::optional<std::array<metrics::VifSums, metrics::kVifScales>> Vif::sums(
    std::span<const std::byte> results, std::size_t limit) {
  std::array<shader::VifTotals, metrics::kVifScales> totals{};
  std::memcpy(&totals, results.data() + limit * kResultBytes, sizeof totals);
  std::array<metrics::VifSums, metrics::kVifScales> sums;
  for (std::size_t k = 0; k < metrics::kVifScales; ++k) {
    const auto number = [](const std::uint32_t(&words)[2]) {
      return static_cast<std::int64_t>(words[0] | std::uint64_t{words[1]} << 32);
    };
    if (number(totals[k].lost) != 0) return std::nullopt;
    sums[k] = {.kept = number(totals[k].kept),
               .there = number(totals[k].there),
               .flat_variance = number(totals[k].variance),
               .flat = number(totals[k].flats)};
  }
  return sums;
}

namespace {

class VifWork final : public FeatureWork, public HostRecomputation {
 public:
  VifWork(Device& device, const video::PictureFormat& format,
          std::span<const metrics::FeatureRequest> requests)
      : requests_(requests.begin(), requests.end()),
        kernel_(device, format, limits_of(requests)),
        tiles_(device.create_buffer(kernel_.tile_bytes())) {}

  [[nodiscard]] std::size_t result_bytes() const override { return kernel_.result_bytes(); }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    kernel_.record(list, reference.plane(0), distorted.plane(0), reference.stride(0),
                   {.buffer = tiles_.get()}, results);
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const auto sums = Vif::sums(results, i);
      if (!sums) return false;
      scores = scores.subspan(metrics::write_vif_scores(*sums, requests_[i], scores));
    }
    return true;
  }

  /// Recomputes all scores, because more windows are undecided than a list holds.
  std::uint64_t recompute(std::span<const std::byte> /*results*/,
                          std::span<const std::byte> /*further*/, const video::Picture& reference,
                          const video::Picture& distorted, metrics::PairKernel& host,
                          std::span<double> scores) const override {
    CallingThread thread;
    host.score(reference, distorted, thread, scores);
    return scores.size();
  }

 private:
  /// Returns one limit per request; requests with equal limits would write the same outputs.
  static std::vector<double> limits_of(std::span<const metrics::FeatureRequest> requests) {
    std::vector<double> limits;
    limits.reserve(requests.size());
    for (const metrics::FeatureRequest& request : requests) {
      limits.push_back(request.options.real("vif_enhn_gain_limit"));
    }
    return limits;
  }

  std::vector<metrics::FeatureRequest> requests_;
  Vif kernel_;
  std::shared_ptr<Buffer> tiles_;
};

std::unique_ptr<FeatureWork> make_vif_work(Device& device, const video::PictureFormat& format,
                                           std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<VifWork>(device, format, requests);
}

}  // namespace

FamilyWork vif_work() {
  return {&metrics::vif_family(), make_vif_work};
}

}  // namespace sidecore::qpu
