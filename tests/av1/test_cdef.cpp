// Tests of CDEF's scalar definition and of its NEON implementation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "av1/cdef.h"
#include "av1/cdef_capture.h"
#include "av1/cdef_scene.h"
#include "base/error.h"
#include "base/random.h"
#include "temporary_directory.h"

namespace sidecore::test_cdef {
namespace {

using av1::CdefDirection;
using av1::CdefSamples;

constexpr std::uint64_t kSeed = 20261128;

video::PictureFormat format_of(int columns, int rows, int bits,
                               video::Chroma chroma = video::Chroma::c420) {
  return {columns * av1::kCdefBlock, rows * av1::kCdefBlock, {chroma, bits}};
}

template <class Sample>
void filter_picture(const video::Picture& from, const av1::CdefFrame& frame, video::Picture& to,
                    void (*block)(const av1::CdefPlanes<Sample>&, const av1::CdefFrame&, int,
                                  int)) {
  const av1::CdefGrid grid(from.format());
  const auto planes = av1::cdef_planes<Sample>(from, to);
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) block(planes, frame, column, row);
  }
}

// Returns a frame that filters every block with the same strengths.
av1::CdefFrame uniform_frame(const video::PictureFormat& format,
                             const av1::CdefStrengths& strengths, int damping) {
  const av1::CdefGrid grid(format);
  av1::CdefFrame frame{.damping = damping};
  for (int row = 0; row < grid.filter_rows; ++row) {
    for (int column = 0; column < grid.filter_columns; ++column) {
      std::uint64_t filtered = 0;
      for (int bit = 0; bit < 64; ++bit) {
        if (8 * row + bit / 8 < grid.rows && 8 * column + bit % 8 < grid.columns) {
          filtered |= std::uint64_t{1} << bit;
        }
      }
      frame.strengths.push_back(strengths);
      frame.filtered.push_back(filtered);
    }
  }
  return frame;
}

// Lines of two brightnesses whose slope is a direction's far step.
TEST(CdefDirection, IsThatOfTheLines) {
  for (int direction = 0; direction < 8; ++direction) {
    const auto& [row, column] = av1::kCdefSteps[static_cast<std::size_t>(direction)][1];
    std::vector<std::uint8_t> samples(64);
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) {
        // The product is constant along the direction and changes across it.
        const int across = x * row - y * column;
        samples[static_cast<std::size_t>(8 * y + x)] = (across + 64) % 8 < 4 ? 40 : 200;
      }
    }
    const CdefDirection found = av1::find_cdef_direction(samples.data(), 8, 8);
    EXPECT_EQ(found.direction, direction);
    EXPECT_GT(found.variance, 0U);
  }
}

TEST(CdefDirection, OfEqualSamplesIsTheFirstWithoutVariance) {
  const std::vector<std::uint8_t> samples(64, 255);
  EXPECT_EQ(av1::find_cdef_direction(samples.data(), 8, 8), (CdefDirection{0, 0}));
}

TEST(CdefDirection, IgnoresTheLowBitsOfTenBitSamples) {
  Random random(kSeed);
  std::vector<std::uint8_t> low(64);
  std::vector<std::uint16_t> high(64);
  for (std::size_t i = 0; i < 64; ++i) {
    low[i] = static_cast<std::uint8_t>(random.below(256));
    high[i] = static_cast<std::uint16_t>(low[i] * 4 + random.below(4));
  }
  EXPECT_EQ(av1::find_cdef_direction(low.data(), 8, 8),
            av1::find_cdef_direction(high.data(), 8, 10));
}

TEST(CdefStrength, OfLumaFollowsTheVariance) {
  const av1::CdefStrength strength{8, 2};
  const auto primary = [&](std::uint32_t variance) {
    return av1::cdef_of_luma(strength, {3, variance}, 5, 8).primary;
  };
  EXPECT_EQ(primary(0), 0);
  EXPECT_EQ(primary(1), 2);         // (8 * 4 + 8) >> 4
  EXPECT_EQ(primary(128), 3);       // (8 * 5 + 8) >> 4
  EXPECT_EQ(primary(1U << 18), 8);  // the most: (8 * 16 + 8) >> 4
  EXPECT_EQ(av1::cdef_of_luma(strength, {3, 1U << 20}, 5, 10), (av1::CdefBlock{32, 8, 7, 3}));
  EXPECT_EQ(av1::cdef_of_chroma(strength, {3, 0}, 5, 10), (av1::CdefBlock{32, 8, 6, 3}));
  EXPECT_EQ(av1::cdef_of_chroma({0, 2}, {3, 9}, 5, 8), (av1::CdefBlock{0, 2, 4, 0}));
}

// A bright sample in a flat picture, in direction 0 without variance: only the secondary filter
// acts.
TEST(Cdef, MovesASampleByTheWeightedDifferences) {
  const video::PictureFormat format = format_of(3, 3, 8);
  video::Picture from(format);
  std::ranges::fill(from.bytes(), std::byte{100});
  from.plane<std::uint8_t>(1).row(6)[6] = 103;  // a sample in the middle block
  video::Picture to(format);
  filter_picture<std::uint8_t>(from, uniform_frame(format, {{0, 0}, {0, 4}}, 3), to,
                               av1::cdef_block);
  const auto cb = to.plane<std::uint8_t>(1);
  // Damping 2 and strength 4 give no shift: a difference of 3 is limited to 4 - 3 = 1. The centre
  // adds up 12 differences of -1 (weights 2 and 1, four times each): (8 - 12 - 1) >> 4 = -1.
  EXPECT_EQ(cb.row(6)[6], 102);
  EXPECT_EQ(cb.row(6)[7], 100);  // one difference of 1 with weight 2 or none: (8 + 2) >> 4 = 0
  EXPECT_EQ(to.plane<std::uint8_t>(0).row(12)[12], 100);
}

TEST(Cdef, CopiesWhatIsNotFiltered) {
  const video::PictureFormat format = format_of(9, 2, 8);
  video::Picture from(format);
  Random random(kSeed);
  av1::fill_cdef_picture(from, CdefSamples::noise, random);
  av1::CdefFrame frame = uniform_frame(format, {{15, 4}, {15, 4}}, 6);
  frame.filtered[0] &= ~std::uint64_t{2};
  video::Picture to(format);
  filter_picture<std::uint8_t>(from, frame, to, av1::cdef_block);
  const auto block = [](const video::Picture& picture, int column) {
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < 8; ++y) {
      const std::uint8_t* const row = picture.plane<std::uint8_t>(0).row(y) + 8 * column;
      samples.insert(samples.end(), row, row + 8);
    }
    return samples;
  };
  EXPECT_EQ(block(to, 1), block(from, 1));
  EXPECT_NE(block(to, 0), block(from, 0));
  EXPECT_NE(block(to, 8), block(from, 8));
}

TEST(Cdef, RefusesFramesThatDoNotFit) {
  const auto refused = [](const video::PictureFormat& format, const av1::CdefFrame& frame) {
    EXPECT_THROW(av1::check_cdef_frame(frame, format), Error);
  };
  EXPECT_THROW(av1::check_cdef_format({68, 64, {video::Chroma::c420, 8}}), Error);
  EXPECT_THROW(av1::check_cdef_format({64, 64, {video::Chroma::c444, 8}}), Error);
  EXPECT_THROW(av1::check_cdef_format({64, 64, {video::Chroma::c420, 12}}), Error);
  const video::PictureFormat format = format_of(9, 1, 8);
  const av1::CdefFrame good = uniform_frame(format, {}, 3);
  EXPECT_NO_THROW(av1::check_cdef_frame(good, format));
  refused(format_of(8, 1, 8), good);
  av1::CdefFrame bad = good;
  bad.damping = 7;
  refused(format, bad);
  bad = good;
  bad.strengths[1].chroma.secondary = 3;
  refused(format, bad);
  bad = good;
  bad.filtered[1] |= 2;  // column 9
  refused(format, bad);
}

template <class Sample>
constexpr int kBitsOf = sizeof(Sample) == 1 ? 8 : 10;

template <class Sample>
void expect_same_samples(const video::PictureFormat& format, CdefSamples kind, Random& random) {
  video::Picture from(format);
  av1::fill_cdef_picture(from, kind, random);
  const av1::CdefFrame frame = av1::random_cdef_frame(format, random);
  video::Picture scalar(format);
  video::Picture neon(format);
  filter_picture<Sample>(from, frame, scalar, av1::cdef_block);
  filter_picture<Sample>(from, frame, neon, av1::cdef_block_neon);
  EXPECT_TRUE(std::ranges::equal(scalar.bytes(), neon.bytes())) << to_string(format);
}

template <class Sample>
void expect_same_samples_everywhere() {
  constexpr int kBits = kBitsOf<Sample>;
  Random random(kSeed);
  for (const CdefSamples kind : {CdefSamples::noise, CdefSamples::extreme, CdefSamples::ramp}) {
    for (int time = 0; time < 12; ++time) {
      const auto side = [&] { return 1 + static_cast<int>(random.below(11)); };
      const int columns = side();
      expect_same_samples<Sample>(format_of(columns, side(), kBits), kind, random);
    }
  }
  expect_same_samples<Sample>(format_of(3, 2, kBits, video::Chroma::c400), CdefSamples::noise,
                              random);
}

TEST(CdefNeon, GivesTheDefinitionsSamplesOf8Bits) {
  expect_same_samples_everywhere<std::uint8_t>();
}
TEST(CdefNeon, GivesTheDefinitionsSamplesOf10Bits) {
  expect_same_samples_everywhere<std::uint16_t>();
}

template <class Sample>
void expect_same_directions() {
  constexpr int kBits = kBitsOf<Sample>;
  Random random(kSeed);
  for (const CdefSamples kind : {CdefSamples::noise, CdefSamples::extreme, CdefSamples::ramp}) {
    for (int time = 0; time < 300; ++time) {
      video::Picture block({8, 8, {video::Chroma::c400, kBits}});
      av1::fill_cdef_picture(block, kind, random);
      const auto view = std::as_const(block).plane<Sample>(0);
      ASSERT_EQ(av1::find_cdef_direction(view.samples, view.stride, kBits),
                av1::find_cdef_direction_neon(view.samples, view.stride, kBits));
    }
  }
}

TEST(CdefNeon, FindsTheDefinitionsDirectionsOf8Bits) {
  expect_same_directions<std::uint8_t>();
}
TEST(CdefNeon, FindsTheDefinitionsDirectionsOf10Bits) {
  expect_same_directions<std::uint16_t>();
}

av1::CdefCapture random_capture(const video::PictureFormat& format) {
  Random random(kSeed);
  av1::CdefCapture capture{video::Picture(format), video::Picture(format),
                           av1::random_cdef_frame(format, random)};
  av1::fill_cdef_picture(capture.before, CdefSamples::noise, random);
  av1::fill_cdef_picture(capture.after, CdefSamples::noise, random);
  return capture;
}

TEST(CdefCapture, ReadsWhatItWrote) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "frames";
  const av1::CdefCapture capture = random_capture(format_of(9, 2, 10));
  {
    std::ofstream file(path, std::ios::binary);
    av1::write_cdef_capture(file, capture);
    av1::write_cdef_capture(file, capture);
  }
  EXPECT_TRUE(av1::is_cdef_capture(path));
  av1::CdefCaptureReader reader(path);
  for (int frame = 0; frame < 2; ++frame) {
    const auto read = reader.next();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->frame, capture.frame);
    EXPECT_TRUE(std::ranges::equal(read->before.bytes(), capture.before.bytes()));
    EXPECT_TRUE(std::ranges::equal(read->after.bytes(), capture.after.bytes()));
  }
  EXPECT_FALSE(reader.next());
}

TEST(CdefCapture, RefusesADamagedFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "frames";
  {
    std::ofstream file(path, std::ios::binary);
    av1::write_cdef_capture(file, random_capture(format_of(2, 2, 10)));
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  av1::CdefCaptureReader reader(path);
  EXPECT_THROW((void)reader.next(), Error);
  EXPECT_FALSE(av1::is_cdef_capture(directory / "none"));
  EXPECT_THROW(av1::CdefCaptureReader(directory / "none"), Error);
}

}  // namespace
}  // namespace sidecore::test_cdef
