#include "qpu/vp9/inter_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::qpu {
namespace {

using vp9::kActiveReferences;
using vp9::ReferenceArea;

constexpr std::size_t kStripUnitBytes = 8;
constexpr int kTapsBehind = vp9::kTaps - 1 - vp9::kTapsBefore;
constexpr std::uint32_t kAlongX = 1;
constexpr std::uint32_t kAlongY = 2;

// A tap divided by 128 as binary16, exactly: its magnitude is at most 128.
std::uint32_t half_of_tap(int tap) {
  if (tap == 0) return 0;
  constexpr unsigned kMantissaBits = 10;
  constexpr unsigned kBias = 15;
  const auto magnitude = static_cast<unsigned>(std::abs(tap));
  const auto log2 = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const unsigned mantissa = (magnitude << (kMantissaBits - log2)) & 0x3ffU;
  const unsigned exponent = log2 + kBias - 7;
  return (tap < 0 ? 0x8000U : 0U) | exponent << kMantissaBits | mantissa;
}

using FilterRow = std::array<std::uint32_t, vp9::kTaps / 2>;

void pack_filters(std::span<FilterRow> rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& taps = vp9::kInterpolationFilters[row / 16][row % 16];
    for (std::size_t pair = 0; pair < rows[row].size(); ++pair) {
      rows[row][pair] = half_of_tap(taps[2 * pair]) | half_of_tap(taps[2 * pair + 1]) << 16U;
    }
  }
}

int checked_inter_bits(int bits) {
  if (bits != 8 && bits != 10 && bits != 12) {
    throw usage_error("the QPU predicts samples of 8, 10 or 12 bits, not {}", bits);
  }
  return bits;
}

std::uint32_t directions_of(const ReferenceArea& area) {
  return ((area.x & 15) != 0 ? kAlongX : 0) | ((area.y & 15) != 0 ? kAlongY : 0);
}

// Whether what taps reach along an axis lies in [0, size).
bool taps_inside(int start, bool fraction, int count, int size) {
  const int first = start >> 4;
  return first >= (fraction ? vp9::kTapsBefore : 0) &&
         first + count + (fraction ? kTapsBehind : 0) <= size;
}

void check_planes_of(const InterFrame& frame) {
  frame.planes.check(frame.buffer->size(), PicturePlanes::kVectorAlignment);
}

std::uint32_t packed_place(int x, int y) {
  return (static_cast<std::uint32_t>(x) & 0xffffU) | static_cast<std::uint32_t>(y) << 16U;
}

}  // namespace

std::vector<Shader> InterPrediction::shaders(int bits) {
  if (bits == 8) return {"inter_prediction", "inter_prediction_scaled"};
  return {"inter_prediction_hbd", "inter_prediction_scaled_hbd"};
}

InterPrediction::InterPrediction(Device& device, int bits, std::size_t most_joined)
    : device_(device),
      bits_(checked_inter_bits(bits)),
      most_joined_(most_joined),
      filters_(device.create_buffer(shader::kFilterRows * sizeof(FilterRow))) {
  pack_filters(filters_->as<FilterRow>());
}

InterPrediction::StripSize InterPrediction::strip_size(std::size_t index) const {
  constexpr std::array<StripSize, kStripSizes> kOfBytes{{{4, 4}, {8, 8}, {8, 16}}};
  constexpr std::array<StripSize, kStripSizes> kDeep{{{4, 4}, {4, 8}, {4, 16}}};
  return bits_ == 8 ? kOfBytes[index] : kDeep[index];
}

InterPrediction::StripSize InterPrediction::strip_size_of(const Run& run) const {
  return strip_size(run.kind >= kBorderKind ? 0 : run.kind % kStripSizes);
}

std::size_t InterPrediction::size_of(const vp9::PlaneBlock& part, std::uint32_t directions) const {
  // Without a filter along y no rows fill a window, and twice as many rows save nothing.
  std::size_t index = (directions & kAlongY) != 0 ? kStripSizes - 1 : kStripSizes - 2;
  const auto fits = [&part](const StripSize& size) {
    return size.width <= part.width && size.rows <= part.height && part.x % size.width == 0;
  };
  while (!fits(strip_size(index))) --index;
  return index;
}

std::size_t InterPrediction::to_unit_of(const StripSize& size) const {
  return static_cast<std::size_t>(size.width) * sample_bytes() == kStripUnitBytes ? kStripUnitBytes
                                                                                  : 4;
}

std::array<InterPrediction::PlaneSize, 2> InterPrediction::visible(
    const vp9::FrameSize& size) const {
  const video::PictureFormat format{size.width, size.height, {chroma_, bits_}};
  return {{{size.width, size.height}, {format.plane_width(1), format.plane_height(1)}}};
}

std::size_t InterPrediction::offset_in(const InterFrame& frame, std::size_t plane, int x,
                                       int y) const {
  const PicturePlanes::Plane& of = frame.planes.planes[plane];
  return of.offset + static_cast<std::size_t>(y) * of.stride +
         static_cast<std::size_t>(x) * sample_bytes();
}

void InterPrediction::start(const InterFrame& frame, const InterReferences& references,
                            video::Chroma chroma) {
  check_planes_of(frame);
  for (std::size_t index = 0; index < references.size(); ++index) {
    const InterFrame& reference = references[index];
    if (!reference.buffer) continue;
    check_planes_of(reference);
    scaled_[index] = vp9::reference_scale(reference.size, frame.size).scaled();
    bound_[index] = index;
    if (scaled_[index]) continue;
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const std::size_t stride = frame.planes.planes[plane].stride;
      if (reference.planes.planes[plane].stride != stride) {
        throw usage_error("rows of {} bytes in the frame, of {} in a reference of its size", stride,
                          reference.planes.planes[plane].stride);
      }
    }
    for (std::size_t other = index; other-- > 0;) {
      if (!scaled_[other] && references[other].buffer == reference.buffer) bound_[index] = other;
    }
  }
  frame_ = frame;
  references_ = references;
  chroma_ = chroma;
  visible_ = visible(frame.size);
  for (std::vector<Strip>& strips : strips_) strips.clear();
  runs_.clear();
}

void InterPrediction::set_blocks(const vp9::FrameHeader& header, const vp9::PictureData& picture,
                                 const InterFrame& frame, const InterReferences& references,
                                 int first_row) {
  start(frame, header.intra_frame() ? InterReferences{} : references, header.pixel.chroma);
  const vp9::InterAreas areas(picture.columns(), picture.rows(), header.subsampling_x());
  const auto add_block = [&](const vp9::Block& block) {
    for (std::size_t which = 0; which < (block.is_compound() ? 2 : 1); ++which) {
      const std::size_t reference = vp9::reference_index(block, which);
      const vp9::ReferenceScale scale =
          vp9::reference_scale(references[reference].size, header.size);
      areas.of(block, which, scale,
               [&](std::size_t begin, std::size_t end, const vp9::PlaneBlock& part,
                   const ReferenceArea& area) {
                 for (std::size_t plane = begin; plane < end; ++plane) {
                   add(plane, part, reference, area, block.filter, which == 1);
                 }
               });
    }
  };
  for (int row = first_row; row < picture.superblock_rows(); ++row) {
    for (int column = 0; column < picture.superblock_columns(); ++column) {
      const vp9::Range range = picture.superblock(row, column);
      for (std::uint32_t index = range.begin; index < range.end; ++index) {
        if (picture.blocks[index].is_inter()) add_block(picture.blocks[index]);
      }
    }
  }
  finish();
}

void InterPrediction::add(std::size_t plane, const vp9::PlaneBlock& part, std::size_t reference,
                          const ReferenceArea& area, vp9::InterpolationFilter filter,
                          bool average) {
  const auto row = static_cast<std::uint32_t>(filter) * 16;
  const std::uint32_t plane_choice = static_cast<std::uint32_t>(plane) << shader::kPlaneShift;
  if (scaled_[reference] || area.step_x != 16 || area.step_y != 16) {
    const std::uint32_t steps = static_cast<std::uint32_t>(area.step_x) << shader::kStepXShift |
                                static_cast<std::uint32_t>(area.step_y) << shader::kStepYShift;
    return add_scaled(plane, part, reference, area, row | plane_choice | steps, average);
  }
  const std::uint32_t choice = (row + static_cast<std::uint32_t>(area.x & 15)) |
                               (row + static_cast<std::uint32_t>(area.y & 15))
                                   << shader::kVerticalFilterShift |
                               plane_choice;
  const PlaneSize& visible = visible_[plane == 0 ? 0 : 1];
  if (taps_inside(area.x, (area.x & 15) != 0, part.width, visible.width) &&
      taps_inside(area.y, (area.y & 15) != 0, part.height, visible.height)) {
    add_inside(plane, part, reference, area, choice, average);
  } else {
    add_border(plane, part, reference, area, choice, average);
  }
}

void InterPrediction::add_inside(std::size_t plane, const vp9::PlaneBlock& part,
                                 std::size_t reference, const ReferenceArea& area,
                                 std::uint32_t choice, bool average) {
  const std::uint32_t directions = directions_of(area);
  const std::size_t size_index = size_of(part, directions);
  const StripSize size = strip_size(size_index);
  const std::size_t to_unit = to_unit_of(size);
  const int from_x = (area.x >> 4) - ((directions & kAlongX) != 0 ? vp9::kTapsBefore : 0);
  const int from_y = (area.y >> 4) - ((directions & kAlongY) != 0 ? vp9::kTapsBefore : 0);
  std::vector<Strip>& strips =
      this->strips(directions * kStripSizes + size_index, bound_[reference], average);
  for (int y = 0; y < part.height; y += size.rows) {
    for (int x = 0; x < part.width; x += size.width) {
      const std::size_t from = offset_in(references_[reference], plane, from_x + x, from_y + y);
      const std::size_t to = offset_in(frame_, plane, part.x + x, part.y + y);
      strips.push_back({.from = static_cast<std::uint32_t>(from),
                        .to = static_cast<std::uint32_t>(to / to_unit),
                        .choice = choice,
                        .place = packed_place(from_x + x, from_y + y)});
    }
  }
}

void InterPrediction::add_border(std::size_t plane, const vp9::PlaneBlock& part,
                                 std::size_t reference, const ReferenceArea& area,
                                 std::uint32_t choice, bool average) {
  const StripSize size = strip_size(0);
  const std::size_t to_unit = to_unit_of(size);
  const std::size_t from = references_[reference].planes.planes[plane].offset;
  std::vector<Strip>& strips = this->strips(kBorderKind, bound_[reference], average);
  for (int y = 0; y < part.height; y += size.rows) {
    for (int x = 0; x < part.width; x += size.width) {
      const std::size_t to = offset_in(frame_, plane, part.x + x, part.y + y);
      strips.push_back({.from = static_cast<std::uint32_t>(from),
                        .to = static_cast<std::uint32_t>(to / to_unit),
                        .choice = choice,
                        .place = packed_place((area.x >> 4) + x - vp9::kTapsBefore,
                                              (area.y >> 4) + y - vp9::kTapsBefore)});
    }
  }
}

void InterPrediction::add_scaled(std::size_t plane, const vp9::PlaneBlock& part,
                                 std::size_t reference, const ReferenceArea& area,
                                 std::uint32_t choice, bool average) {
  constexpr int kSize = 4;
  std::vector<Strip>& strips = this->strips(kScaledKind, reference, average);
  for (int y = 0; y < part.height; y += kSize) {
    for (int x = 0; x < part.width; x += kSize) {
      const std::size_t to = offset_in(frame_, plane, part.x + x, part.y + y);
      strips.push_back({.from = static_cast<std::uint32_t>(area.x + x * area.step_x),
                        .to = static_cast<std::uint32_t>(to / 4),
                        .choice = choice,
                        .place = static_cast<std::uint32_t>(area.y + y * area.step_y)});
    }
  }
}

void InterPrediction::join_few(std::size_t reference, bool average) {
  const auto as_border = [](const StripSize& size) {
    return static_cast<std::size_t>(size.width / 4) * static_cast<std::size_t>(size.rows / 4);
  };
  const auto few = [&](std::size_t kind) {
    const std::size_t count = strips(kind, reference, average).size();
    return count > 0 && count * as_border(strip_size(kind % kStripSizes)) <= most_joined_;
  };
  std::size_t joined = strips(kBorderKind, reference, average).empty() ? 0 : 1;
  for (std::size_t kind = 0; kind < kBorderKind; ++kind) joined += few(kind) ? 1 : 0;
  if (joined < 2) return;
  for (std::size_t kind = 0; kind < kBorderKind; ++kind) {
    if (!few(kind)) continue;
    std::vector<Strip>& strips = this->strips(kind, reference, average);
    for (const Strip& strip : strips) join_border(strip, kind, reference, average);
    strips.clear();
  }
}

void InterPrediction::join_border(const Strip& strip, std::size_t kind, std::size_t reference,
                                  bool average) {
  const StripSize size = strip_size(kind % kStripSizes);
  const StripSize part = strip_size(0);
  const auto directions = static_cast<std::uint32_t>(kind / kStripSizes);
  const std::size_t chroma = (strip.choice >> shader::kPlaneShift) == 0 ? 0 : 1;
  const std::size_t stride = frame_.planes.planes[chroma].stride;
  // What is read first: along an axis without a filter, the sample itself.
  const int x = static_cast<std::int16_t>(strip.place & 0xffffU);
  const int y = static_cast<std::int16_t>(strip.place >> 16U);
  const std::size_t plane = strip.from - static_cast<std::size_t>(y) * stride -
                            static_cast<std::size_t>(x) * sample_bytes();
  const int first_x = (directions & kAlongX) != 0 ? x : x - vp9::kTapsBefore;
  const int first_y = (directions & kAlongY) != 0 ? y : y - vp9::kTapsBefore;
  const std::size_t to = strip.to * to_unit_of(size);
  for (int row = 0; row < size.rows; row += part.rows) {
    for (int column = 0; column < size.width; column += part.width) {
      const std::size_t further = static_cast<std::size_t>(row) * stride +
                                  static_cast<std::size_t>(column) * sample_bytes();
      strips(kBorderKind, reference, average)
          .push_back({.from = static_cast<std::uint32_t>(plane),
                      .to = static_cast<std::uint32_t>((to + further) / to_unit_of(part)),
                      .choice = strip.choice,
                      .place = packed_place(first_x + column, first_y + row)});
    }
  }
}

void InterPrediction::finish() {
  for (std::size_t reference = 0; reference < kActiveReferences; ++reference) {
    for (const bool average : {false, true}) join_few(reference, average);
  }
  std::size_t count = 0;
  for (const std::vector<Strip>& strips : strips_) count += strips.size();
  if (count == 0) return;
  device_.reserve(strip_buffer_, count * sizeof(Strip));
  Strip* to = strip_buffer_->as<Strip>().data();
  std::uint32_t first = 0;
  // Means at last: by then there is what they are the mean with.
  for (const bool average : {false, true}) {
    for (std::size_t reference = 0; reference < kActiveReferences; ++reference) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const std::vector<Strip>& strips = this->strips(kind, reference, average);
        if (strips.empty()) continue;
        std::memcpy(to + first, strips.data(), strips.size() * sizeof(Strip));
        const auto last = first + static_cast<std::uint32_t>(strips.size());
        runs_.push_back({program(kind, average), kind, reference, average, first, last});
        first = last;
      }
    }
  }
}

std::shared_ptr<Program> InterPrediction::program(std::size_t kind, bool average) {
  std::shared_ptr<Program>& program = programs_[(average ? kKinds : 0) + kind];
  if (program) return program;
  Specialization constants;
  const auto set = [&constants](std::uint32_t constant, std::uint32_t value) {
    constants.constants.emplace_back(constant, value);
  };
  const bool scaled = kind == kScaledKind;
  if (!scaled) {
    const bool border = kind == kBorderKind;
    const std::uint32_t directions =
        border ? kAlongX | kAlongY : static_cast<std::uint32_t>(kind / kStripSizes);
    set(shader::kHorizontalConstant, (directions & kAlongX) != 0 ? 1 : 0);
    set(shader::kVerticalConstant, (directions & kAlongY) != 0 ? 1 : 0);
    set(shader::kBorderConstant, border ? 1 : 0);
    if (bits_ == 8) {
      const StripSize size = strip_size(border ? 0 : kind % kStripSizes);
      set(shader::kStripWidthConstant, static_cast<std::uint32_t>(size.width));
    }
  }
  set(shader::kAverageConstant, average ? 1 : 0);
  if (bits_ != 8) set(shader::kInterBitsConstant, static_cast<std::uint32_t>(bits_));
  program = device_.program(shaders(bits_)[scaled ? 1 : 0], constants);
  return program;
}

std::uint32_t strips_of_a_dispatch(std::uint32_t max_workgroups) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
  return std::min(max_workgroups, kMost / shader::kInterLanes) * shader::kInterLanes;
}

template <class Visit>
void InterPrediction::for_each_dispatch(const Run& run, const Visit& visit) const {
  for (std::uint32_t first = run.first; first < run.last;) {
    const std::uint32_t last = std::min(run.last, first + most_strips());
    visit(first, last);
    first = last;
  }
}

std::size_t InterPrediction::dispatches() const {
  std::size_t count = 0;
  for (const Run& run : runs_) for_each_dispatch(run, [&](auto, auto) { ++count; });
  return count;
}

std::vector<DispatchWork> InterPrediction::work() const {
  static constexpr std::array<const char*, kDirections> kNames{"whole samples", "along x",
                                                               "along y", "along x and y"};
  constexpr double kUnitSamples = 64;
  std::vector<DispatchWork> work;
  for (const Run& run : runs_) {
    const StripSize size = strip_size_of(run);
    const char* const what = run.kind == kScaledKind   ? "scaled"
                             : run.kind == kBorderKind ? "at borders, and few of a kind"
                                                       : kNames[run.kind / kStripSizes];
    const std::string kind = fmt::format("{}, strips of {}x{}{}", what, size.width, size.rows,
                                         run.average ? ", second reference" : "");
    for_each_dispatch(run, [&](std::uint32_t first, std::uint32_t last) {
      work.push_back({"8x8", kind, (last - first) * (size.width * size.rows / kUnitSamples)});
    });
  }
  return work;
}

std::uint32_t InterPrediction::most_strips() const {
  return strips_of_a_dispatch(device_.limits().max_workgroup_count[0]);
}

template <class Push>
void InterPrediction::dispatch(CommandList& list, const Run& run, Push push) const {
  const BufferRange bindings[] = {{.buffer = frame_.buffer.get()},
                                  {.buffer = references_[run.reference].buffer.get()},
                                  {.buffer = filters_.get()},
                                  {.buffer = strip_buffer_.get()}};
  for_each_dispatch(run, [&](std::uint32_t first, std::uint32_t last) {
    push.first = first;
    push.last = last;
    const std::uint32_t groups = (last - first + shader::kInterLanes - 1) / shader::kInterLanes;
    list.dispatch(*run.program, bindings, push, {groups, 1, 1});
  });
}

void InterPrediction::record_strips(CommandList& list, const Run& run) const {
  shader::InterPush push{};
  push.rows = static_cast<std::uint32_t>(strip_size_of(run).rows);
  for (std::size_t chroma = 0; chroma < 2; ++chroma) {
    push.strides[chroma] =
        static_cast<std::uint32_t>(frame_.planes.planes[chroma].stride / kStripUnitBytes);
    push.most_x[chroma] = static_cast<std::uint32_t>(visible_[chroma].width - 1);
    push.most_y[chroma] = static_cast<std::uint32_t>(visible_[chroma].height - 1);
  }
  dispatch(list, run, push);
}

void InterPrediction::record_scaled(CommandList& list, const Run& run) const {
  const InterFrame& reference = references_[run.reference];
  const std::array<PlaneSize, 2> size = visible(reference.size);
  shader::InterScaledPush push{};
  for (std::size_t chroma = 0; chroma < 2; ++chroma) {
    push.to_strides[chroma] = static_cast<std::uint32_t>(frame_.planes.planes[chroma].stride / 4);
    push.from_strides[chroma] =
        static_cast<std::uint32_t>(reference.planes.planes[chroma].stride / 4);
    push.most_x[chroma] = static_cast<std::uint32_t>(size[chroma].width - 1);
    push.most_y[chroma] = static_cast<std::uint32_t>(size[chroma].height - 1);
  }
  for (std::size_t plane = 0; plane < reference.planes.planes.size(); ++plane) {
    push.planes[plane] = static_cast<std::uint32_t>(reference.planes.planes[plane].offset / 4);
  }
  dispatch(list, run, push);
}

void InterPrediction::record(CommandList& list) const {
  if (runs_.empty()) return;
  list.upload({.buffer = filters_.get()});
  list.upload({.buffer = strip_buffer_.get(), .size = runs_.back().last * sizeof(Strip)});
  for (const Run& run : runs_) {
    run.kind == kScaledKind ? record_scaled(list, run) : record_strips(list, run);
  }
}

}  // namespace sidecore::qpu
