// Streams of the VA-API driver that end while their pictures are being decoded.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "va/objects.h"
#include "va/stream.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

constexpr vp9::FrameSize kSize{352, 288};
constexpr video::PixelFormat kPixel{video::Chroma::c420, 8};

std::shared_ptr<va::Stream> open_stream() {
  va::Settings settings;
  settings.plan.processors.fill(qpu::Processor::scalar);  // the slowest
  settings.threads = 2;
  return std::make_shared<va::Stream>(settings, [](const std::string& /*line*/) {});
}

struct Submitted {
  std::shared_ptr<va::Picture> picture;
  std::string checksum;  ///< what it should have; empty for one that the stream does not show
};

/// The first frames of a stream.
std::vector<Submitted> submit(va::Stream& stream, std::size_t count) {
  const std::vector<va::Bytes> frames = test::frames_of(test::corpus_packets("rate-high"));
  const auto checksums = test::lines_of(SIDECORE_VP9_CORPUS "/rate-high.framemd5");
  std::vector<Submitted> submitted;
  std::size_t shown = 0;
  vp9::HeaderContext headers;
  std::array<std::shared_ptr<va::Picture>, vp9::kReferenceSlots> slots;
  for (std::size_t index = 0; index < count; ++index) {
    const vp9::FrameHeader header = vp9::parse_frame_header(frames[index], headers);
    const auto picture = stream.submit({.data = frames[index],
                                        .size = kSize,
                                        .pixel = kPixel,
                                        .most = kSize,
                                        .references = slots,
                                        .number = index + 1});
    submitted.push_back({picture, header.show_frame ? checksums[shown++] : ""});
    headers.keep(header);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      if ((header.refresh_slots >> slot & 1) != 0) slots[slot] = picture;
    }
  }
  return submitted;
}

TEST(VaStream, GoesOnAsLongAsSomebodyReadsItsPicture) {
  va::Surface surface(kSize.width, kSize.height, kPixel.bits);
  std::string expected;
  {
    std::shared_ptr<va::Stream> stream = open_stream();
    const Submitted last = submit(*stream, 3).back();
    expected = last.checksum;
    surface.hold({std::move(stream), last.picture});
  }
  const va::HeldPicture reader = surface.held();
  surface.hold({});  // as a picture that is refused leaves it
  const vp9::FrameBuffer* const frame = reader.wait();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(test::checksum(*frame), expected);
}

// The fifth can only be queued when the first is in work, where the others have to wait for it.
TEST(VaStream, LeavesNoHalfAPictureWhenItEnds) {
  std::shared_ptr<va::Stream> stream = open_stream();
  const std::vector<Submitted> submitted = submit(*stream, 5);
  stream = nullptr;
  std::size_t dropped = 0;
  for (const auto& [picture, expected] : submitted) {
    const vp9::FrameBuffer* const frame = picture->wait();
    if (frame == nullptr) {
      ++dropped;
    } else if (!expected.empty()) {
      EXPECT_EQ(test::checksum(*frame), expected);
    }
  }
  EXPECT_GT(dropped, 0U);
}

}  // namespace
}  // namespace sidecore
