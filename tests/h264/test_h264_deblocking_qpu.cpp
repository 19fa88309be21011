// Compares the QPU's deblocking of H.264 with the scalar definition, on the default device with the
// validation layer and V3D's limits.
// ctest: v3dsim
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "h264/deblocking.h"
#include "h264/deblocking_qpu.h"
#include "h264/deblocking_work.h"
#include "kernels/vp9/loop_filter_picture.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_h264_deblocking_qpu {
namespace {

using gates::Content;

class H264DeblockingQpu : public test::QpuTest {
 protected:
  static void expect_equal(const h264::DeblockingWork& work) {
    video::Picture scalar(work.picture.format());
    std::ranges::copy(work.picture.bytes(), scalar.bytes().begin());
    h264::deblock(h264::scalar_deblocking(), h264::planes_of(scalar), work.macroblocks, 0,
                  work.macroblocks.size());

    const auto memory = device()->create_buffer(work.picture.bytes().size());
    std::ranges::copy(work.picture.bytes(), memory->bytes().begin());
    const qpu::BufferRange all{.buffer = memory.get()};
    const auto list = device()->create_command_list();
    list->upload(all);
    h264::record_deblocking(*device(), *list, all, work.picture.format(), work.macroblocks);
    list->download(all);
    list->finish();
    EXPECT_EQ(list->dispatch_count(), 1U);
    device()->submit(*list).wait();
    const auto [ours, theirs] = std::ranges::mismatch(memory->bytes(), scalar.bytes());
    EXPECT_TRUE(ours == memory->bytes().end()) << "byte " << ours - memory->bytes().begin();
  }

  static h264::DeblockingWork work_of(int columns, int rows, Content content, std::uint64_t seed,
                                      std::optional<int> index = std::nullopt) {
    const video::PictureFormat format{columns * h264::kMacroblock, rows * h264::kMacroblock, {}};
    h264::DeblockingWork work{video::Picture(format),
                              h264::random_macroblocks(format, index, seed)};
    bench::fill_picture(content, work.picture, seed + 100);
    return work;
  }
};

TEST_F(H264DeblockingQpu, equals_the_definition_on_every_content) {
  for (const Content content : gates::synthetic_contents()) {
    SCOPED_TRACE(to_string(content));
    expect_equal(work_of(7, 5, content, 1));
  }
}

// One macroblock, one row, one column; a diagonal with more strips than the workgroup has
// invocations.
TEST_F(H264DeblockingQpu, equals_the_definition_on_pictures_of_any_shape) {
  for (const auto& [columns, rows] :
       {std::pair{1, 1}, std::pair{9, 1}, std::pair{1, 9}, std::pair{66, 67}}) {
    SCOPED_TRACE(testing::Message() << columns << "x" << rows);
    expect_equal(work_of(columns, rows, Content::high_variance, 2));
  }
}

TEST_F(H264DeblockingQpu, equals_the_definition_for_extreme_samples) {
  for (const int index : {16, 30, 40, 51}) {
    SCOPED_TRACE(index);
    h264::DeblockingWork work = work_of(5, 4, Content::random, 3, index);
    for (std::byte& sample : work.picture.bytes()) {
      sample = sample < std::byte{128} ? std::byte{0} : std::byte{255};
    }
    expect_equal(work);
  }
}

}  // namespace
}  // namespace sidecore::test_h264_deblocking_qpu
