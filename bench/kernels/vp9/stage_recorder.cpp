#include "kernels/vp9/stage_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <iterator>

#include "base/error.h"
#include "kernels/vp9/frame_capture.h"
#include "kernels/vp9/loop_filter_picture.h"
#include "vp9/decoder.h"
#include "vp9/kernel_calls.h"
#include "vp9/reconstruction.h"

namespace sidecore::bench {
namespace {

constexpr std::size_t kOwnedTogether =
    4;  // size of a cell in samples: every block's width and position are multiples of it
std::size_t sample_bytes(const RecordedStage& work) {
  return work.format.pixel.bytes_per_sample();
}

/// Calls row(offset of the first byte in the frame, number of bytes) for each row of a block.
template <class Row>
void for_each_row(const WrittenBlock& block, std::size_t sample_bytes, const Row& row) {
  const std::size_t bytes = static_cast<std::size_t>(block.width) * sample_bytes;
  const std::size_t stride = static_cast<std::size_t>(block.stride) * sample_bytes;
  for (int y = 0; y < block.height; ++y) {
    row(block.offset + static_cast<std::size_t>(y) * stride, bytes);
  }
}

}  // namespace

StageWorkload::StageWorkload(RecordedStage work) : work_(std::move(work)) {
  const std::size_t bytes = video::PictureLayout(work_.format).bytes;
  static_cast<void>(block_.add("frame", bytes));
  for (const RecordedStage::Input& input : work_.inputs) {
    static_cast<void>(block_.add(input.name, input.bytes.size()));
  }
  assert(work_.inputs.size() <= InputPointers{}.size());
  const std::size_t group = kOwnedTogether * sample_bytes(work_);
  owners_.resize(bytes / group);
  std::uint32_t unit = 0;
  for (const WrittenBlock& block : work_.blocks) {
    ++unit;
    for_each_row(block, sample_bytes(work_), [&](std::size_t first, std::size_t count) {
      std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(first / group), count / group,
                  unit);
    });
  }
}

void StageWorkload::reset(std::span<std::byte> memory) const {
  block_.fill_guards(memory);
  for (std::size_t index = 0; index < work_.inputs.size(); ++index) {
    std::ranges::copy(work_.inputs[index].bytes, block_.part(memory, index + 1).begin());
  }
  const std::span<std::byte> frame = frame_in(memory);
  std::ranges::copy(work_.samples, frame.begin());
  if (work_.found.empty()) return;
  auto found = work_.found.begin();
  for (const WrittenBlock& block : work_.blocks) {
    for_each_row(block, sample_bytes(work_), [&](std::size_t first, std::size_t count) {
      const auto end = found + static_cast<std::ptrdiff_t>(count);
      std::copy(found, end, frame.begin() + static_cast<std::ptrdiff_t>(first));
      found = end;
    });
  }
}

void StageWorkload::run_scalar(std::span<std::byte> memory, gates::UnitRange units) const {
  run(vp9::scalar_dsp(), memory, units);
}

void StageWorkload::run_neon(std::span<std::byte> memory, gates::UnitRange units) const {
  run(neon::vp9_dsp(), memory, units);
}

std::vector<gates::CpuCalls> StageWorkload::cpu_calls(std::span<std::byte> memory) const {
  vp9::KernelCalls calls;
  {
    const vp9::CallCountingScope counting(calls);
    run(vp9::counting_dsp(), memory, {0, units()});
  }
  std::vector<gates::CpuCalls> all;
  for (const auto& counted : {vp9::predictions(calls), vp9::transforms(calls)}) {
    for (const auto& [kind, blocks] : counted) {
      all.push_back({kind.kernel, kind.input, work_.format.pixel.bits, blocks});
    }
  }
  return all;
}

void StageWorkload::record_units(qpu::Device& /*device*/, qpu::CommandList& /*list*/,
                                 qpu::Buffer& /*memory*/, std::string_view variant) const {
  throw usage_error("the stage has no QPU variant, so it has no variant {}", variant);
}

InputPointers StageWorkload::inputs_in(std::span<std::byte> memory) const {
  InputPointers pointers{};
  for (std::size_t index = 0; index < work_.inputs.size(); ++index) {
    pointers[index] = block_.part(memory, index + 1).data();
  }
  return pointers;
}

std::optional<std::size_t> StageWorkload::unit_of(std::size_t byte) const {
  if (block_.region_of(byte) != 0) return std::nullopt;
  const std::size_t offset = byte - block_.region(0).offset;
  const std::uint32_t owner = owners_[offset / (kOwnedTogether * sample_bytes(work_))];
  if (owner == 0) return std::nullopt;
  return owner - 1;
}

std::string StageWorkload::describe(std::size_t byte) const {
  const std::optional<std::size_t> region = block_.region_of(byte);
  if (!region) return block_.describe_guard(byte);
  const std::size_t offset = byte - block_.region(*region).offset;
  if (*region != 0) return fmt::format("byte {} of the {}", offset, block_.region(*region).name);
  const std::optional<std::size_t> unit = unit_of(byte);
  if (!unit) return fmt::format("sample ({}), which no block covers", place(offset));
  const WrittenBlock& block = work_.blocks[*unit];
  const std::size_t sample = (offset - block.offset) / sample_bytes(work_);
  const auto stride = static_cast<std::size_t>(block.stride);
  return fmt::format("block {} ({}, {}x{}, {}), row {}, column {}", *unit, place(block.offset),
                     block.width, block.height, text(*unit), sample / stride, sample % stride);
}

std::string StageWorkload::place(std::size_t offset) const {
  const video::PictureLayout layout(work_.format);
  std::size_t plane = 0;
  for (std::size_t index = 1; index < layout.planes.size(); ++index) {
    if (layout.planes[index].bytes > 0 && offset >= layout.planes[index].offset) plane = index;
  }
  const video::PictureLayout::Plane& of = layout.planes[plane];
  const std::size_t inside = offset - of.offset;
  return fmt::format("{}, x {}, y {}", kPlaneNames[plane], inside % of.stride / sample_bytes(work_),
                     inside / of.stride);
}

video::Picture StageRecorder::allocate(const video::PictureFormat& format) {
  // Memory of an allocated frame. The entry exists as long as the memory, which may outlive the
  // recorder.
  struct Known {
    Known(const video::PictureFormat& of, std::shared_ptr<Frames> all)
        : memory(of), frames(std::move(all)) {
      frames->emplace_back(memory.bytes());
    }
    ~Known() {
      std::erase_if(*frames,
                    [&](const auto& frame) { return frame.data() == memory.bytes().data(); });
    }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;
    video::Picture memory;
    std::shared_ptr<Frames> frames;
  };
  const auto known = std::make_shared<Known>(format, frames_);
  return {format, known->memory.bytes(), known};
}

std::optional<StageRecorder::Place> StageRecorder::find(const void* sample) const {
  const auto* const byte = static_cast<const std::byte*>(sample);
  for (const std::span<const std::byte> frame : *frames_) {
    if (std::less_equal<>()(frame.data(), byte) &&
        std::less<>()(byte, frame.data() + frame.size())) {
      return Place{frame, static_cast<std::size_t>(byte - frame.data())};
    }
  }
  return std::nullopt;
}

std::size_t StageRecorder::offset_of(const void* to) const {
  const std::optional<Place> place = find(to);
  assert(place);
  return place->offset;
}

std::size_t StageRecorder::input(std::string_view name) {
  const auto found = std::ranges::find(work_.inputs, name, &RecordedStage::Input::name);
  if (found == work_.inputs.end()) {
    work_.inputs.push_back({std::string(name), {}});
    return work_.inputs.size() - 1;
  }
  return static_cast<std::size_t>(found - work_.inputs.begin());
}

std::size_t StageRecorder::append_bytes(std::vector<std::byte>& to,
                                        std::span<const std::byte> bytes) {
  const std::size_t first = to.size();
  to.insert(to.end(), bytes.begin(), bytes.end());
  return first;
}

RecordedStage StageRecorder::take_work(const video::Picture& frame) {
  work_.format = frame.format();
  return std::exchange(work_, {});
}

namespace {

class RecordedStream final : public gates::ClipWorkloads {
 public:
  RecordedStream(std::string_view kernel, std::unique_ptr<StageRecorder> recorder,
                 std::unique_ptr<video::PacketSource> packets, std::optional<std::size_t> frames)
      : kernel_(kernel),
        frames_(frames),
        packets_(std::move(packets)),
        recorder_(std::move(recorder)),
        decoder_(
            {.stream = packets_->name(),
             .allocator = [this](const auto& format) { return recorder_->allocate(format); },
             .dsp = &recorder_->tables(),
             .observer = {
                 .parsed = [this](const vp9::ParsedFrame& parsed) { recorder_->begin(parsed); },
                 .before_filter = [this](
                                      const vp9::FrameBuffer& frame, const auto& /*edges*/,
                                      int) { met_.push_back(recorder_->take(frame.memory)); }}}) {}

  [[nodiscard]] std::unique_ptr<gates::Workload> next() override {
    while (!frames_ || seen_ < *frames_) {
      if (!read_until_frame()) break;
      auto workload = std::move(met_.front());
      met_.pop_front();
      const std::uint64_t number = seen_++;
      if (workload == nullptr) continue;
      origin_ = fmt::format("frame {} of {}", number, packets_->name());
      return workload;
    }
    if (origin_.empty()) {
      throw usage_error("{}: none of its {} frames has a block for {}", packets_->name(), seen_,
                        kernel_);
    }
    return nullptr;
  }
  [[nodiscard]] const std::string& origin() const override { return origin_; }

 private:
  /// Decodes packets until there is a frame, because a packet may have several frames or none.
  bool read_until_frame() {
    while (met_.empty()) {
      if (!packets_->read(packet_)) return false;
      recorder_->record([&] { decoder_.decode(packet_.bytes, [](const auto& /*frame*/) {}); });
    }
    return true;
  }

  std::string_view kernel_;
  std::optional<std::size_t> frames_;
  std::unique_ptr<video::PacketSource> packets_;
  std::unique_ptr<StageRecorder> recorder_;
  // Workloads that next() has not returned; null: a frame without units.
  std::deque<std::unique_ptr<StageWorkload>> met_;
  std::uint64_t seen_ = 0;
  std::string origin_;
  vp9::Decoder decoder_;
  video::Packet packet_;
};

template <class Sample>
void fill_with_extremes(const video::PlaneView<Sample>& plane, int most, Random& random) {
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      plane.row(y)[x] = static_cast<Sample>(random.below(2) == 0 ? 0 : most);
    }
  }
}

template <class Sample>
void copy_plane(const video::PlaneView<const Sample>& from, const video::PlaneView<Sample>& to) {
  for (int y = 0; y < from.height; ++y) std::copy_n(from.row(y), from.width, to.row(y));
}

/// Calls plane(index, sample) for each plane of a format; `sample` only has the sample's type.
template <class Plane>
void for_each_plane(const video::PixelFormat& pixel, const Plane& plane) {
  for (int index = 0; index < pixel.planes(); ++index) {
    if (pixel.bits == 8) {
      plane(index, std::uint8_t{});
    } else {
      plane(index, std::uint16_t{});
    }
  }
}

void fill_samples(const gates::WorkloadRequest& request, video::Picture& picture) {
  if (request.content == gates::Content::input) {
    std::ranges::copy(request.picture->bytes(), picture.bytes().begin());
    return;
  }
  if (request.content != gates::Content::high_variance) {
    return fill_picture(request.content, picture, request.seed);
  }
  Random random(request.seed);
  const video::PixelFormat& pixel = picture.format().pixel;
  for_each_plane(pixel, [&]<class Sample>(int plane, Sample) {
    fill_with_extremes(picture.plane<Sample>(plane), pixel.max_value(), random);
  });
}

std::unique_ptr<gates::Workload> draw_workload(std::string_view kernel, StageRecorder& recorder,
                                               const gates::WorkloadRequest& request) {
  const bool given = request.content == gates::Content::input;
  if (given && request.picture == nullptr) {
    throw usage_error("{}: input content needs a picture", kernel);
  }
  const video::PictureFormat format =
      given ? request.picture->format()
            : video::PictureFormat{
                  request.width, request.height, {video::Chroma::c420, request.bits}};
  video::check_format(format);
  static_cast<void>(vp9::scalar_dsp().of(format.pixel.bits));  // throws for unsupported bit depths
  video::Picture samples(format);
  fill_samples(request, samples);
  vp9::FrameBuffer reference{recorder.allocate(whole_superblocks(format)),
                             {format.width, format.height}};
  video::Picture frame = recorder.allocate(whole_superblocks(format));
  for_each_plane(format.pixel, [&]<class Sample>(int plane, Sample) {
    const video::PlaneView<const Sample> from = std::as_const(samples).plane<Sample>(plane);
    copy_plane<Sample>(from, reference.memory.plane<Sample>(plane));
    copy_plane<Sample>(from, frame.plane<Sample>(plane));
  });
  // The seed differs from that of the samples, so that blocks do not correlate with them.
  Random random(~request.seed);
  recorder.record([&] { recorder.draw(frame, reference, request.content, random); });
  return recorder.take(frame);
}

}  // namespace

video::PictureFormat whole_superblocks(video::PictureFormat format) {
  const auto whole = [](int size) {
    return (size + vp9::kSuperblock - 1) / vp9::kSuperblock * vp9::kSuperblock;
  };
  format.width = whole(format.width);
  format.height = whole(format.height);
  return format;
}

gates::Kernel recorded_stage(std::string_view name, std::string_view description,
                             std::function<std::unique_ptr<StageRecorder>()> make_recorder) {
  return {.name = name,
          .description = description,
          .unit = "block",
          .module = "vp9",
          .make_workload =
              [name, make_recorder](const gates::WorkloadRequest& request) {
                return draw_workload(name, *make_recorder(), request);
              },
          .open_clip = [name, make_recorder](const gates::ClipRequest& clip)
              -> std::unique_ptr<gates::ClipWorkloads> {
            auto packets = open_vp9(clip.path, clip.start_at_key_frame);
            if (packets == nullptr) return nullptr;
            return std::make_unique<RecordedStream>(name, make_recorder(), std::move(packets),
                                                    clip.frames);
          }};
}

void scatter(const video::PictureFormat& format, std::span<const BlockShape> shapes, Random& random,
             const std::function<void(int plane, int x, int y, const BlockShape& shape)>& place) {
  constexpr int kArea = vp9::kSuperblock + kGap;
  // Fills an area with blocks of one shape.
  const auto fill_area = [&](int plane, int left, int top, int right, int bottom) {
    std::vector<BlockShape> fitting;
    std::ranges::copy_if(shapes, std::back_inserter(fitting), [&](const BlockShape& shape) {
      return left + kGap + shape.width <= right && top + kGap + shape.height <= bottom;
    });
    if (fitting.empty()) return;
    const BlockShape shape = fitting[random.below(static_cast<std::uint32_t>(fitting.size()))];
    for (int y = top + kGap; y + shape.height <= bottom; y += shape.height + kGap) {
      for (int x = left + kGap; x + shape.width <= right; x += shape.width + kGap) {
        place(plane, x, y, shape);
      }
    }
  };
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const int width = format.plane_width(plane);
    const int height = format.plane_height(plane);
    for (int y = 0; y < height; y += kArea) {
      for (int x = 0; x < width; x += kArea) {
        fill_area(plane, x, y, std::min(x + kArea, width), std::min(y + kArea, height));
      }
    }
  }
}

}  // namespace sidecore::bench
