// Tests of brighten. test_workloads and the gates check guard bytes, test content, threads and the
// QPU for all kernels.
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "examples/brighten/brighten.h"

namespace sidecore::examples {
namespace {

TEST(Brighten, AddsAndStopsAt255) {
  std::vector<std::uint8_t> row{0, 1, 214, 215, 216, 255};
  brighten(row, 40);
  EXPECT_EQ(row, (std::vector<std::uint8_t>{40, 41, 254, 255, 255, 255}));
  brighten(row, 0);
  EXPECT_EQ(row, (std::vector<std::uint8_t>{40, 41, 254, 255, 255, 255}));
}

// Checks every width up to three vectors and every value, and that nothing after the row changes.
TEST(BrightenNeon, GivesTheDefinitionsBytesAtEveryWidth) {
  for (std::size_t width = 0; width <= 48; ++width) {
    for (int start = 0; start < 256; ++start) {
      std::vector<std::uint8_t> expected(64);
      for (std::size_t x = 0; x < expected.size(); ++x) {
        expected[x] = static_cast<std::uint8_t>(static_cast<std::size_t>(start) + 5 * x);
      }
      std::vector<std::uint8_t> found = expected;
      brighten(std::span(expected).first(width), 77);
      brighten_neon(std::span(found).first(width), 77);
      ASSERT_EQ(found, expected) << width << " samples from " << start;
    }
  }
}

}  // namespace
}  // namespace sidecore::examples
