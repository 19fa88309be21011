#include "av1/cdef.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "av1/cdef_capture.h"
#include "av1/cdef_qpu.h"
#include "av1/cdef_scene.h"
#include "base/error.h"
#include "base/rounding.h"
#include "kernels/guarded_block.h"
#include "kernels/picture_region.h"
#include "kernels/registry.h"

namespace sidecore::bench {
namespace {

using gates::Content;

// A picture before the filter and the memory of the filtered picture. A work unit is a block of 8x8
// luma samples with its chroma.
class CdefWorkload final : public gates::Workload {
 public:
  CdefWorkload(video::Picture samples, av1::CdefFrame frame)
      : samples_(std::move(samples)),
        frame_(std::move(frame)),
        grid_(samples_.format()),
        before_(block_, "picture before the filter", samples_.format()),
        after_(block_, "filtered picture", samples_.format()) {
    av1::check_cdef_format(samples_.format());
    av1::check_cdef_frame(frame_, samples_.format());
  }

  [[nodiscard]] std::size_t units() const override { return grid_.blocks(); }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    block_.fill_guards(memory);
    before_.write(memory, samples_);
  }
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override {
    for_each_unit(memory, units, [&](const auto& planes, int column, int row) {
      av1::cdef_block(planes, frame_, column, row);
    });
  }
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override {
    for_each_unit(memory, units, [&](const auto& planes, int column, int row) {
      av1::cdef_block_neon(planes, frame_, column, row);
    });
  }

  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> /*memory*/) const override {
    int filtered = 0;
    for (const std::uint64_t mask : frame_.filtered) filtered += std::popcount(mask);
    const auto blocks = static_cast<double>(units());
    return {{"filtered", filtered / blocks, "blocks", blocks}};
  }

  // Counts blocks at the picture's border like the others, although NEON copies their surroundings.
  [[nodiscard]] std::vector<gates::CpuCalls> cpu_calls(std::span<std::byte> memory) const override {
    if (samples_.format().pixel.planes() == 1) return {};
    std::map<std::string, double> blocks;
    for_each_unit(memory, {0, units()}, [&](const auto& planes, int column, int row) {
      blocks[av1::kind_of_cdef_block(planes, frame_, column, row)] += 1;
    });
    run_scalar(memory, {0, units()});
    std::vector<gates::CpuCalls> calls;
    calls.reserve(blocks.size());
    for (const auto& [kind, times] : blocks) {
      calls.push_back({"cdef", kind, samples_.format().pixel.bits, times});
    }
    return calls;
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    const std::optional<PictureRegion::Place> at = after_.place_of(byte);
    if (!at) return std::nullopt;
    const std::size_t side = at->plane == 0 ? av1::kCdefBlock : av1::kCdefBlock / 2;
    return at->y / side * static_cast<std::size_t>(grid_.columns) + at->x / side;
  }
  [[nodiscard]] std::string describe(std::size_t byte) const override {
    const std::optional<std::size_t> region = block_.region_of(byte);
    if (!region) return block_.describe_guard(byte);
    const std::optional<PictureRegion::Place> at = after_.place_of(byte);
    if (at) return fmt::format("block {}, {}", *unit_of(byte), to_string(*at));
    const GuardedBlock::Region& of = block_.region(*region);
    return fmt::format("byte {} of the {}", byte - of.offset, of.name);
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    av1::CdefQpu cdef(device, samples_.format());
    cdef.set_frame(frame_);
    cdef.record(list, before_.range(memory), after_.range(memory));
  }

  /// Calls call(planes, column, row) for each unit.
  template <class Call>
  void for_each_unit(std::span<std::byte> memory, gates::UnitRange units, const Call& call) const {
    const auto go = [&](const auto& planes) {
      for (std::size_t unit = units.first; unit < units.last; ++unit) {
        call(planes, static_cast<int>(unit) % grid_.columns,
             static_cast<int>(unit) / grid_.columns);
      }
    };
    if (samples_.format().pixel.bits == 8) {
      go(planes_in<std::uint8_t>(memory));
    } else {
      go(planes_in<std::uint16_t>(memory));
    }
  }
  template <class Sample>
  [[nodiscard]] av1::CdefPlanes<Sample> planes_in(std::span<std::byte> memory) const {
    const video::PixelFormat& pixel = samples_.format().pixel;
    av1::CdefPlanes<Sample> planes{
        .from = {}, .to = {}, .planes = pixel.planes(), .bits = pixel.bits};
    for (int plane = 0; plane < planes.planes; ++plane) {
      planes.from[static_cast<std::size_t>(plane)] = before_.plane<Sample>(memory, plane);
      planes.to[static_cast<std::size_t>(plane)] = after_.plane<Sample>(memory, plane);
    }
    return planes;
  }
  video::Picture samples_;
  av1::CdefFrame frame_;
  av1::CdefGrid grid_;
  GuardedBlock block_;
  PictureRegion before_, after_;
};

av1::CdefSamples cdef_samples_of(Content content) {
  switch (content) {
    case Content::smooth:
      return av1::CdefSamples::ramp;
    case Content::flat:
      return av1::CdefSamples::flat;
    case Content::high_variance:
      return av1::CdefSamples::extreme;
    case Content::random:
    case Content::input:
      break;
  }
  return av1::CdefSamples::noise;
}

video::Picture cdef_picture(const gates::WorkloadRequest& request, Random& random) {
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("cdef: input content needs a picture");
    return copy_rounded_up(*request.picture, av1::kCdefBlock);
  }
  video::check_format({request.width, request.height, {}});
  video::Picture picture({round_up(request.width, av1::kCdefBlock),
                          round_up(request.height, av1::kCdefBlock),
                          {video::Chroma::c420, request.bits}});
  av1::fill_cdef_picture(picture, cdef_samples_of(request.content), random);
  return picture;
}

std::unique_ptr<gates::Workload> make_cdef_workload(const gates::WorkloadRequest& request) {
  Random random(request.seed);
  video::Picture picture = cdef_picture(request, random);
  av1::CdefFrame frame = av1::random_cdef_frame(picture.format(), random);
  return std::make_unique<CdefWorkload>(std::move(picture), std::move(frame));
}

class CapturedCdefFrames final : public gates::ClipWorkloads {
 public:
  explicit CapturedCdefFrames(const gates::ClipRequest& clip)
      : path_(clip.path), reader_(clip.path), frames_(clip.frames) {}

  [[nodiscard]] std::unique_ptr<gates::Workload> next() override {
    if (frames_ && number_ >= *frames_) return nullptr;
    auto captured = reader_.next();
    if (!captured) return nullptr;
    origin_ = fmt::format("frame {} of '{}'", number_++, path_);
    return std::make_unique<CdefWorkload>(std::move(captured->before), std::move(captured->frame));
  }
  [[nodiscard]] const std::string& origin() const override { return origin_; }

 private:
  std::string path_;
  av1::CdefCaptureReader reader_;
  std::optional<std::size_t> frames_;
  std::size_t number_ = 0;
  std::string origin_;
};

std::unique_ptr<gates::ClipWorkloads> open_cdef_capture(const gates::ClipRequest& clip) {
  if (!av1::is_cdef_capture(clip.path)) return nullptr;
  return std::make_unique<CapturedCdefFrames>(clip);
}

}  // namespace

// cdef: AV1's constrained directional enhancement of whole pictures. A work unit is a block of 8x8
// luma samples with its chroma, filtered or copied. A capture (bench/tools/capture_cdef.cpp) has
// the samples, strengths and skipped blocks of a real stream. For all other content strengths and
// skipped blocks are random. Synthetic contents are the kinds of av1::CdefSamples: smooth is a
// ramp, and high_variance has the lowest and the highest sample.
std::vector<gates::Kernel> cdef_kernels() {
  std::vector<qpu::Shader> shaders = av1::CdefQpu::shaders(8);
  std::ranges::copy(av1::CdefQpu::shaders(10), std::back_inserter(shaders));
  return {{.name = "cdef",
           .description = "AV1 directional enhancement filter (CDEF) of whole pictures",
           .unit = "block",
           .module = "av1",
           .variants = {{"words", std::move(shaders)}},
           .bit_depths = {8, 10},
           .make_workload = make_cdef_workload,
           .open_clip = open_cdef_capture}};
}

}  // namespace sidecore::bench
