// The scalar definition of brighten, its dispatch, and the workload that the gates run.
#include "examples/brighten/brighten.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "kernels/guarded_block.h"
#include "kernels/registry.h"

namespace sidecore::examples {

void brighten(std::span<std::uint8_t> row, std::uint8_t offset) {
  for (std::uint8_t& sample : row) {
    sample = static_cast<std::uint8_t>(std::min(sample + offset, 255));
  }
}

// ---- the dispatch ----------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kVector = 16;       // number of samples per invocation
constexpr std::uint32_t kInvocations = 64;  // number of invocations per workgroup

struct Push {
  std::uint32_t width, stride, offset;
};

}  // namespace

void brighten_qpu(qpu::Device& device, qpu::CommandList& list, const qpu::BufferRange& samples,
                  const BrightenPlane& plane, std::uint8_t offset) {
  if (plane.stride % kVector != 0) {
    throw usage_error("brighten: a stride of {} bytes is no multiple of {}", plane.stride, kVector);
  }
  constexpr std::uint32_t kGroup = kVector * kInvocations;
  list.dispatch(*device.program("brighten", {}), std::span(&samples, 1),
                Push{plane.width, plane.stride / kVector, offset},
                {(plane.width + kGroup - 1) / kGroup, plane.height, 1});
}

// ---- Code that the gates run -----------------------------------------------------------------

namespace {

using gates::Content;
using gates::UnitRange;

constexpr std::uint8_t kOffset = 40;

// A plane between guard bytes. A work unit is one row.
class BrightenWorkload final : public gates::Workload {
 public:
  explicit BrightenWorkload(gates::WorkloadRequest request)
      : request_(std::move(request)),
        plane_{.width = static_cast<std::uint32_t>(request_.width),
               .height = static_cast<std::uint32_t>(request_.height),
               .stride =
                   (static_cast<std::uint32_t>(request_.width) + kVector - 1) / kVector * kVector},
        samples_(block_.add("plane", std::size_t{plane_.height} * plane_.stride)) {}

  [[nodiscard]] std::size_t units() const override { return plane_.height; }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    block_.fill_guards(memory);
    Random random(request_.seed);
    for (std::size_t y = 0; y < units(); ++y) {
      const std::span<std::uint8_t> samples = row(memory, y);
      for (std::size_t x = 0; x < samples.size(); ++x) samples[x] = sample(x, y, random);
    }
  }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    for (std::size_t y = units.first; y < units.last; ++y) brighten(row(memory, y), kOffset);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    for (std::size_t y = units.first; y < units.last; ++y) brighten_neon(row(memory, y), kOffset);
  }
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    brighten_qpu(device, list, block_.range(memory, samples_), plane_, kOffset);
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    if (!block_.region_of(byte)) return std::nullopt;
    return (byte - block_.region(samples_).offset) / plane_.stride;
  }
  [[nodiscard]] std::string describe(std::size_t byte) const override {
    if (!block_.region_of(byte)) return block_.describe_guard(byte);
    const std::size_t at = byte - block_.region(samples_).offset;
    return fmt::format("row {}, byte {}", at / plane_.stride, at % plane_.stride);
  }

 private:
  [[nodiscard]] std::span<std::uint8_t> row(std::span<std::byte> memory, std::size_t y) const {
    const std::span<std::byte> plane = block_.part(memory, samples_);
    return {reinterpret_cast<std::uint8_t*>(&plane[y * plane_.stride]), plane_.width};
  }
  [[nodiscard]] std::uint8_t sample(std::size_t x, std::size_t y, Random& random) const {
    switch (request_.content) {
      case Content::input:
        return std::as_const(*request_.picture).plane<std::uint8_t>(0).row(static_cast<int>(y))[x];
      case Content::smooth:
        return static_cast<std::uint8_t>((x / 8 + y / 4 + random.below(2)) % 256);
      case Content::flat:
        return static_cast<std::uint8_t>(128 + random.below(2));
      case Content::high_variance:
        return random.below(2) == 0 ? 0 : 255;
      case Content::random:
        break;
    }
    return static_cast<std::uint8_t>(random.below(256));
  }

  gates::WorkloadRequest request_;
  BrightenPlane plane_;
  bench::GuardedBlock block_;
  std::size_t samples_;
};

std::unique_ptr<gates::Workload> make_workload(const gates::WorkloadRequest& request) {
  gates::WorkloadRequest own = request;
  if (request.content == Content::input) {
    const video::PictureFormat& format = request.picture->format();
    if (format.pixel.bits != 8) {
      throw usage_error("brighten is for 8 bits, the input has {}", format.pixel.bits);
    }
    own.width = format.width;
    own.height = format.height;
  }
  return std::make_unique<BrightenWorkload>(own);
}

}  // namespace
}  // namespace sidecore::examples

// examples/kernels.inc registers these kernels.
std::vector<sidecore::gates::Kernel> sidecore::bench::brighten_kernels() {
  return {{.name = "brighten",
           .description = "min(sample + 40, 255), the example of docs/adding-a-kernel.md",
           .unit = "row",
           .module = "examples",
           .variants = {{"vector", {"brighten"}}},
           .agreement_width = 37,  // width for two full vectors and a part of a third
           .make_workload = examples::make_workload}};
}
