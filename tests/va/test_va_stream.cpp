// Tests of the VA-API driver's streams that end while their pictures are being decoded.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "environment_variable.h"
#include "qpu/vp9/back_end.h"
#include "va/objects.h"
#include "va/stream.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

constexpr vp9::FrameSize kSize{352, 288};
constexpr video::PixelFormat kPixel{video::Chroma::c420, 8};

/// Opens a stream. The stream calls `report` on any thread for messages, and at its end with the
/// line of statistics.
std::shared_ptr<va::Stream> open_stream(const va::Report& report) {
  va::Settings settings;
  settings.plan = vp9::Plan::parse("scalar");  // the slowest
  settings.threads = 4;
  return std::make_shared<va::Stream>(settings, report, report);
}

struct Submitted {
  std::shared_ptr<va::Picture> picture;
  std::string checksum;  ///< expected checksum of the picture
};

/// Submits the first frames of a stream that takes long to decode.
std::vector<Submitted> submit(va::Stream& stream, std::size_t count) {
  static const std::vector<va::Bytes> frames = test::frames_of(test::corpus_packets("rate-high"));
  static const std::vector<std::string> checksums = [] {
    std::vector<std::string> decoded;
    vp9::Decoder decoder({.show_hidden = true});
    for (const va::Bytes& frame : frames) {
      decoder.decode(frame, [&](const std::shared_ptr<const vp9::FrameBuffer>& picture) {
        decoded.push_back(test::checksum(*picture));
      });
    }
    return decoded;
  }();
  std::vector<Submitted> submitted;
  vp9::HeaderContext headers;
  std::array<std::shared_ptr<va::Picture>, vp9::kReferenceSlots> slots;
  for (std::size_t index = 0; index < count; ++index) {
    const vp9::FrameHeader header = vp9::parse_frame_header(frames.at(index), headers);
    const auto picture = stream.submit({.data = frames[index],
                                        .size = kSize,
                                        .pixel = kPixel,
                                        .most = kSize,
                                        .references = slots,
                                        .number = index + 1});
    submitted.push_back({picture, checksums.at(index)});
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
    std::shared_ptr<va::Stream> stream = open_stream([](const std::string& /*line*/) {});
    const Submitted last = submit(*stream, 3).back();
    expected = last.checksum;
    surface.hold({std::move(stream), last.picture});
  }
  const va::HeldPicture reader = surface.held();
  surface.hold({});  // the driver does the same after it rejects a picture
  const vp9::FrameBuffer* const frame = reader.wait();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(test::checksum(*frame), expected);
}

// The eighth picture can be queued only when the fourth has left the queue. If the stream ends at
// that time, it is usually still decoding earlier pictures.
TEST(VaStream, LeavesNoHalfAPictureWhenItEnds) {
  for (int time = 0; time < 5; ++time) {
    std::string said;
    std::shared_ptr<va::Stream> stream = open_stream([&](const std::string& line) { said = line; });
    const std::vector<Submitted> submitted = submit(*stream, 6);
    stream = nullptr;
    std::size_t there = 0;
    for (const auto& [picture, expected] : submitted) {
      const vp9::FrameBuffer* const frame = picture->wait();
      if (frame == nullptr) continue;
      ++there;
      EXPECT_EQ(test::checksum(*frame), expected);
    }
    // A stream that decoded no picture logs no statistics.
    const bool told = said.find(" pictures decoded, 0 concealed") != std::string::npos;
    EXPECT_EQ(there, told ? std::stoul(said) : 0U) << said;
  }
}

// The destructor throws nothing if the report throws, for example without memory for its line.
TEST(VaStream, EndsThoughNobodyTakesItsLastLine) {
  bool thrown = false;
  std::shared_ptr<va::Stream> stream = open_stream([&](const std::string& line) {
    if (line.find(" pictures decoded") == std::string::npos) return;
    thrown = true;
    throw std::bad_alloc();
  });
  const Submitted first = submit(*stream, 1).front();
  EXPECT_NE(first.picture->wait(), nullptr);
  stream = nullptr;
  EXPECT_TRUE(thrown);
}

// The device is lost in the middle of a stream. Pictures until the next key frame are concealed;
// from that frame on the CPU decodes and all pictures are right, and the log states the change
// once.
TEST(VaStream, GoesOnOnTheCpuAfterALostDevice) {
  const test::EnvironmentVariable layers("VK_ADD_LAYER_PATH", SIDECORE_LAYERS);
  const test::EnvironmentVariable layer("VK_INSTANCE_LAYERS", "VK_LAYER_SIDECORE_lost_device");
  const std::vector<va::Bytes> frames = test::frames_of(test::corpus_packets("key-frames"));
  std::vector<std::string> expected;
  vp9::Decoder reference({.show_hidden = true});
  for (const va::Bytes& frame : frames) {
    reference.decode(frame, [&](const std::shared_ptr<const vp9::FrameBuffer>& picture) {
      expected.push_back(test::checksum(*picture));
    });
  }
  for (const char* const plan : {"qpu", "loop_filter=qpu", "prediction=divided"}) {
    for (const char* const at : {"1", "2", "4"}) {
      SCOPED_TRACE(std::string(plan) + ", lost at submission " + at);
      const test::EnvironmentVariable lost("SIDECORE_LOSE_DEVICE_AT", at);
      std::vector<std::string> lines;
      std::vector<std::string> complaints;
      va::Settings settings;
      settings.plan = vp9::Plan::parse(plan);
      settings.threads = 2;
      auto stream = std::make_shared<va::Stream>(
          settings, [&](const std::string& line) { lines.push_back(line); },
          [&](const std::string& line) { complaints.push_back(line); });
      vp9::HeaderContext headers;
      std::array<std::shared_ptr<va::Picture>, vp9::kReferenceSlots> slots;
      bool failed = false;
      bool key_since = false;
      std::size_t right = 0;
      for (std::size_t index = 0; index < frames.size(); ++index) {
        const vp9::FrameHeader header = vp9::parse_frame_header(frames[index], headers);
        const auto picture = stream->submit({.data = frames[index],
                                             .size = header.size,
                                             .pixel = header.pixel,
                                             .most = header.size,
                                             .references = slots,
                                             .number = index + 1});
        headers.keep(header);
        for (std::size_t slot = 0; slot < slots.size(); ++slot) {
          if ((header.refresh_slots >> slot & 1) != 0) slots[slot] = picture;
        }
        const vp9::FrameBuffer* const frame = picture->wait();
        ASSERT_NE(frame, nullptr);
        const bool is_right = test::checksum(*frame) == expected[index];
        key_since = key_since || (failed && header.key_frame);
        EXPECT_TRUE(is_right || !key_since) << index;
        failed = failed || !is_right;
        if (is_right) ++right;
      }
      EXPECT_TRUE(failed);
      EXPECT_TRUE(key_since);
      EXPECT_GE(right, frames.size() / 2);
      stream = nullptr;
      EXPECT_EQ(complaints, std::vector<std::string>{qpu::kCpuTakesOverMessage});
      EXPECT_EQ(std::ranges::count_if(lines,
                                      [](const std::string& line) {
                                        return line.find("plan neon, threads") != std::string::npos;
                                      }),
                1);
    }
  }
}

}  // namespace
}  // namespace sidecore
