// The QPU implementation of float_psnr compared with the scalar definition, on the default device
// under the validation layer and V3D's limits.
// ctest: threads, long, v3dsim
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "qpu/metrics/float_psnr.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_float_psnr_qpu {
namespace {

constexpr std::uint64_t kSeed = 20261123;
constexpr int kStripRows = 16;

enum class Samples { random, extreme };

// Two luma planes whose rows are padded with random bytes.
struct Planes {
  video::PictureFormat format;
  std::size_t stride = 0;  // bytes
  std::vector<std::uint16_t> reference, distorted;

  Planes(int width, int height, int bits, Samples samples)
      : format{width, height, {video::Chroma::c400, bits}},
        // The stride has more padding than that of pictures.
        stride((static_cast<std::size_t>(width) * format.pixel.bytes_per_sample() + 15) / 16 * 16 +
               48) {
    Random random(kSeed);
    const auto fill = [&](std::vector<std::uint16_t>& plane) {
      plane.resize(stride / 2 * static_cast<std::size_t>(height));
      for (std::uint16_t& word : plane) word = static_cast<std::uint16_t>(random.below(65536));
    };
    fill(reference);
    fill(distorted);
    const auto max = static_cast<std::uint32_t>(format.pixel.max_value());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool extreme = samples == Samples::extreme;
        set(reference, x, y, extreme ? max : random.below(max + 1));
        set(distorted, x, y, extreme ? 0 : random.below(max + 1));
      }
    }
  }

  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> view(const std::vector<std::uint16_t>& plane,
                                                    int first_row, int rows) const {
    const video::PlaneView<const Sample> all{reinterpret_cast<const Sample*>(plane.data()),
                                             format.width, format.height,
                                             static_cast<std::ptrdiff_t>(stride / sizeof(Sample))};
    return {all.row(first_row), format.width, rows, all.stride};
  }

  [[nodiscard]] std::uint64_t scalar_sum(int first_row, int rows) const {
    const int bits = format.pixel.bits;
    return bits == 8
               ? metrics::squared_error_sum(view<std::uint8_t>(reference, first_row, rows),
                                            view<std::uint8_t>(distorted, first_row, rows))
               : metrics::squared_error_sum(view<std::uint16_t>(reference, first_row, rows),
                                            view<std::uint16_t>(distorted, first_row, rows), bits);
  }

 private:
  void set(std::vector<std::uint16_t>& plane, int x, int y, std::uint32_t value) const {
    const std::size_t bytes = format.pixel.bytes_per_sample();
    auto* const at = reinterpret_cast<std::uint8_t*>(plane.data()) +
                     static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x) * bytes;
    std::memcpy(at, &value, bytes);  // correct because hosts are little-endian
  }
};

struct Sums {
  std::vector<std::uint64_t> strips;
  std::uint64_t total = 0;
};

class FloatPsnrQpu : public test::QpuTest {
 protected:
  static std::shared_ptr<qpu::Buffer> buffer_of(const std::vector<std::uint16_t>& plane) {
    auto buffer = device()->create_buffer(plane.size() * sizeof plane[0]);
    std::memcpy(buffer->bytes().data(), plane.data(), buffer->size());
    return buffer;
  }

  static Sums sums(const Planes& planes) {
    const qpu::FloatPsnr psnr(*device(), planes.format);
    const auto reference = buffer_of(planes.reference);
    const auto distorted = buffer_of(planes.distorted);
    const auto strips = device()->create_buffer(psnr.strips() * sizeof(std::uint64_t));
    const auto total = device()->create_buffer(sizeof(std::uint64_t));
    const auto list = device()->create_command_list();
    list->upload({.buffer = reference.get()});
    list->upload({.buffer = distorted.get()});
    psnr.record(*list, {.buffer = reference.get()}, planes.stride, {.buffer = distorted.get()},
                planes.stride, {.buffer = strips.get()}, {.buffer = total.get()});
    list->download({.buffer = strips.get()});
    list->download({.buffer = total.get()});
    list->finish();
    EXPECT_EQ(list->dispatch_count(), 2U);
    device()->submit(*list).wait();
    const auto words = strips->as<std::uint64_t>();
    return {{words.begin(), words.end()}, total->as<std::uint64_t>()[0]};
  }

  static void expect_equal_to_scalar(int width, int height, int bits, Samples samples) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ": " + std::to_string(width) + "x" +
                 std::to_string(height) + ", " + std::to_string(bits) + " bits");
    const Planes planes(width, height, bits, samples);
    const Sums qpu = sums(planes);
    ASSERT_EQ(qpu.strips.size(), static_cast<std::size_t>((height + kStripRows - 1) / kStripRows));
    for (std::size_t strip = 0; strip < qpu.strips.size(); ++strip) {
      const int first = static_cast<int>(strip) * kStripRows;
      EXPECT_EQ(qpu.strips[strip], planes.scalar_sum(first, std::min(kStripRows, height - first)))
          << "strip " << strip;
    }
    EXPECT_EQ(qpu.total, planes.scalar_sum(0, height));
  }
};

constexpr int kDepths[] = {8, 10, 12, 16};

TEST_F(FloatPsnrQpu, sums_pictures_of_any_size_exactly) {
  constexpr std::pair<int, int> kSizes[] = {{1, 1},   {2, 3},    {7, 16},    {8, 17},
                                            {15, 31}, {17, 33},  {255, 16},  {256, 15},
                                            {257, 1}, {575, 64}, {1920, 52}, {33, 600}};
  for (const int bits : kDepths) {
    for (const auto& [width, height] : kSizes) {
      expect_equal_to_scalar(width, height, bits, Samples::random);
    }
  }
}

// These sums exceed 2^32 in a lane's row, in a strip and in the picture.
TEST_F(FloatPsnrQpu, sums_the_largest_differences_exactly) {
  for (const int bits : kDepths) expect_equal_to_scalar(2051, 530, bits, Samples::extreme);
}

TEST_F(FloatPsnrQpu, sums_more_strips_than_a_workgroup_has_invocations) {
  expect_equal_to_scalar(3, 16 * 300 + 1, 8, Samples::random);
}

TEST_F(FloatPsnrQpu, refuses_depths_that_float_psnr_is_not_defined_for) {
  for (const int bits : {9, 11, 14}) {
    EXPECT_THROW(qpu::FloatPsnr(*device(), {64, 64, {video::Chroma::c400, bits}}), Error) << bits;
  }
}

TEST_F(FloatPsnrQpu, refuses_strides_and_ranges_that_do_not_hold_the_rows) {
  const qpu::FloatPsnr psnr(*device(), {100, 20, {video::Chroma::c400, 8}});
  const auto plane = device()->create_buffer(std::size_t{112} * 20);
  const auto sums = device()->create_buffer(64);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 112 * 20 - 16};
  const qpu::BufferRange strips{.buffer = sums.get(), .offset = 0, .size = 16};
  const qpu::BufferRange total{.buffer = sums.get(), .offset = 32, .size = 8};
  EXPECT_THROW(psnr.record(*list, whole, 104, whole, 112, strips, total), Error);
  EXPECT_THROW(psnr.record(*list, whole, 112, whole, 96, strips, total), Error);
  EXPECT_THROW(psnr.record(*list, whole, 128, whole, 112, strips, total), Error);
  EXPECT_THROW(psnr.record(*list, part, 112, whole, 112, strips, total), Error);
  EXPECT_NO_THROW(psnr.record(*list, whole, 112, whole, 112, strips, total));
}

}  // namespace
}  // namespace sidecore::test_float_psnr_qpu
