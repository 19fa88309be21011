// Compares the QPU's inter prediction with the scalar definition, on the default device with the
// validation layer and V3D's limits.
// ctest: long
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/inter_prediction.h"
#include "video/picture.h"
#include "vp9/dsp.h"

namespace sidecore::test_inter_prediction_qpu {
namespace {

using vp9::PlaneBlock;
using vp9::ReferenceArea;

constexpr std::uint64_t kSeed = 20261122;
constexpr std::size_t kGuard = 256;
constexpr std::size_t kReferences = vp9::kActiveReferences;

video::PictureFormat whole_superblocks(video::PictureFormat format) {
  const auto whole = [](int size) { return (size + 63) / 64 * 64; };
  return {whole(format.width), whole(format.height), format.pixel};
}

enum class Content : std::uint8_t { random, extremes };

/// Memory of a frame between guard bytes within a buffer, and a copy for the CPU.
template <class Sample>
class SceneFrame {
 public:
  SceneFrame(const video::PictureFormat& visible, std::shared_ptr<qpu::Buffer> buffer,
             std::size_t offset)
      : visible_(visible), layout_(whole_superblocks(visible)), begin_(offset + kGuard) {
    frame_ = {std::move(buffer),
              qpu::PicturePlanes::of(whole_superblocks(visible)),
              {visible.width, visible.height}};
    for (auto& plane : frame_.planes.planes) plane.offset += begin_;
  }
  static std::size_t bytes(const video::PictureFormat& visible) {
    return video::PictureLayout(whole_superblocks(visible)).bytes + 2 * kGuard;
  }

  void fill(Content content, Random& random) {
    const int most = (1 << visible_.pixel.bits) - 1;
    const std::span<std::byte> all =
        frame_.buffer->bytes().subspan(begin_ - kGuard, bytes(visible_));
    const std::span<Sample> samples{reinterpret_cast<Sample*>(all.data()),
                                    all.size() / sizeof(Sample)};
    for (Sample& sample : samples) {
      const auto any = static_cast<int>(random() & 0xffff);
      sample = static_cast<Sample>(content == Content::random ? any & most : (any & 1) * most);
    }
    copy_.assign(samples.begin(), samples.end());
  }

  [[nodiscard]] const qpu::InterFrame& frame() const { return frame_; }
  [[nodiscard]] std::span<Sample> device_samples() const {
    const auto all = frame_.buffer->bytes().subspan(begin_ - kGuard, bytes(visible_));
    return {reinterpret_cast<Sample*>(all.data()), all.size() / sizeof(Sample)};
  }
  [[nodiscard]] const std::vector<Sample>& copy() const { return copy_; }
  [[nodiscard]] video::PlaneView<Sample> memory(std::size_t plane) {
    const video::PictureFormat whole = whole_superblocks(visible_);
    const auto index = static_cast<int>(plane);
    return {copy_.data() + (kGuard + layout_.planes[plane].offset) / sizeof(Sample),
            whole.plane_width(index), whole.plane_height(index),
            static_cast<std::ptrdiff_t>(layout_.planes[plane].stride / sizeof(Sample))};
  }
  [[nodiscard]] video::PlaneView<const Sample> visible(std::size_t plane) {
    video::PlaneView<const Sample> view = memory(plane);
    view.width = visible_.plane_width(static_cast<int>(plane));
    view.height = visible_.plane_height(static_cast<int>(plane));
    return view;
  }

 private:
  video::PictureFormat visible_;
  video::PictureLayout layout_;
  std::size_t begin_;
  qpu::InterFrame frame_;
  std::vector<Sample> copy_;
};

/// Blocks all over a frame, predicted by the CPU and by the QPU.
template <class Sample>
class Scene {
 public:
  Scene(qpu::Device& device, const std::array<video::PictureFormat, kReferences>& references,
        const video::PictureFormat& format, bool one_buffer)
      : device_(device), format_(format), prediction_(device, format.pixel.bits) {
    std::size_t bytes = SceneFrame<Sample>::bytes(format);
    for (const auto& reference : references) bytes += SceneFrame<Sample>::bytes(reference);
    const auto shared = one_buffer ? device.create_buffer(bytes) : nullptr;
    std::size_t offset = 0;
    const auto place = [&](const video::PictureFormat& of) {
      const std::size_t size = SceneFrame<Sample>::bytes(of);
      frames_.emplace_back(of, shared ? shared : device.create_buffer(size), shared ? offset : 0);
      offset += size;
    };
    place(format);
    for (const auto& reference : references) place(reference);
  }

  void predict(Content content, std::uint64_t seed) {
    Random random(seed);
    done_.clear();
    for (SceneFrame<Sample>& frame : frames_) frame.fill(content, random);
    qpu::InterReferences references;
    for (std::size_t index = 0; index < kReferences; ++index) {
      references[index] = frames_[index + 1].frame();
    }
    prediction_.start(frames_[0].frame(), references, format_.pixel.chroma);
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const video::PlaneView<Sample> memory = frames_[0].memory(plane);
      for (int y = 0; y < memory.height; y += 64 >> subsampling(plane)) {
        for (int x = 0; x < memory.width; x += 64 >> subsampling(plane)) {
          fill_superblock(plane, x, y, 64 >> subsampling(plane), random);
        }
      }
    }
    prediction_.finish();
    const auto list = device_.create_command_list();
    for (const SceneFrame<Sample>& frame : frames_)
      list->upload({.buffer = &*frame.frame().buffer});
    prediction_.record(*list);
    list->download({.buffer = &*frames_[0].frame().buffer});
    list->finish();
    EXPECT_EQ(list->dispatch_count(), prediction_.dispatches());
    double added = 0;
    for (const Done& done : done_) added += done.part.width * done.part.height / 64.0;
    double listed = 0;
    for (const qpu::DispatchWork& work : prediction_.work()) {
      EXPECT_EQ(work.unit, "8x8");
      listed += work.units;
    }
    EXPECT_EQ(listed, added);
    EXPECT_EQ(prediction_.work().size(), prediction_.dispatches());
    device_.submit(*list).wait();
    for (const SceneFrame<Sample>& frame : frames_) {
      const auto found = frame.device_samples();
      const auto [ours, theirs] = std::ranges::mismatch(found, frame.copy());
      ASSERT_TRUE(ours == found.end())
          << "seed " << seed << ", frame " << &frame - frames_.data() << ", sample "
          << ours - found.begin() << ": " << +*ours << ", not " << +*theirs << "; "
          << block_at(static_cast<std::size_t>(ours - found.begin()));
    }
  }

  [[nodiscard]] std::size_t dispatches() const { return prediction_.dispatches(); }

 private:
  struct Done {
    std::size_t plane;
    PlaneBlock part;
    std::size_t reference;
    ReferenceArea area;
    bool average;
  };

  [[nodiscard]] int subsampling(std::size_t plane) const {
    return plane > 0 && format_.pixel.chroma == video::Chroma::c420 ? 1 : 0;
  }

  void fill_superblock(std::size_t plane, int left, int top, int size, Random& random) {
    const int width =
        4 << random.below(
            static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(size))) - 1);
    const int height = std::clamp(
        width * (random.below(2) == 0 ? 1 : 2) / (random.below(2) == 0 ? 1 : 2), 4, size);
    for (int y = 0; y < size; y += height) {
      for (int x = 0; x < size; x += width) {
        const PlaneBlock part{left + x, top + y, width, height};
        for (const bool average : {false, true}) {
          if (average && random.below(3) == 0) break;
          predict_part(plane, part, average, random);
        }
      }
    }
  }

  void predict_part(std::size_t plane, const PlaneBlock& part, bool average, Random& random) {
    const std::size_t reference = random.below(kReferences);
    const vp9::ReferenceScale scale =
        vp9::reference_scale(frames_[reference + 1].frame().size, frames_[0].frame().size);
    const int reach = random.below(4) == 0 ? 90 : 12;
    const auto start = [&](int position) {
      const int fraction = random.below(3) == 0 ? 0 : static_cast<int>(random.below(16));
      const int away = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * reach)));
      return (position + away - reach) * 16 + fraction;
    };
    ReferenceArea area{start(vp9::scaled(part.x, scale.x)),
                       0,
                       vp9::scaled(16, scale.x),
                       vp9::scaled(16, scale.y),
                       part.width,
                       part.height};
    area.y = start(vp9::scaled(part.y, scale.y));
    const auto filter = static_cast<vp9::InterpolationFilter>(random.below(4));
    prediction_.add(plane, part, reference, area, filter, average);
    const video::PlaneView<Sample> to = frames_[0].memory(plane);
    const auto scalar = [&]<class Of>(const vp9::Dsp<Of>* dsp) {
      if constexpr (std::is_same_v<Of, Sample>) {
        vp9::predict_inter(*dsp, frames_[reference + 1].visible(plane), area, filter, average,
                           to.row(part.y) + part.x, to.stride);
      }
    };
    std::visit(scalar, vp9::scalar_dsp().of(format_.pixel.bits));
    done_.push_back({plane, part, reference, area, average});
  }

  std::string block_at(std::size_t sample) {
    for (auto done = done_.rbegin(); done != done_.rend(); ++done) {
      const video::PlaneView<Sample> memory = frames_[0].memory(done->plane);
      const std::ptrdiff_t at = frames_[0].copy().data() + sample - memory.samples;
      if (at < 0) continue;
      const int y = static_cast<int>(at / memory.stride) - done->part.y;
      const int x = static_cast<int>(at % memory.stride) - done->part.x;
      if (x < 0 || y < 0 || x >= done->part.width || y >= done->part.height) continue;
      return "plane " + std::to_string(done->plane) + ", block " + std::to_string(done->part.x) +
             "," + std::to_string(done->part.y) + " " + std::to_string(done->part.width) + "x" +
             std::to_string(done->part.height) + ", 16ths " + std::to_string(done->area.x) + "," +
             std::to_string(done->area.y) + ", steps " + std::to_string(done->area.step_x) + "," +
             std::to_string(done->area.step_y) + (done->average ? ", mean" : "") + "; at " +
             std::to_string(x) + "," + std::to_string(y);
    }
    return "outside of blocks";
  }

  qpu::Device& device_;
  video::PictureFormat format_;
  qpu::InterPrediction prediction_;
  std::vector<SceneFrame<Sample>> frames_;
  std::vector<Done> done_;
};

// Number of dispatches for one buffer: strips of two sizes without and three sizes with a filter
// along y, each in two directions, and the strips at the border. Strips that write and strips that
// average have separate dispatches.
constexpr std::size_t kDispatchesOfABuffer = (2 * 2 + 2 * 3 + 1) * 2;

class InterPredictionQpu : public test::QpuTest {
 protected:
  template <class Sample>
  static void expect_definition(const video::PictureFormat& format) {
    Scene<Sample> scene(*device(), {format, format, format}, format, true);
    for (const Content content : {Content::random, Content::extremes}) {
      scene.predict(content, kSeed + static_cast<std::uint64_t>(content));
    }
  }
};

TEST_F(InterPredictionQpu, equals_the_definition_at_8_bits) {
  expect_definition<std::uint8_t>({330, 202, {video::Chroma::c420, 8}});
}

TEST_F(InterPredictionQpu, equals_the_definition_where_all_kinds_have_many_strips) {
  const video::PictureFormat bytes{970, 586, {video::Chroma::c420, 8}};
  Scene<std::uint8_t> scene(*device(), {bytes, bytes, bytes}, bytes, true);
  scene.predict(Content::random, kSeed);
  EXPECT_EQ(scene.dispatches(), kDispatchesOfABuffer);
  const video::PictureFormat deep{970, 586, {video::Chroma::c420, 10}};
  Scene<std::uint16_t> deep_scene(*device(), {deep, deep, deep}, deep, true);
  deep_scene.predict(Content::random, kSeed);
  EXPECT_EQ(deep_scene.dispatches(), kDispatchesOfABuffer);
}

TEST_F(InterPredictionQpu, equals_the_definition_at_10_and_12_bits) {
  for (const int bits : {10, 12}) {
    SCOPED_TRACE(bits);
    expect_definition<std::uint16_t>({330, 202, {video::Chroma::c420, bits}});
  }
}

TEST_F(InterPredictionQpu, equals_the_definition_without_subsampling) {
  expect_definition<std::uint8_t>({259, 131, {video::Chroma::c444, 8}});
  expect_definition<std::uint16_t>({259, 131, {video::Chroma::c444, 10}});
}

// If all kinds have few strips, the border's dispatch takes them: one dispatch for writing and one
// for averaging.
TEST_F(InterPredictionQpu, few_strips_of_a_kind_share_a_dispatch) {
  const video::PictureFormat bytes{64, 64, {video::Chroma::c420, 8}};
  Scene<std::uint8_t> scene(*device(), {bytes, bytes, bytes}, bytes, true);
  scene.predict(Content::random, kSeed);
  EXPECT_EQ(scene.dispatches(), 2U);
  const video::PictureFormat deep{64, 64, {video::Chroma::c420, 10}};
  Scene<std::uint16_t> deep_scene(*device(), {deep, deep, deep}, deep, true);
  deep_scene.predict(Content::extremes, kSeed);
  EXPECT_EQ(deep_scene.dispatches(), 2U);
}

// The windows of samples that a lane loads are wider than the planes, so both borders lie in one
// word.
TEST_F(InterPredictionQpu, equals_the_definition_in_planes_of_few_samples) {
  for (const int size : {1, 2, 3, 5, 9}) {
    SCOPED_TRACE(size);
    for (const int bits : {8, 10}) {
      const video::PictureFormat format{size, size + 1, {video::Chroma::c420, bits}};
      if (bits == 8) {
        Scene<std::uint8_t>(*device(), {format, format, format}, format, false)
            .predict(Content::random, kSeed);
      } else {
        Scene<std::uint16_t>(*device(), {format, format, format}, format, false)
            .predict(Content::random, kSeed);
      }
    }
  }
}

TEST_F(InterPredictionQpu, equals_the_definition_with_references_of_other_sizes) {
  const video::PictureFormat format{130, 66, {video::Chroma::c420, 8}};
  const auto of_size = [&](int width, int height, int bits) {
    return video::PictureFormat{width, height, {video::Chroma::c420, bits}};
  };
  for (const bool one_buffer : {false, true}) {
    Scene<std::uint8_t>(*device(), {of_size(260, 132, 8), format, of_size(65, 33, 8)}, format,
                        one_buffer)
        .predict(Content::random, kSeed);
  }
  Scene<std::uint16_t>(*device(), {of_size(100, 70, 10), of_size(131, 66, 10), of_size(65, 33, 10)},
                       of_size(130, 66, 10), false)
      .predict(Content::extremes, kSeed);
}

TEST(InterPredictionQpuDispatch, takes_strips_by_the_devices_limit_without_a_wrap) {
  EXPECT_EQ(qpu::max_strips_per_dispatch(65535), 65535U * qpu::max_strips_per_dispatch(1));
  for (const std::uint32_t limit : {0x7fffffffU, 0xffffffffU}) {
    const std::uint32_t strips = qpu::max_strips_per_dispatch(limit);
    EXPECT_GE(strips, qpu::max_strips_per_dispatch(65535));
    EXPECT_EQ(strips % qpu::max_strips_per_dispatch(1), 0U) << "whole workgroups";
    EXPECT_GT(strips + strips, strips);
  }
}

TEST_F(InterPredictionQpu, refuses_what_it_cannot_read) {
  EXPECT_THROW(qpu::InterPrediction(*device(), 9), Error);
  const video::PictureFormat format{64, 64, {video::Chroma::c420, 8}};
  const auto buffer = device()->create_buffer(video::PictureLayout(format).bytes);
  const qpu::InterFrame frame{buffer, qpu::PicturePlanes::of(format), {64, 64}};
  qpu::InterPrediction prediction(*device(), 8);
  const auto expect_refused = [&](const auto& change) {
    qpu::InterFrame wrong = frame;
    change(wrong.planes.planes);
    EXPECT_THROW(prediction.start(wrong, {frame, frame, frame}, video::Chroma::c420), Error);
    EXPECT_THROW(prediction.start(frame, {wrong, frame, frame}, video::Chroma::c420), Error);
  };
  expect_refused([](auto& planes) { planes[0].offset += 8; });
  expect_refused([](auto& planes) { planes[1].stride += 8; });
  expect_refused([](auto& planes) { planes[0].rows *= 3; });
  expect_refused([](auto& planes) { planes[2].stride *= 2; });
  prediction.start(frame, {frame, {}, {}}, video::Chroma::c420);
  prediction.finish();
  EXPECT_EQ(prediction.dispatches(), 0U);
}

}  // namespace
}  // namespace sidecore::test_inter_prediction_qpu
