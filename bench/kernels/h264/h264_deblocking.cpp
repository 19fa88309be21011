#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/rounding.h"
#include "h264/deblocking.h"
#include "h264/deblocking_kinds.h"
#include "h264/deblocking_qpu.h"
#include "h264/deblocking_work.h"
#include "kernels/guarded_block.h"
#include "kernels/picture_region.h"
#include "kernels/registry.h"
#include "kernels/vp9/loop_filter_picture.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using h264::kMacroblock;

// Deblocking of a picture. A work unit is a macroblock.
class DeblockingWorkload final : public gates::Workload {
 public:
  explicit DeblockingWorkload(h264::DeblockingWork work)
      : work_(std::move(work)), picture_(block_, "picture", work_.picture.format()) {
    h264::check_macroblocks(work_.picture.format(), work_.macroblocks);
  }

  [[nodiscard]] std::size_t units() const override { return work_.macroblocks.size(); }
  [[nodiscard]] bool ordered() const override { return true; }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    block_.fill_guards(memory);
    picture_.write(memory, work_.picture);
  }
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override {
    h264::deblock(h264::scalar_deblocking(), planes_in(memory), work_.macroblocks, units.first,
                  units.last);
  }
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override {
    h264::deblock(h264::neon_deblocking(), planes_in(memory), work_.macroblocks, units.first,
                  units.last);
  }
  Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const override {
    const Clock::time_point start = Clock::now();
    h264::deblock(h264::neon_deblocking(), planes_in(memory), work_.macroblocks, team);
    return Clock::now() - start;
  }

  // Returns the share of segments whose strength is above 0, and is 4.
  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> /*memory*/) const override {
    double segments = 0;
    double filtered = 0;
    double strong = 0;
    for (const h264::Macroblock& macroblock : work_.macroblocks) {
      for (const auto& edges : macroblock.strengths) {
        for (const h264::Strengths& strengths : edges) {
          segments += static_cast<double>(strengths.size());
          filtered += static_cast<double>(std::ranges::count_if(
              strengths, [](std::uint8_t strength) { return strength != 0; }));
          strong += static_cast<double>(std::ranges::count(strengths, 4));
        }
      }
    }
    return {{"bS>0", filtered / segments, "segments", segments},
            {"bS=4", strong / segments, "segments", segments}};
  }

  [[nodiscard]] std::vector<gates::CpuCalls> cpu_calls(std::span<std::byte> memory) const override {
    std::vector<gates::CpuCalls> calls;
    for (const auto& [kind, times] : h264::count_kinds(planes_in(memory), work_.macroblocks)) {
      calls.push_back({std::string(kind.kernel), std::string(kind.input), 8, times});
    }
    return calls;
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    const std::optional<PictureRegion::Place> at = picture_.place_of(byte);
    if (!at) return std::nullopt;
    const std::size_t side = at->plane == 0 ? kMacroblock : kMacroblock / 2;
    const auto columns = static_cast<std::size_t>(work_.picture.format().width / kMacroblock);
    return at->y / side * columns + at->x / side;
  }
  [[nodiscard]] std::string describe(std::size_t byte) const override {
    if (!block_.region_of(byte)) return block_.describe_guard(byte);
    const std::optional<PictureRegion::Place> at = picture_.place_of(byte);
    if (!at) return "padding of the picture";
    return fmt::format("macroblock {}, {}", *unit_of(byte), to_string(*at));
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    h264::record_deblocking(device, list, picture_.range(memory), work_.picture.format(),
                            work_.macroblocks);
  }
  [[nodiscard]] h264::Planes planes_in(std::span<std::byte> memory) const {
    return {picture_.plane<std::uint8_t>(memory, 0), picture_.plane<std::uint8_t>(memory, 1),
            picture_.plane<std::uint8_t>(memory, 2)};
  }

  h264::DeblockingWork work_;
  GuardedBlock block_;
  PictureRegion picture_;
};

video::Picture deblocking_picture(const gates::WorkloadRequest& request) {
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("h264_deblocking: input content needs a picture");
    return copy_rounded_up(*request.picture, kMacroblock);
  }
  video::check_format({request.width, request.height, {}});
  video::Picture picture(
      {round_up(request.width, kMacroblock), round_up(request.height, kMacroblock), {}});
  // The seed differs from that of the macroblocks, so that samples do not correlate with them.
  fill_picture(request.content, picture, ~request.seed);
  return picture;
}

std::unique_ptr<gates::Workload> make_deblocking_workload(const gates::WorkloadRequest& request) {
  h264::DeblockingWork work{deblocking_picture(request), {}};
  std::optional<int> index;
  if (request.content == Content::input) {
    index = std::clamp(request.filter_level, 0, static_cast<int>(h264::kIndices) - 1);
  }
  work.macroblocks = h264::random_macroblocks(work.picture.format(), index, request.seed);
  return std::make_unique<DeblockingWorkload>(std::move(work));
}

class CapturedDeblocking final : public gates::ClipWorkloads {
 public:
  explicit CapturedDeblocking(const std::string& path)
      : origin_(fmt::format("'{}'", path)),
        next_(std::make_unique<DeblockingWorkload>(h264::read_capture(path))) {}

  [[nodiscard]] std::unique_ptr<gates::Workload> next() override { return std::move(next_); }
  [[nodiscard]] const std::string& origin() const override { return origin_; }

 private:
  std::string origin_;
  std::unique_ptr<gates::Workload> next_;
};

std::unique_ptr<gates::ClipWorkloads> open_deblocking_capture(const gates::ClipRequest& clip) {
  if (!h264::is_capture(clip.path)) return nullptr;
  return std::make_unique<CapturedDeblocking>(clip.path);
}

}  // namespace

// h264_deblocking: deblocking of whole pictures, as a decoder of H.264 does it. A capture
// (scripts/h264-captures) has the samples, strengths and thresholds of a real stream. For all other
// content macroblocks are random (h264::random_macroblocks()); their indices are random with
// synthetic content, and the request's filter level with a clip's pictures.
std::vector<gates::Kernel> h264_deblocking_kernels() {
  return {{.name = "h264_deblocking",
           .description = "H.264 deblocking of whole pictures, all edges in order",
           .unit = "macroblock",
           .module = "h264",
           .variants = {{"diagonals", {h264::deblocking_shader()}}},
           .make_workload = make_deblocking_workload,
           .open_clip = open_deblocking_capture}};
}

}  // namespace sidecore::bench
