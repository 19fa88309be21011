// Tests that the synthetic clip is the one for which libvmaf's golden values were measured.
extern "C" {
#include <libavutil/md5.h>
#include <libavutil/mem.h>
}

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "metrics/golden.h"
#include "video/synthetic_clip.h"

namespace sidecore::video::test_synthetic_clip {
namespace {

using ::sidecore::test::Golden;
using ::sidecore::test::load_goldens;

class Md5 {
 public:
  Md5() { av_md5_init(state_.get()); }
  void add_planar(const Picture& picture) {
    const PictureFormat& format = picture.format();
    for (int index = 0; index < format.pixel.planes(); ++index) {
      const PictureLayout::Plane& plane = picture.layout().planes[static_cast<std::size_t>(index)];
      const std::size_t row_bytes =
          static_cast<std::size_t>(format.plane_width(index)) * format.pixel.bytes_per_sample();
      for (int y = 0; y < format.plane_height(index); ++y) {
        const std::byte* row =
            picture.bytes().data() + plane.offset + static_cast<std::size_t>(y) * plane.stride;
        av_md5_update(state_.get(), reinterpret_cast<const std::uint8_t*>(row), row_bytes);
      }
    }
  }
  std::string hex() {
    std::array<std::uint8_t, 16> digest{};
    av_md5_final(state_.get(), digest.data());
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  struct Free {
    void operator()(AVMD5* md5) const { av_free(md5); }
  };
  std::unique_ptr<AVMD5, Free> state_{av_md5_alloc()};
};

class SyntheticClipGolden : public ::testing::TestWithParam<Golden> {};

TEST_P(SyntheticClipGolden, EveryByteIsTheOneThatWasMeasured) {
  const SyntheticClip clip(GetParam().format);
  Md5 reference_md5;
  Md5 distorted_md5;
  Picture reference(clip.format());
  Picture distorted(clip.format());
  for (int t = 0; t < GetParam().pictures; ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    reference_md5.add_planar(reference);
    distorted_md5.add_planar(distorted);
  }
  EXPECT_EQ(reference_md5.hex(), GetParam().reference_md5);
  EXPECT_EQ(distorted_md5.hex(), GetParam().distorted_md5);
}

const auto kName = [](const auto& instance) { return instance.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, SyntheticClipGolden, ::testing::ValuesIn(load_goldens()), kName);

TEST(SyntheticClip, PicturesDoNotDependOnWhatWasMadeBefore) {
  const SyntheticClip clip({70, 50, {Chroma::c420, 10}});
  Md5 in_order;
  Md5 alone;
  (void)clip.distorted(0);
  in_order.add_planar(clip.distorted(9));
  alone.add_planar(SyntheticClip(clip.format()).distorted(9));
  EXPECT_EQ(in_order.hex(), alone.hex());
}

}  // namespace
}  // namespace sidecore::video::test_synthetic_clip
