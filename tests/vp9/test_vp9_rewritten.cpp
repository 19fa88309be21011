// Decodes streams that Debian's encoders do not produce. They are rewritten from other streams,
// which determine their pictures.
// ctest: streams
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vp9/rewritten_frames.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_rewritten {
namespace {

using test::as_intra_only;
using test::Bytes;
using test::is_key_frame;
using test::is_shown;
using test::show_existing;

TEST(Vp9Rewritten, AnIntraOnlyFrameGivesThePicturesOfAKeyFrame) {
  const std::vector<Bytes> frames = test::frames_of(test::corpus_packets("key-frames"));
  std::vector<Bytes> rewritten;
  std::size_t replaced = 0;
  for (const Bytes& frame : frames) {
    if (rewritten.empty() || !is_key_frame(frame)) {
      rewritten.push_back(frame);
      continue;
    }
    rewritten.push_back(as_intra_only(frame));
    rewritten.push_back(show_existing(0));
    ++replaced;
  }
  ASSERT_GT(replaced, 3U);
  EXPECT_EQ(test::decoded_checksums(rewritten), test::decoded_checksums(frames));
}

TEST(Vp9Rewritten, AnExistingFrameIsShownAndChangesNothingElse) {
  const std::vector<Bytes> frames = test::frames_of(test::corpus_packets("alt-ref"));
  const std::vector<std::string> plain = test::decoded_checksums(frames);
  // After every hidden frame, the first decoded frame is shown again. It stays in reference slot 0
  // until a frame refreshes that slot.
  std::vector<Bytes> rewritten;
  std::size_t inserted = 0;
  for (const Bytes& frame : frames) {
    rewritten.push_back(frame);
    if (is_shown(frame)) continue;
    for (unsigned slot = 0; slot < 3; ++slot) rewritten.push_back(show_existing(slot));
    inserted += 3;
  }
  ASSERT_GT(inserted, 0U);
  std::vector<std::string> with_inserted = test::decoded_checksums(rewritten);
  ASSERT_EQ(with_inserted.size(), plain.size() + inserted);
  // Without the repeated frames, the output must equal that of the original stream.
  std::vector<std::string> rest;
  std::size_t at = 0;
  for (const Bytes& frame : frames) {
    if (is_shown(frame)) {
      rest.push_back(with_inserted[at++]);
    } else {
      at += 3;
    }
  }
  EXPECT_EQ(rest, plain);
}

}  // namespace
}  // namespace sidecore::test_vp9_rewritten
