// Compares CDEF on the QPU with the scalar definition, on the default device with the validation
// layer and V3D's limits.
// ctest: v3dsim
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "av1/cdef.h"
#include "av1/cdef_qpu.h"
#include "av1/cdef_scene.h"
#include "base/error.h"
#include "base/random.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_cdef_qpu {
namespace {

using av1::CdefSamples;

constexpr std::uint64_t kSeed = 20261128;

template <class Sample>
struct Scene {
  static constexpr int kBits = sizeof(Sample) == 1 ? 8 : 10;

  Scene(int columns, int rows, CdefSamples kind, std::uint64_t seed)
      : format{8 * columns, 8 * rows, {video::Chroma::c420, kBits}}, samples(format) {
    Random random(seed);
    av1::fill_cdef_picture(samples, kind, random);
    frame = av1::random_cdef_frame(format, random);
  }
  [[nodiscard]] video::Picture filtered() const {
    video::Picture to(format);
    const av1::CdefGrid grid(format);
    const auto planes = av1::cdef_planes<Sample>(samples, to);
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        av1::cdef_block(planes, frame, column, row);
      }
    }
    return to;
  }
  video::PictureFormat format;
  video::Picture samples;
  av1::CdefFrame frame;
};

class CdefQpu : public test::QpuTest {
 protected:
  // Returns the picture that the QPU makes; rows' padding is 0.
  template <class Sample>
  static video::Picture run(const Scene<Sample>& scene) {
    const std::size_t bytes = scene.samples.layout().bytes;
    const auto from = device()->create_buffer(bytes);
    const auto to = device()->create_buffer(bytes);
    std::ranges::copy(scene.samples.bytes(), from->bytes().begin());
    av1::CdefQpu cdef(*device(), scene.format);
    cdef.set_frame(scene.frame);
    const auto list = device()->create_command_list();
    list->upload({.buffer = from.get()});
    list->upload({.buffer = to.get()});
    cdef.record(*list, {.buffer = from.get()}, {.buffer = to.get()});
    list->download({.buffer = to.get()});
    list->finish();
    device()->submit(*list).wait();
    video::Picture result(scene.format);
    std::ranges::copy(to->bytes().first(bytes), result.bytes().begin());
    return result;
  }

  template <class Sample>
  static void expect_the_definitions_samples() {
    std::uint64_t seed = kSeed;
    for (const CdefSamples kind : {CdefSamples::noise, CdefSamples::extreme, CdefSamples::ramp}) {
      for (const auto& [columns, rows] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{18, 9}}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << columns << "x" << rows);
        const Scene<Sample> scene(columns, rows, kind, seed++);
        EXPECT_TRUE(std::ranges::equal(run(scene).bytes(), scene.filtered().bytes()));
      }
    }
  }
};

TEST_F(CdefQpu, EqualsTheDefinitionOf8Bits) {
  expect_the_definitions_samples<std::uint8_t>();
}
TEST_F(CdefQpu, EqualsTheDefinitionOf10Bits) {
  expect_the_definitions_samples<std::uint16_t>();
}

// The comparison must fail if one input of the shaders is wrong.
TEST_F(CdefQpu, DetectsAnotherDamping) {
  Scene<std::uint8_t> scene(9, 9, CdefSamples::noise, kSeed);
  const video::Picture expected = scene.filtered();
  scene.frame.damping = scene.frame.damping == 3 ? 6 : 3;
  EXPECT_FALSE(std::ranges::equal(run(scene).bytes(), expected.bytes()));
}

}  // namespace
}  // namespace sidecore::test_cdef_qpu
