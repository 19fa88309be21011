#include "kernels/vp9/published_designs.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/random.h"
#include "qpu/program.h"
#include "qpu/vp9/inter_prediction.h"
#include "qpu/vp9/inverse_transform.h"

namespace sidecore::qpu {
/// Returns the embedded shaders; a generated file defines it.
std::span<const Shader> baseline_shaders();
}  // namespace sidecore::qpu

namespace sidecore::bench {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kBlockSamples = 64;

const qpu::Shader& baseline(std::string_view name) {
  return *std::ranges::find(qpu::baseline_shaders(), name, &qpu::Shader::name);
}

template <class T>
std::shared_ptr<qpu::Buffer> buffer_of(qpu::Device& device, std::span<const T> values) {
  auto buffer = device.create_buffer(values.size_bytes());
  std::ranges::copy(std::as_bytes(values), buffer->bytes().begin());
  return buffer;
}

std::vector<std::uint8_t> drawn_bytes(std::size_t count, Random& random) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Records a command list: the constructor adds the uploads, finish() the download of the samples.
class Recording {
 public:
  Recording(qpu::Device& device, std::shared_ptr<qpu::Buffer> samples)
      : recorded_{device.create_command_list(), std::move(samples)} {
    upload(recorded_.samples);
  }
  void upload(const std::shared_ptr<qpu::Buffer>& buffer) {
    recorded_.list->upload({.buffer = buffer.get()});
  }
  [[nodiscard]] qpu::CommandList& list() { return *recorded_.list; }
  [[nodiscard]] qpu::Buffer& samples() { return *recorded_.samples; }
  [[nodiscard]] RecordedBlocks finish() {
    recorded_.list->download({.buffer = recorded_.samples.get()});
    recorded_.list->finish();
    return std::move(recorded_);
  }

 private:
  RecordedBlocks recorded_;
};

qpu::PicturePlanes luma_alone(std::size_t stride, std::size_t rows) {
  return {.planes = {{{0, stride, rows}, {0, stride, 0}, {0, stride, 0}}}};
}

}  // namespace

DctBlocks DctBlocks::drawn(std::uint64_t seed) {
  Random random(seed);
  DctBlocks blocks;
  blocks.samples = drawn_bytes(kCount * kBlockSamples, random);
  blocks.coefficients.resize(kCount * kBlockSamples);
  // The coefficients are limited, because their sum of magnitudes must not exceed
  // vp9::TransformBlock::kNarrowSum.
  for (std::int16_t& value : blocks.coefficients) {
    value = static_cast<std::int16_t>(static_cast<int>(random.below(601)) - 300);
  }
  return blocks;
}

RecordedBlocks record_published_dct(qpu::Device& device, const DctBlocks& blocks,
                                    std::uint32_t workgroup) {
  constexpr std::uint32_t kLanesOfBlock = 8;
  std::vector<std::array<std::uint32_t, 2>> places;
  places.reserve(DctBlocks::kCount);
  for (std::uint32_t block = 0; block < DctBlocks::kCount; ++block) {
    places.push_back({block % DctBlocks::kColumns, block / DctBlocks::kColumns});
  }
  const auto coefficients = buffer_of<std::int16_t>(device, blocks.coefficients);
  const auto place_buffer = buffer_of<std::array<std::uint32_t, 2>>(device, places);
  Recording recording(device, buffer_of<std::uint8_t>(device, blocks.samples));
  recording.upload(coefficients);
  recording.upload(place_buffer);
  const auto program = device.program(baseline("inverse_dct_8x8"), {{{0, workgroup}}});
  const qpu::BufferRange bindings[] = {{.buffer = coefficients.get()},
                                       {.buffer = &recording.samples()},
                                       {.buffer = place_buffer.get()}};
  const std::array<std::uint32_t, 2> push{DctBlocks::kCount, DctBlocks::kStride};
  recording.list().dispatch(*program, bindings, push,
                            {DctBlocks::kCount * kLanesOfBlock / workgroup, 1, 1});
  return recording.finish();
}

RecordedBlocks record_dct(qpu::Device& device, const DctBlocks& blocks) {
  std::vector<vp9::TransformBlock> listed;
  listed.reserve(DctBlocks::kCount);
  for (std::size_t block = 0; block < DctBlocks::kCount; ++block) {
    listed.push_back({.first_coefficient = static_cast<std::uint32_t>(block * kBlockSamples),
                      .x = static_cast<std::uint16_t>(block % DctBlocks::kColumns * 8),
                      .y = static_cast<std::uint16_t>(block / DctBlocks::kColumns * 8),
                      .end = kBlockSamples,
                      .rows = 8,
                      .columns = 8,
                      .narrow = true,
                      .size = vp9::kTransform8x8,
                      .type = vp9::kDctDct});
  }
  const std::vector<qpu::ResidualUse> uses(DctBlocks::kCount, qpu::ResidualUse::add);
  qpu::InverseTransform transform(device, 8);
  transform.set_blocks<std::int16_t>(listed, uses, blocks.coefficients);
  Recording recording(device, buffer_of<std::uint8_t>(device, blocks.samples));
  transform.record(recording.list(), recording.samples(),
                   luma_alone(DctBlocks::kStride, DctBlocks::kRows * 8));
  return recording.finish();
}

PredictionBlocks PredictionBlocks::drawn(std::uint64_t seed) {
  Random random(seed);
  PredictionBlocks blocks;
  blocks.windows = drawn_bytes(kWindowRows * kWindowStride, random);
  blocks.fractions.resize(kCount);
  for (std::uint8_t& fraction : blocks.fractions) {
    fraction = static_cast<std::uint8_t>(1 + random.below(15));
  }
  return blocks;
}

RecordedBlocks record_published_prediction(qpu::Device& device, const PredictionBlocks& blocks) {
  const std::vector<std::uint32_t> phases(blocks.fractions.begin(), blocks.fractions.end());
  const auto windows = buffer_of<std::uint8_t>(device, blocks.windows);
  const auto phase_buffer = buffer_of<std::uint32_t>(device, phases);
  Recording recording(device, device.create_buffer(PredictionBlocks::kCount * kBlockSamples));
  recording.upload(windows);
  recording.upload(phase_buffer);
  const auto program = device.program(baseline("prediction_8x8_x"), {});
  const qpu::BufferRange bindings[] = {
      {.buffer = windows.get()}, {.buffer = &recording.samples()}, {.buffer = phase_buffer.get()}};
  const std::uint32_t push = PredictionBlocks::kCount;
  recording.list().dispatch(*program, bindings, push,
                            {PredictionBlocks::kCount * 8 / program->workgroup_size()[0], 1, 1});
  return recording.finish();
}

vp9::ReferenceArea area_of(const PredictionBlocks& blocks, std::size_t block,
                           const PredictionDirections& directions) {
  const int fraction = vp9::kTapsBefore * 16 + blocks.fractions[block];
  const int row = static_cast<int>(block) * 8;
  return {directions.x ? fraction : 0, row * 16 + (directions.y ? fraction : 0), 16, 16, 8, 8};
}

RecordedBlocks record_prediction(qpu::Device& device, const PredictionBlocks& blocks,
                                 const PredictionDirections& directions) {
  constexpr std::size_t kRows = PredictionBlocks::kWindowRows;
  constexpr auto kStride = PredictionBlocks::kWindowStride;
  const auto windows = buffer_of<std::uint8_t>(device, blocks.windows);
  Recording recording(device, device.create_buffer(kStride * kRows));
  recording.upload(windows);
  const qpu::InterFrame to{
      std::shared_ptr<qpu::Buffer>(std::shared_ptr<void>(), &recording.samples()),
      luma_alone(kStride, kRows),
      {static_cast<int>(kStride), static_cast<int>(kRows)}};
  qpu::InterFrame from = to;
  from.buffer = windows;
  qpu::InterPrediction prediction(device, 8);
  prediction.start(to, {from, {}, {}}, video::Chroma::c420);
  for (std::size_t block = 0; block < PredictionBlocks::kCount; ++block) {
    prediction.add(0, {0, static_cast<int>(block) * 8, 8, 8}, 0, area_of(blocks, block, directions),
                   vp9::kEightTap, false);
  }
  prediction.finish();
  prediction.record(recording.list());
  return recording.finish();
}

std::vector<shaderdb::Design> published_designs() {
  std::vector<shaderdb::Design> designs;
  const auto add = [&](const char* kernel, const char* variant, std::size_t units, auto record) {
    designs.push_back({kernel, variant, "8x8 block", units,
                       [record](qpu::Device& device) { return record(device).list; }});
  };
  const auto published_dct = [](std::uint32_t workgroup) {
    return [workgroup](qpu::Device& device) {
      return record_published_dct(device, DctBlocks::drawn(kSeed), workgroup);
    };
  };
  add("inverse_transform", "8x8 DCT, published, 64 a workgroup", DctBlocks::kCount,
      published_dct(64));
  add("inverse_transform", "8x8 DCT, published, 256 a workgroup", DctBlocks::kCount,
      published_dct(256));
  add("inverse_transform", "8x8 DCT", DctBlocks::kCount,
      [](qpu::Device& device) { return record_dct(device, DctBlocks::drawn(kSeed)); });
  add("inter_prediction", "8x8 along x, published", PredictionBlocks::kCount,
      [](qpu::Device& device) {
        return record_published_prediction(device, PredictionBlocks::drawn(kSeed));
      });
  const auto prediction = [](const PredictionDirections& directions) {
    return [directions](qpu::Device& device) {
      return record_prediction(device, PredictionBlocks::drawn(kSeed), directions);
    };
  };
  constexpr std::size_t kPredicted = PredictionBlocks::kCount;
  add("inter_prediction", "8x8 along x", kPredicted, prediction({true, false}));
  add("inter_prediction", "8x8 along y", kPredicted, prediction({false, true}));
  add("inter_prediction", "8x8 along x and y", kPredicted, prediction({true, true}));
  return designs;
}

}  // namespace sidecore::bench
