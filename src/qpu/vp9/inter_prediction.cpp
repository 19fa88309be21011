#include "qpu/vp9/inter_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::qpu {
namespace {

using vp9::kActiveReferences;
using vp9::ReferenceArea;

constexpr std::size_t kStripUnitBytes = 8;
constexpr int kTapsAfter = vp9::kTaps - 1 - vp9::kTapsBefore;
constexpr std::uint32_t kAlongX = 1;
constexpr std::uint32_t kAlongY = 2;

// Returns tap / 128 as binary16. The result is exact, because the tap's magnitude is at most 128.
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
    throw usage_error("the QPU's inter prediction supports 8, 10 or 12 bits, not {}", bits);
  }
  return bits;
}

std::uint32_t directions_of(const ReferenceArea& area) {
  return ((area.x & 15) != 0 ? kAlongX : 0) | ((area.y & 15) != 0 ? kAlongY : 0);
}

// Returns true if all samples that the taps read along an axis are in [0, size).
bool taps_inside(int start, bool fraction, int count, int size) {
  const int first = start >> 4;
  return first >= (fraction ? vp9::kTapsBefore : 0) &&
         first + count + (fraction ? kTapsAfter : 0) <= size;
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

std::size_t InterPrediction::size_of(const vp9::PlaneBlock& part, std::uint32_t directions) const {
  // Without a filter along y the rows share no taps, so strips with twice as many rows save nothing
  // and only the smallest strips are used.
  std::size_t index = (directions & kAlongY) != 0 ? kStripSizes - 1 : kStripSizes - 2;
  const auto fits = [&part](const StripSize& size) {
    return size.width <= part.width && size.rows <= part.height && part.x % size.width == 0;
  };
  while (!fits(strip_size(index))) --index;
  return index;
}

std::size_t InterPrediction::count_strips(const vp9::PlaneBlock& part, const StripSize& size) {
  return static_cast<std::size_t>(part.width / size.width) *
         static_cast<std::size_t>(part.height / size.rows);
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
        throw usage_error("a reference of the frame's size must have its stride: {} bytes, not {}",
                          stride, reference.planes.planes[plane].stride);
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
  areas_.clear();
  lists_.fill({});
  runs_.clear();
}

void InterPrediction::set_blocks(const vp9::FrameHeader& header, const vp9::PictureData& picture,
                                 const InterFrame& frame, const InterReferences& references,
                                 int first_row) {
  start(frame, header.intra_frame() ? InterReferences{} : references, header.pixel.chroma);
  const vp9::InterAreas areas(picture.columns(), picture.rows(), header.subsampling());
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
  std::uint32_t choice = static_cast<std::uint32_t>(plane) << shader::kPlaneShift;
  std::size_t kind = kScaledKind;
  std::size_t bound = reference;
  if (scaled_[reference] || area.step_x != 16 || area.step_y != 16) {
    choice |= row | static_cast<std::uint32_t>(area.step_x) << shader::kStepXShift |
              static_cast<std::uint32_t>(area.step_y) << shader::kStepYShift;
  } else {
    choice |= (row + static_cast<std::uint32_t>(area.x & 15)) |
              (row + static_cast<std::uint32_t>(area.y & 15)) << shader::kVerticalFilterShift;
    const PlaneSize& visible = visible_[plane == 0 ? 0 : 1];
    const std::uint32_t directions = directions_of(area);
    const bool inside =
        taps_inside(area.x, (directions & kAlongX) != 0, part.width, visible.width) &&
        taps_inside(area.y, (directions & kAlongY) != 0, part.height, visible.height);
    kind = inside ? directions * kStripSizes + size_of(part, directions) : kBorderKind;
    bound = bound_[reference];
  }
  const std::size_t list = list_index(kind, bound, average);
  lists_[list].count += count_strips(part, size_of_kind(kind));
  areas_.push_back({part, area, choice, static_cast<std::uint8_t>(plane),
                    static_cast<std::uint8_t>(reference), static_cast<std::uint8_t>(list)});
}

void InterPrediction::join_few(std::size_t reference, bool average) {
  List& border = lists_[list_index(kBorderKind, reference, average)];
  const auto as_border = [&](std::size_t kind) {
    const StripSize size = size_of_kind(kind);
    return lists_[list_index(kind, reference, average)].count *
           static_cast<std::size_t>(size.width / 4) * static_cast<std::size_t>(size.rows / 4);
  };
  const auto few = [&](std::size_t kind) {
    return as_border(kind) > 0 && as_border(kind) <= most_joined_;
  };
  std::size_t joined = border.count == 0 ? 0 : 1;
  for (std::size_t kind = 0; kind < kBorderKind; ++kind) joined += few(kind) ? 1 : 0;
  if (joined < 2) return;
  for (std::size_t kind = 0; kind < kBorderKind; ++kind) {
    if (!few(kind)) continue;
    border.count += as_border(kind);
    lists_[list_index(kind, reference, average)] = {.joined = true};
  }
}

template <class Write>
void InterPrediction::cut(const Area& area, const StripSize& size, const Write& write) const {
  for (int y = 0; y < area.part.height; y += size.rows) {
    for (int x = 0; x < area.part.width; x += size.width) {
      write(x, y, offset_in(frame_, area.plane, area.part.x + x, area.part.y + y));
    }
  }
}

void InterPrediction::write_inside(const Area& area, std::size_t kind, Strip* strips) const {
  // The first sample that is read; along an axis without a filter, the sample itself.
  const std::uint32_t directions = directions_of(area.from);
  const int from_x = (area.from.x >> 4) - ((directions & kAlongX) != 0 ? vp9::kTapsBefore : 0);
  const int from_y = (area.from.y >> 4) - ((directions & kAlongY) != 0 ? vp9::kTapsBefore : 0);
  const InterFrame& reference = references_[area.reference];
  const StripSize size = size_of_kind(kind);
  const std::size_t to_unit = to_unit_of(size);
  cut(area, size, [&](int x, int y, std::size_t to) {
    const std::size_t from = offset_in(reference, area.plane, from_x + x, from_y + y);
    *strips++ = {.from = static_cast<std::uint32_t>(from),
                 .to = static_cast<std::uint32_t>(to / to_unit),
                 .choice = area.choice,
                 .place = packed_place(from_x + x, from_y + y)};
  });
}

void InterPrediction::write_border(const Area& area, Strip* strips) const {
  const int from_x = (area.from.x >> 4) - vp9::kTapsBefore;
  const int from_y = (area.from.y >> 4) - vp9::kTapsBefore;
  const std::size_t from = references_[area.reference].planes.planes[area.plane].offset;
  const StripSize size = size_of_kind(kBorderKind);
  const std::size_t to_unit = to_unit_of(size);
  cut(area, size, [&](int x, int y, std::size_t to) {
    *strips++ = {.from = static_cast<std::uint32_t>(from),
                 .to = static_cast<std::uint32_t>(to / to_unit),
                 .choice = area.choice,
                 .place = packed_place(from_x + x, from_y + y)};
  });
}

void InterPrediction::write_scaled(const Area& area, Strip* strips) const {
  cut(area, size_of_kind(kScaledKind), [&](int x, int y, std::size_t to) {
    *strips++ = {.from = static_cast<std::uint32_t>(area.from.x + x * area.from.step_x),
                 .to = static_cast<std::uint32_t>(to / 4),
                 .choice = area.choice,
                 .place = static_cast<std::uint32_t>(area.from.y + y * area.from.step_y)};
  });
}

void InterPrediction::finish() {
  std::size_t count = 0;
  // Averaging comes last, because it needs the first prediction.
  for (const bool average : {false, true}) {
    for (std::size_t reference = 0; reference < kActiveReferences; ++reference) {
      join_few(reference, average);
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        List& list = lists_[list_index(kind, reference, average)];
        if (list.count == 0) continue;
        list.next = count;
        count += list.count;
        runs_.push_back({program(kind, average), kind, reference, average,
                         static_cast<std::uint32_t>(list.next), static_cast<std::uint32_t>(count)});
      }
    }
  }
  if (count == 0) return;
  device_.reserve(strip_buffer_, count * sizeof(Strip));
  Strip* const strips = strip_buffer_->as<Strip>().data();
  for (const Area& area : areas_) {
    std::size_t kind = area.list % kKinds;
    std::size_t index = area.list;
    if (lists_[index].joined) {
      index = index - kind + kBorderKind;
      kind = kBorderKind;
    }
    List& list = lists_[index];
    Strip* const to = strips + list.next;
    list.next += count_strips(area.part, size_of_kind(kind));
    if (kind == kScaledKind) {
      write_scaled(area, to);
    } else if (kind == kBorderKind) {
      write_border(area, to);
    } else {
      write_inside(area, kind, to);
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
      const StripSize size = size_of_kind(kind);
      set(shader::kStripWidthConstant, static_cast<std::uint32_t>(size.width));
    }
  }
  set(shader::kAverageConstant, average ? 1 : 0);
  if (bits_ != 8) set(shader::kInterBitsConstant, static_cast<std::uint32_t>(bits_));
  program = device_.program(shaders(bits_)[scaled ? 1 : 0], constants);
  return program;
}

std::uint32_t max_strips_per_dispatch(std::uint32_t max_workgroups) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max() / 2;
  return std::min(max_workgroups, kMax / shader::kInterLanes) * shader::kInterLanes;
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
    const StripSize size = size_of_kind(run.kind);
    const char* const what = run.kind == kScaledKind   ? "scaled"
                             : run.kind == kBorderKind ? "at borders, and kinds with few strips"
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
  return max_strips_per_dispatch(device_.limits().max_workgroup_count[0]);
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
  push.rows = static_cast<std::uint32_t>(size_of_kind(run.kind).rows);
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
