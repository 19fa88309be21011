// Tests that the C library does what its headers state, and that its binary interface stays the
// same.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capi/decoding.h"
#include "libav/md5.h"
#include "metrics/feature_family.h"
#include "metrics/host_scorer.h"
#include "metrics/vmaf_model.h"
#include "sidecore/decoder.h"
#include "sidecore/metrics.h"
#include "sidecore/vulkan.h"
#include "video/packet_source.h"
#include "vp9/key_frame_header.h"

namespace sidecore {
namespace {

using namespace capi_test;

TEST(CapiDecoder, PicturesAreThoseOfTheCorpus) {
  for (const char* const stream :
       {"size-1x1", "size-35x66", "size-66x66", "profile-1-444", "profile-2-10", "profile-2-12",
        "profile-2-resize", "alt-ref", "resize-odd", "tile-rows"}) {
    Packets packets = packets_of(stream);
    for (const int threads : {1, 3}) {
      libav::Md5 md5;
      for (const Picture& picture : decode(options_of(threads), packets)) digest(picture, md5);
      EXPECT_EQ(md5.finish(), lines_of(corpus(std::string(stream) + ".md5")).at(0))
          << stream << " on " << threads;
    }
  }
}

TEST(CapiDecoder, PlansGiveTheSamePictures) {
  Packets packets = packets_of("size-66x66");
  const auto expected = frame_checksums("size-66x66");
  for (const char* const text : {"scalar", "neon", "intra=scalar,loop_filter=neon"}) {
    sidecore_decoder_options options = options_of(2);
    ASSERT_EQ(sidecore_plan_parse(text, &options.plan), SIDECORE_OK);
    EXPECT_EQ(checksums(decode(options, packets)), expected) << text;
  }
  sidecore_plan plan{1, 1, 1, 1};
  for (const char* const text : {"intra=neon,", ",", ",intra=neon", "intra=gpu"}) {
    EXPECT_EQ(sidecore_plan_parse(text, &plan), SIDECORE_ERROR_ARGUMENT) << text;
  }
  EXPECT_NE(std::string(sidecore_last_error()).find("intra=gpu"), std::string::npos);
  EXPECT_EQ(plan.intra, 1);
}

TEST(CapiDecoder, PicturesHaveTheTagsOfTheirPackets) {
  Packets packets = packets_of("alt-ref");
  for (const int threads : {1, 4}) {
    const std::vector<Picture> pictures = decode(options_of(threads), packets);
    ASSERT_EQ(pictures.size(), frame_checksums("alt-ref").size());
    // There is one picture per packet: each packet of the stream shows one frame, and may have a
    // hidden frame before it.
    ASSERT_EQ(pictures.size(), packets.size());
    for (std::size_t index = 0; index < pictures.size(); ++index) {
      const sidecore_picture_info info = info_of(pictures[index]);
      EXPECT_EQ(info.time_stamp, 10 * std::int64_t(index));
      EXPECT_EQ(info.cookie, packets[index].data());
      EXPECT_EQ(info.flags & SIDECORE_PICTURE_KEY, index == 0 ? 1U : 0U);
    }
  }
}

TEST(CapiDecoder, HiddenFramesAreGivenWhenAskedFor) {
  Packets packets = packets_of("alt-ref");
  sidecore_decoder_options options = options_of(3);
  options.hidden_frames = 1;
  std::vector<Picture> pictures = decode(options, packets);
  const auto hidden = std::erase_if(pictures, [](const Picture& picture) {
    return (info_of(picture).flags & SIDECORE_PICTURE_HIDDEN) != 0;
  });
  EXPECT_GT(hidden, 0U);
  EXPECT_EQ(checksums(pictures), frame_checksums("alt-ref"));
}

TEST(CapiDecoder, LowDelayShowsAPacketAtOnceAndPicturesWaitForTheirCaller) {
  Packets packets = packets_of("size-66x66");
  sidecore_decoder_options options = options_of(3);
  options.low_delay = 1;
  const Decoder decoder = open(options);
  ASSERT_EQ(sidecore_decoder_send(decoder.get(), packets[0].data(), packets[0].size(), 0, nullptr),
            SIDECORE_OK);
  EXPECT_EQ(sidecore_decoder_send(decoder.get(), packets[1].data(), packets[1].size(), 0, nullptr),
            SIDECORE_ERROR_AGAIN);
  sidecore_picture* picture = nullptr;
  ASSERT_EQ(sidecore_decoder_get_picture(decoder.get(), &picture), SIDECORE_OK);
  sidecore_picture_unref(sidecore_picture_ref(picture));
  EXPECT_EQ(checksum(Picture(picture)), frame_checksums("size-66x66").at(0));
  EXPECT_EQ(sidecore_decoder_get_picture(decoder.get(), &picture), SIDECORE_ERROR_AGAIN);
}

TEST(CapiDecoder, StatisticsCountFramesAndTimeStages) {
  Packets packets = packets_of("alt-ref");
  for (const int timed : {0, 1}) {
    sidecore_decoder_options options = options_of(2);
    options.stage_times = timed;
    const Decoder decoder = open(options);
    std::vector<Picture> pictures;
    static_cast<void>(send(decoder, packets, pictures));
    ASSERT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
    take(decoder, pictures);
    sidecore_decoder_statistics counted{};
    EXPECT_EQ(sidecore_decoder_get_statistics(decoder.get(), &counted), SIDECORE_ERROR_ARGUMENT);
    counted.size = sizeof counted;
    ASSERT_EQ(sidecore_decoder_get_statistics(decoder.get(), &counted), SIDECORE_OK);
    EXPECT_EQ(counted.shown, pictures.size());
    EXPECT_GT(counted.frames, counted.shown) << "hidden ones, too";
    EXPECT_EQ(counted.submissions, 0U);
    for (const std::int64_t time :
         {counted.parsing, counted.prediction, counted.intra, counted.residual, counted.edges,
          counted.loop_filter, counted.other}) {
      EXPECT_EQ(time > 0, timed != 0);
    }
    EXPECT_EQ(counted.submission + counted.waiting, 0) << "nothing is the QPU's";
  }
}

TEST(CapiDecoder, ColoursComeWithAllPictures) {
  // Codes of primaries, transfer function and matrix in H.273, indexed by enum
  // sidecore_color_space.
  constexpr std::array<std::array<int, 3>, 7> codes{
      {{2, 2, 2}, {6, 6, 6}, {1, 1, 1}, {6, 6, 6}, {7, 7, 7}, {9, 14, 9}, {2, 2, 2}}};
  for (int space = SIDECORE_COLOR_UNKNOWN; space <= SIDECORE_COLOR_RESERVED; ++space) {
    const bool full_range = space % 2 == 0;
    Packets packets = packets_of("size-66x66");
    packets[0] = test::with_colour(packets[0], static_cast<unsigned>(space), full_range);
    const std::vector<Picture> pictures = decode(options_of(2), packets);
    EXPECT_EQ(checksums(pictures), frame_checksums("size-66x66"));
    for (const Picture& picture : pictures) {  // predicted pictures are checked, too
      const sidecore_picture_info info = info_of(picture);
      EXPECT_EQ(info.color_space, space);
      EXPECT_EQ(info.full_range, full_range ? 1 : 0);
      EXPECT_EQ((std::array{info.color_primaries, info.color_transfer, info.color_matrix}),
                codes.at(static_cast<std::size_t>(space)));
      EXPECT_EQ(info.chroma, SIDECORE_CHROMA_420);
      EXPECT_EQ(info.bits, 8);
    }
  }
}

TEST(CapiDecoder, EveryChromaSamplingHasItsNameAndItsPlanes) {
  for (const auto& [stream, chroma, width, height, space] :
       {std::tuple{"profile-1-422-odd", SIDECORE_CHROMA_422, 34, 49, SIDECORE_COLOR_UNKNOWN},
        std::tuple{"profile-1-440-odd", SIDECORE_CHROMA_440, 67, 25, SIDECORE_COLOR_UNKNOWN},
        std::tuple{"profile-1-rgb-odd", SIDECORE_CHROMA_444, 67, 49, SIDECORE_COLOR_RGB}}) {
    Packets packets = packets_of(stream);
    const std::vector<Picture> pictures = decode(options_of(2), packets);
    EXPECT_EQ(checksums(pictures), frame_checksums(stream)) << stream;
    const sidecore_picture_info info = info_of(pictures.at(0));
    EXPECT_EQ(info.chroma, chroma) << stream;
    EXPECT_EQ(info.plane_width[1], width) << stream;
    EXPECT_EQ(info.plane_height[2], height) << stream;
    EXPECT_EQ(info.color_space, space) << stream;
    EXPECT_EQ(info.color_matrix, space == SIDECORE_COLOR_RGB ? 0 : 2) << stream;
    EXPECT_EQ(info.color_transfer, space == SIDECORE_COLOR_RGB ? 13 : 2) << stream;
  }
}

TEST(CapiDecoder, TheLastLayerAloneComesWhereAsked) {
  Packets packets = packets_of("layers");
  sidecore_decoder_options options = options_of(2);
  const std::size_t all = decode(options, packets).size();
  EXPECT_EQ(all, 3 * packets.size());
  options.last_layer = 1;
  const std::vector<Picture> pictures = decode(options, packets);
  EXPECT_EQ(pictures.size(), packets.size());
  for (const Picture& picture : pictures) EXPECT_EQ(info_of(picture).width, 200);
}

TEST(CapiDecoder, TheRenderSizeIsThePicturesOwn) {
  Packets packets = packets_of("size-66x66");
  packets[0] = test::with_render_size(packets[0], 65536, 3);
  const std::vector<Picture> pictures = decode(options_of(2), packets);
  EXPECT_EQ(checksums(pictures), frame_checksums("size-66x66"));
  for (std::size_t index = 0; index < pictures.size(); ++index) {
    const sidecore_picture_info info = info_of(pictures[index]);
    EXPECT_EQ(info.width, 66);
    EXPECT_EQ(info.height, 66);
    // Only the first frame's header has a render size.
    EXPECT_EQ(info.render_width, index == 0 ? 65536 : 66);
    EXPECT_EQ(info.render_height, index == 0 ? 3 : 66);
    EXPECT_EQ(info.pixel_aspect_width, index == 0 ? 65536 : 1);
    EXPECT_EQ(info.pixel_aspect_height, index == 0 ? 3 : 1);
  }
}

TEST(CapiDecoder, DamageCostsNothingBehindTheNextKeyFrame) {
  const auto expected = frame_checksums("key-frames");
  const Packets whole = packets_of("key-frames");
  ASSERT_EQ(whole.size(), expected.size());
  for (const int threads : {1, 3}) {
    Packets packets = whole;
    packets[1].resize(packets[1].size() / 2);
    packets[3].assign(5, 0xff);
    const Decoder decoder = open(options_of(threads));
    std::vector<Picture> pictures;
    const std::vector<int> errors = send(decoder, packets, pictures);
    EXPECT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
    take(decoder, pictures);
    EXPECT_EQ(errors[0], SIDECORE_OK);
    EXPECT_EQ(errors[3], SIDECORE_ERROR_DATA);
    EXPECT_NE(std::string(sidecore_last_error()).find("frame "), std::string::npos);
    bool key_behind = false;
    std::size_t right = 0;
    for (const Picture& picture : pictures) {
      const sidecore_picture_info info = info_of(picture);
      const auto packet = static_cast<std::size_t>(info.time_stamp / 10);
      if (packet == 3) FAIL() << "it is not a frame";
      key_behind = key_behind || (packet > 3 && (info.flags & SIDECORE_PICTURE_KEY) != 0);
      EXPECT_TRUE(packet <= 3 || key_behind || (info.flags & SIDECORE_PICTURE_DAMAGED) != 0);
      if ((info.flags & SIDECORE_PICTURE_DAMAGED) != 0 || packet == 1) continue;
      if (packet > 0 && !key_behind) continue;
      EXPECT_EQ(checksum(picture), expected[packet]) << packet;
      ++right;
    }
    EXPECT_TRUE(key_behind);
    EXPECT_GT(right, 2U);
  }
}

TEST(CapiDecoder, FlushForgetsAndDrainDoesNot) {
  Packets packets = packets_of("size-66x66");
  const auto expected = frame_checksums("size-66x66");
  const Decoder decoder = open(options_of(3));
  std::vector<Picture> pictures;
  for (std::size_t index = 0; index < 4; ++index) {
    ASSERT_EQ(sidecore_decoder_send(decoder.get(), packets[index].data(), packets[index].size(), 0,
                                    nullptr),
              SIDECORE_OK);
    take(decoder, pictures);
    ASSERT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
    take(decoder, pictures);
    ASSERT_EQ(pictures.size(), index + 1);
    EXPECT_EQ(checksum(pictures.back()), expected[index]);
  }
  ASSERT_EQ(sidecore_decoder_send(decoder.get(), packets[4].data(), packets[4].size(), 0, nullptr),
            SIDECORE_OK);
  ASSERT_EQ(sidecore_decoder_flush(decoder.get()), SIDECORE_OK);
  pictures.clear();
  EXPECT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  take(decoder, pictures);
  EXPECT_TRUE(pictures.empty());
  EXPECT_EQ(sidecore_decoder_send(decoder.get(), packets[5].data(), packets[5].size(), 0, nullptr),
            SIDECORE_ERROR_DATA);
  for (const int error : send(decoder, packets, pictures)) EXPECT_EQ(error, SIDECORE_OK);
  EXPECT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  take(decoder, pictures);
  EXPECT_EQ(checksums(pictures), expected);
}

/// An allocator that fills its memory with a pattern and counts its calls.
struct Blocks {
  std::set<void*> live;
  int asked = 0;
  int refuse = -1;  ///< number of the one request that fails
  int refuse_from =
      std::numeric_limits<int>::max();  ///< number of the first request from which on all fail

  static void* allocate(void* cookie, const sidecore_memory_layout* layout) {
    Blocks& blocks = *static_cast<Blocks*>(cookie);
    EXPECT_EQ(layout->width % 64, 0);
    EXPECT_EQ(layout->offset[0], 0U);
    const int request = blocks.asked++;
    if (request == blocks.refuse || request >= blocks.refuse_from) return nullptr;
    void* const data =
        std::aligned_alloc(layout->alignment, (layout->bytes + layout->alignment - 1) /
                                                  layout->alignment * layout->alignment);
    std::memset(data, 0xa5, layout->bytes);
    blocks.live.insert(data);
    return data;
  }
  static void release(void* cookie, void* data) {
    EXPECT_EQ(static_cast<Blocks*>(cookie)->live.erase(data), 1U);
    std::free(data);
  }
};

TEST(CapiDecoder, PicturesLiveInTheCallersMemoryAndOutliveTheDecoder) {
  Packets packets = packets_of("size-35x66");
  Blocks blocks;
  sidecore_decoder_options options = options_of(3);
  options.allocator = {&blocks, Blocks::allocate, Blocks::release};
  // Decode() closes its decoder before it returns.
  std::vector<Picture> pictures = decode(options, packets);
  for (const Picture& picture : pictures) {
    EXPECT_TRUE(blocks.live.contains(const_cast<void*>(info_of(picture).data[0])));
  }
  EXPECT_EQ(checksums(pictures), frame_checksums("size-35x66"));
  pictures.clear();
  EXPECT_TRUE(blocks.live.empty());
  EXPECT_GT(blocks.asked, 0);
}

TEST(CapiDecoder, AnAllocatorMayHaveNoMemory) {
  Packets packets = packets_of("size-35x66");
  Blocks blocks;
  blocks.refuse = 0;
  sidecore_decoder_options options = options_of(1);
  options.allocator = {&blocks, Blocks::allocate, Blocks::release};
  {
    const Decoder decoder = open(options);
    std::vector<Picture> pictures;
    EXPECT_EQ(
        sidecore_decoder_send(decoder.get(), packets[0].data(), packets[0].size(), 0, nullptr),
        SIDECORE_ERROR_MEMORY);
    for (const int error : send(decoder, packets, pictures)) EXPECT_EQ(error, SIDECORE_OK);
    EXPECT_EQ(checksums(pictures), frame_checksums("size-35x66"));
  }
  EXPECT_TRUE(blocks.live.empty());
}

TEST(CapiDecoder, WhenMemoryRunsOutTheFramesBeforeThatAreThere) {
  Packets packets = packets_of("size-35x66");
  const auto expected = frame_checksums("size-35x66");
  for (const int threads : {1, 3}) {
    Blocks blocks;
    blocks.refuse_from = 5;
    sidecore_decoder_options options = options_of(threads);
    options.allocator = {&blocks, Blocks::allocate, Blocks::release};
    const Decoder decoder = open(options);
    std::vector<Picture> pictures;
    std::size_t sent = 0;
    int error = SIDECORE_OK;
    for (; sent < packets.size() && error == SIDECORE_OK; ++sent) {
      error = sidecore_decoder_send(decoder.get(), packets[sent].data(), packets[sent].size(), 0,
                                    nullptr);
      take(decoder, pictures);
    }
    EXPECT_EQ(error, SIDECORE_ERROR_MEMORY);
    EXPECT_EQ(std::string(sidecore_last_error()), "frame 5: not enough memory");
    ASSERT_EQ(pictures.size(), 5U) << "each packet shows one frame; " << sent << " were sent";
    for (std::size_t index = 0; index < pictures.size(); ++index) {
      EXPECT_EQ(checksum(pictures[index]), expected[index]);
      EXPECT_EQ(info_of(pictures[index]).flags & SIDECORE_PICTURE_DAMAGED, 0U);
    }
    // The caller releases pictures, so that there is memory for the stream again, from its key
    // frame on.
    for (std::size_t index = 0; index < packets.size(); ++index) {
      pictures.clear();
      ASSERT_EQ(sidecore_decoder_send(decoder.get(), packets[index].data(), packets[index].size(),
                                      0, nullptr),
                SIDECORE_OK)
          << sidecore_last_error();
      ASSERT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
      take(decoder, pictures);
      ASSERT_EQ(pictures.size(), 1U);
      EXPECT_EQ(checksum(pictures[0]), expected[index]);
    }
  }
}

TEST(CapiDecoder, AKeyFrameEndsDamageEvenIfItIsHidden) {
  Packets packets = packets_of("size-66x66");
  // Three packets: no frame; a key frame; "show slot 0 once more".
  Packets sent{{0xff}, packets[0], {0x88}};
  sent[1][0] = static_cast<std::uint8_t>(sent[1][0] & ~0x02U);  // show_frame
  for (const int hidden : {0, 1}) {
    sidecore_decoder_options options = options_of(1);
    options.hidden_frames = hidden;
    const Decoder decoder = open(options);
    std::vector<Picture> pictures;
    EXPECT_EQ(send(decoder, sent, pictures),
              (std::vector<int>{SIDECORE_ERROR_DATA, SIDECORE_OK, SIDECORE_OK}));
    ASSERT_EQ(pictures.size(), 1U + static_cast<std::size_t>(hidden));
    EXPECT_EQ(info_of(pictures.back()).flags, SIDECORE_PICTURE_KEY | SIDECORE_PICTURE_REPEATED);
    EXPECT_EQ(checksum(pictures.back()), frame_checksums("size-66x66").at(0));
  }
}

TEST(CapiDecoder, TwoDecodersOnTwoThreadsAndTheirPicturesOnAThird) {
  std::array<std::vector<Picture>, 2> pictures;
  const std::array<std::string, 2> streams{"size-66x66", "profile-2-10"};
  {
    std::vector<std::jthread> threads;
    for (std::size_t index = 0; index < streams.size(); ++index) {
      threads.emplace_back([&, index] {
        Packets packets = packets_of(streams[index]);
        pictures[index] = decode(options_of(2), packets);
      });
    }
  }
  for (std::size_t index = 0; index < streams.size(); ++index) {
    EXPECT_EQ(checksums(pictures[index]), frame_checksums(streams[index]));
  }
}

TEST(CapiDecoder, PicturesMayBeLetGoWhileTheDecoderWorks) {
  Packets packets = packets_of("size-66x66");
  const auto expected = frame_checksums("size-66x66");
  const Decoder decoder = open(options_of(2));
  std::vector<std::jthread> threads;
  std::size_t shown = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (const auto& packet : packets) {
      ASSERT_EQ(sidecore_decoder_send(decoder.get(), packet.data(), packet.size(), 0, nullptr),
                SIDECORE_OK);
      sidecore_picture* picture = nullptr;
      while (sidecore_decoder_get_picture(decoder.get(), &picture) == SIDECORE_OK) {
        threads.emplace_back([&expected, picture, index = shown++ % expected.size()] {
          EXPECT_EQ(checksum(Picture(picture)), expected[index]);
        });
      }
    }
  }
  EXPECT_GT(shown, packets.size());
}

TEST(CapiDecoder, OpenedAndClosedOftenItDoesNotGrow) {
  const auto pages = [] {
    std::size_t size = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident;
  };
  Packets packets = packets_of("size-10x6");
  packets.resize(1);
  const auto often = [&](int times) {
    for (int time = 0; time < times; ++time) ASSERT_EQ(decode(options_of(2), packets).size(), 1U);
  };
  often(100);
  const std::size_t before = pages();
#ifdef SIDECORE_SANITIZED  // sanitizers do not reuse freed memory
  often(100);
  static_cast<void>(before);
#else
  often(1000);
  EXPECT_LT(pages(), before + 512);  // limit of 2 MiB; 1,000 decoders that are not freed take more
#endif
}

TEST(Capi, MistakesAreToldAndChangeNothing) {
  EXPECT_EQ(std::string(sidecore_version()), std::to_string(SIDECORE_VERSION_MAJOR) + "." +
                                                 std::to_string(SIDECORE_VERSION_MINOR) + "." +
                                                 std::to_string(SIDECORE_VERSION_PATCH));
  std::set<std::string> texts;
  for (int error = SIDECORE_OK; error >= SIDECORE_ERROR_INTERNAL; --error) {
    texts.insert(sidecore_error_text(error));
  }
  EXPECT_EQ(texts.size(), 7U);
  EXPECT_FALSE(texts.contains(sidecore_error_text(-1000)));

  const auto refusal = [](const std::function<void(sidecore_decoder_options&)>& spoil) {
    sidecore_decoder_options options = options_of(1);
    std::string logged;
    options.log = [](void* cookie, int level, const char* message) {
      EXPECT_EQ(level, SIDECORE_LOG_ERROR);
      *static_cast<std::string*>(cookie) = message;
    };
    options.log_cookie = &logged;
    spoil(options);
    sidecore_decoder* decoder = nullptr;
    EXPECT_EQ(sidecore_decoder_open(&decoder, &options), SIDECORE_ERROR_ARGUMENT);
    EXPECT_EQ(decoder, nullptr);
    if (options.size >= sizeof options) {
      EXPECT_EQ(logged, sidecore_last_error());
    }
    return std::string(sidecore_last_error());
  };
  using Options = sidecore_decoder_options;
  EXPECT_NE(refusal([](Options& o) { o.threads = 1000; }).find("threads"), std::string::npos);
  EXPECT_NE(refusal([](Options& o) { o.size = 0; }).find("size"), std::string::npos);
  EXPECT_NE(refusal([](Options& o) { o.plan.intra = 9; }).find("processor"), std::string::npos);
  EXPECT_NE(refusal([](Options& o) { o.allocator.release = Blocks::release; }).find("allocator"),
            std::string::npos);
  sidecore_decoder* decoder = nullptr;
  EXPECT_EQ(sidecore_decoder_open(nullptr, nullptr), SIDECORE_ERROR_ARGUMENT);
  ASSERT_EQ(sidecore_decoder_open(&decoder, nullptr), SIDECORE_OK);
  const Decoder owned(decoder);
  EXPECT_EQ(sidecore_decoder_send(decoder, nullptr, 1, 0, nullptr), SIDECORE_ERROR_ARGUMENT);
  EXPECT_EQ(sidecore_decoder_send(nullptr, "", 1, 0, nullptr), SIDECORE_ERROR_ARGUMENT);
  EXPECT_EQ(sidecore_decoder_drain(nullptr), SIDECORE_ERROR_ARGUMENT);
  EXPECT_EQ(sidecore_decoder_flush(nullptr), SIDECORE_ERROR_ARGUMENT);
  sidecore_decoder_close(nullptr);
  sidecore_picture_unref(nullptr);
}

TEST(Capi, StructuresOfOtherVersionsAreUnderstood) {
  struct {
    sidecore_decoder_options options;
    std::uint64_t later;  // size of 8 bytes, so that the structure ends without padding
  } options{options_of(1), 0};
  options.options.size = sizeof options;
  sidecore_decoder* decoder = nullptr;
  EXPECT_EQ(sidecore_decoder_open(&decoder, &options.options), SIDECORE_OK);
  sidecore_decoder_close(decoder);
  options.later = 1;
  EXPECT_EQ(sidecore_decoder_open(&decoder, &options.options), SIDECORE_ERROR_ARGUMENT);

  Packets packets = packets_of("size-10x6");
  const std::vector<Picture> pictures = decode(options_of(1), packets);
  sidecore_picture_info info{};
  info.size =
      // Size of the structure in a program that only knows its first members, up to width.
      offsetof(sidecore_picture_info, height);
  info.height = -1;
  ASSERT_EQ(sidecore_picture_get_info(pictures.at(0).get(), &info), SIDECORE_OK);
  EXPECT_EQ(info.width, 10);
  EXPECT_EQ(info.height, -1);
  EXPECT_EQ(info.size, offsetof(sidecore_picture_info, height));
}

class CapiScorer : public testing::Test {
 protected:
  // Width without room for the scales of float_ms_ssim, which are not needed.
  static constexpr int kWidth = 50;
  static constexpr int kHeight = 38;
  static constexpr int kPairs = 7;
  static constexpr const char* kFeatures[] = {"float_psnr", "float_ssim=clip_db=true"};

  static std::uint8_t sample(int side, int pair, std::size_t index) {
    const std::size_t wave = index * 7 + static_cast<std::size_t>(pair) * 31;
    return static_cast<std::uint8_t>(wave % 251 ^ (side == 1 && index % 3 == 0 ? 5U : 0U));
  }
  static sidecore_scorer_options options() {
    sidecore_scorer_options options{};
    options.size = sizeof options;
    options.features = kFeatures;
    options.feature_count = std::size(kFeatures);
    options.width = kWidth;
    options.height = kHeight;
    options.chroma = SIDECORE_CHROMA_400;
    options.bits = 8;
    options.threads = 2;
    return options;
  }
  static sidecore_planes planes_of(const std::vector<std::uint8_t>& samples) {
    sidecore_planes planes{};
    planes.size = sizeof planes;
    planes.data[0] = samples.data();
    planes.stride[0] = kWidth;
    return planes;
  }
  static std::vector<std::uint8_t> samples_of(int side, int pair) {
    std::vector<std::uint8_t> samples(std::size_t{kWidth} * kHeight);
    for (std::size_t index = 0; index < samples.size(); ++index) {
      samples[index] = sample(side, pair, index);
    }
    return samples;
  }
  /// Returns the scores of the scalar definitions.
  static std::vector<std::vector<double>> expected() {
    const video::PictureFormat format{kWidth, kHeight, {video::Chroma::c400, 8}};
    std::vector<metrics::FeatureRequest> requests;
    for (const char* const feature : kFeatures) {
      requests.push_back(metrics::parse_feature_request(feature));
    }
    const auto scorer = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    std::vector<std::vector<double>> scores;
    for (int pair = 0; pair < kPairs; ++pair) {
      for (const int side : {0, 1}) {
        video::Picture& picture = side == 0 ? scorer->reference(0) : scorer->distorted(0);
        const auto plane = picture.plane<std::uint8_t>(0);
        const auto samples = samples_of(side, pair);
        for (int row = 0; row < kHeight; ++row) {
          std::memcpy(plane.row(row), samples.data() + row * kWidth, kWidth);
        }
      }
      scorer->submit(0);
      const auto collected = scorer->collect(0);
      scores.emplace_back(collected.begin(), collected.end());
    }
    return scores;
  }
};

TEST_F(CapiScorer, ScoresAreThoseOfTheDefinition) {
  const auto expected_scores = expected();
  for (const int processor : {SIDECORE_PROCESSOR_SCALAR, SIDECORE_PROCESSOR_NEON}) {
    sidecore_scorer_options asked = options();
    asked.processor = processor;
    sidecore_scorer* opened = nullptr;
    ASSERT_EQ(sidecore_scorer_open(&opened, &asked), SIDECORE_OK) << sidecore_last_error();
    const Scorer scorer(opened);
    for (int pair = 0; pair < kPairs; ++pair) {
      const auto reference = samples_of(0, pair);
      const auto distorted = samples_of(1, pair);
      const sidecore_planes planes[] = {planes_of(reference), planes_of(distorted)};
      ASSERT_EQ(sidecore_scorer_push(opened, &planes[0], &planes[1]), SIDECORE_OK);
    }
    ASSERT_EQ(sidecore_scorer_outputs(opened), expected_scores[0].size());
    EXPECT_EQ(std::string(sidecore_scorer_output_name(opened, 0)), "float_psnr");
    EXPECT_EQ(sidecore_scorer_output_name(opened, 9), nullptr);
    ASSERT_EQ(sidecore_scorer_pairs(opened), std::uint64_t{kPairs});
    double sum = 0;
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      for (std::size_t output = 0; output < expected_scores[0].size(); ++output) {
        double score = -1;
        ASSERT_EQ(sidecore_scorer_score(opened, pair, output, &score), SIDECORE_OK);
        EXPECT_EQ(score, expected_scores[pair][output]);
        if (output == 0) sum += score;
      }
    }
    double mean = 0;
    ASSERT_EQ(sidecore_scorer_pooled(opened, 0, SIDECORE_POOLING_MEAN, &mean), SIDECORE_OK);
    EXPECT_EQ(mean, sum / kPairs);
    double least = 0;
    ASSERT_EQ(sidecore_scorer_pooled(opened, 0, SIDECORE_POOLING_MIN, &least), SIDECORE_OK);
    EXPECT_LT(least, mean);
    EXPECT_EQ(sidecore_scorer_score(opened, kPairs, 0, &mean), SIDECORE_ERROR_ARGUMENT);
    EXPECT_EQ(sidecore_scorer_pooled(opened, 0, 4, &mean), SIDECORE_ERROR_ARGUMENT);
  }
}

TEST_F(CapiScorer, MistakesAreToldAndAPairBeyondItsBitsIsNotThere) {
  sidecore_scorer* scorer = nullptr;
  const auto refuse = [&](const std::function<void(sidecore_scorer_options&)>& spoil) {
    sidecore_scorer_options asked = options();
    spoil(asked);
    EXPECT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_ERROR_ARGUMENT);
    EXPECT_EQ(scorer, nullptr);
  };
  static const char* const kUnknown[] = {"no_such_feature"};
  refuse([](sidecore_scorer_options& o) { o.features = kUnknown, o.feature_count = 1; });
  EXPECT_NE(std::string(sidecore_last_error()).find("no_such_feature"), std::string::npos);
  refuse([](sidecore_scorer_options& o) { o.feature_count = 0; });
  refuse([](sidecore_scorer_options& o) { o.width = 0; });
  refuse([](sidecore_scorer_options& o) { o.chroma = 4; });
  refuse([](sidecore_scorer_options& o) { o.processor = 4; });

  sidecore_scorer_options asked = options();
  asked.bits = 10;
  ASSERT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_OK) << sidecore_last_error();
  const Scorer owned(scorer);
  std::vector<std::uint16_t> samples(std::size_t{kWidth} * kHeight, 1023);
  sidecore_planes planes{};
  planes.size = sizeof planes;
  planes.data[0] = samples.data();
  planes.stride[0] = 2 * kWidth;
  ASSERT_EQ(sidecore_scorer_push(scorer, &planes, &planes), SIDECORE_OK);
  samples.back() = 1024;
  EXPECT_EQ(sidecore_scorer_push(scorer, &planes, &planes), SIDECORE_ERROR_ARGUMENT);
  EXPECT_EQ(sidecore_scorer_pairs(scorer), 1U);
  double score = 0;
  EXPECT_EQ(sidecore_scorer_score(scorer, 0, 0, &score), SIDECORE_OK);
}

/// Clip for which all features are defined, with the scores of the scalar definitions.
class CapiClip : public testing::Test {
 protected:
  static constexpr int kPairs = 5;
  static constexpr const char* kModels[] = {"version=vmaf_v1.0.16_3d0h",
                                            "version=vmaf_v0.6.1:name=old"};

  CapiClip() {
    for (const metrics::FeatureFamily* const family : metrics::families()) {
      for (const metrics::Feature& feature : family->features) names_.emplace_back(feature.name);
    }
    for (const std::string& name : names_) features_.push_back(name.c_str());
    for (int pair = 0; pair < kPairs; ++pair) {
      for (const int side : {0, 1}) {
        video::Picture& picture = pictures_.emplace_back(kFormat);
        for (int plane = 0; plane < kFormat.pixel.planes(); ++plane) {
          const auto samples = picture.plane<std::uint8_t>(plane);
          for (int y = 0; y < kFormat.plane_height(plane); ++y) {
            for (int x = 0; x < kFormat.plane_width(plane); ++x)
              samples.row(y)[x] = sample(side, pair, x, y);
          }
        }
      }
    }
  }

  /// Sample of a slope that pans, with a texture; the distorted picture is coarser and flickers.
  static std::uint8_t sample(int side, int pair, int x, int y) {
    const int moved = x + 3 * pair;
    const int texture = (moved * 7 + y * 13 + moved * y / 5) % 23;
    const int value = (moved / 2 + y / 3 + texture) % 200 + 20;
    return static_cast<std::uint8_t>(side == 0 ? value : value / 6 * 6 + pair % 2);
  }

  sidecore_scorer_options options() const {
    sidecore_scorer_options options{};
    options.size = sizeof options;
    options.features = features_.data();
    options.feature_count = features_.size();
    options.models = kModels;
    options.model_count = std::size(kModels);
    options.width = kFormat.width;
    options.height = kFormat.height;
    options.chroma = SIDECORE_CHROMA_420;
    options.bits = 8;
    options.threads = 2;
    return options;
  }

  int push(sidecore_scorer* scorer, int pair) const {
    sidecore_planes planes[2]{};
    for (const std::size_t side : {0U, 1U}) {
      const video::Picture& picture = pictures_[2 * static_cast<std::size_t>(pair) + side];
      planes[side].size = sizeof planes[side];
      for (int plane = 0; plane < kFormat.pixel.planes(); ++plane) {
        const auto& layout = picture.layout().planes[static_cast<std::size_t>(plane)];
        planes[side].data[plane] = picture.bytes().data() + layout.offset;
        planes[side].stride[plane] = static_cast<std::ptrdiff_t>(layout.stride);
      }
    }
    return sidecore_scorer_push(scorer, &planes[0], &planes[1]);
  }

  metrics::ScoreTable expected() const {
    std::vector<metrics::ModelRequest> models;
    std::vector<metrics::FeatureRequest> requests;
    for (const char* const model : kModels) models.push_back(metrics::parse_model_request(model));
    for (const std::string& name : names_) requests.push_back(metrics::parse_feature_request(name));
    metrics::add_model_features(models, requests);
    const auto scorer = metrics::make_host_scorer(kFormat, requests, metrics::scalar_kernels, 1);
    metrics::ScoreTable table(metrics::output_names(requests));
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      std::ranges::copy(pictures_[2 * pair].bytes(), scorer->reference(0).bytes().begin());
      std::ranges::copy(pictures_[2 * pair + 1].bytes(), scorer->distorted(0).bytes().begin());
      scorer->submit(0);
      table.append(pair, scorer->collect(0));
    }
    std::vector<std::span<double>> columns;
    for (std::size_t i = 0; i < table.names().size(); ++i) columns.push_back(table.column(i));
    scorer->finish_clip(columns);
    metrics::add_model_scores(models, table);
    return table;
  }

  static constexpr video::PictureFormat kFormat{256, 224, {video::Chroma::c420, 8}};
  std::vector<std::string> names_;
  std::vector<const char*> features_;
  std::vector<video::Picture> pictures_;
};

TEST_F(CapiClip, EveryFeatureAndModelHasTheDefinitionsScoresOnceItIsDrained) {
  const metrics::ScoreTable table = expected();
  const sidecore_scorer_options asked = options();
  sidecore_scorer* scorer = nullptr;
  ASSERT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_OK) << sidecore_last_error();
  const Scorer owned(scorer);
  for (int pair = 0; pair < kPairs; ++pair) ASSERT_EQ(push(scorer, pair), SIDECORE_OK);
  ASSERT_EQ(sidecore_scorer_outputs(scorer), table.names().size());
  std::set<std::string> late;
  for (std::size_t output = 0; output < table.names().size(); ++output) {
    EXPECT_EQ(sidecore_scorer_output_name(scorer, output), table.names()[output]);
    double score = 0;
    double pooled = 0;
    const int error = sidecore_scorer_score(scorer, 1, output, &score);
    EXPECT_EQ(sidecore_scorer_pooled(scorer, output, SIDECORE_POOLING_MEAN, &pooled), error);
    if (error == SIDECORE_OK) {
      EXPECT_EQ(score, table.column(output)[1]) << table.names()[output];
    } else {
      EXPECT_EQ(error, SIDECORE_ERROR_AGAIN);
      late.insert(table.names()[output]);
    }
  }
  // Motion features that the models add are removed, because their names contain options.
  std::erase_if(late, [](const std::string& name) { return name.find("motion") != name.npos; });
  EXPECT_EQ(late, (std::set<std::string>{"old", "vmaf"}));

  ASSERT_EQ(sidecore_scorer_drain(scorer), SIDECORE_OK) << sidecore_last_error();
  EXPECT_EQ(sidecore_scorer_drain(scorer), SIDECORE_OK);
  EXPECT_EQ(push(scorer, 0), SIDECORE_ERROR_ARGUMENT);
  EXPECT_EQ(sidecore_scorer_pairs(scorer), std::uint64_t{kPairs});
  for (std::size_t output = 0; output < table.names().size(); ++output) {
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      double score = 0;
      ASSERT_EQ(sidecore_scorer_score(scorer, pair, output, &score), SIDECORE_OK);
      EXPECT_EQ(score, table.column(output)[pair]) << table.names()[output] << ", pair " << pair;
    }
  }
}

TEST_F(CapiClip, AModelNeedsNoFeatureAndAWrongOneIsRefused) {
  sidecore_scorer_options asked = options();
  asked.feature_count = 0;
  asked.features = nullptr;
  asked.model_count = 1;
  sidecore_scorer* scorer = nullptr;
  ASSERT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_OK) << sidecore_last_error();
  ASSERT_EQ(sidecore_scorer_drain(scorer), SIDECORE_OK);  // drains a clip without pictures
  const std::size_t outputs = sidecore_scorer_outputs(scorer);
  EXPECT_EQ(std::string(sidecore_scorer_output_name(scorer, outputs - 1)), "vmaf");
  double score = 0;
  EXPECT_EQ(sidecore_scorer_score(scorer, 0, outputs - 1, &score), SIDECORE_ERROR_ARGUMENT);
  sidecore_scorer_close(scorer);

  static const char* const kNone[] = {"version=vmaf_v9"};
  asked.models = kNone;
  EXPECT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_ERROR_ARGUMENT);
  asked.models = nullptr;
  EXPECT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_ERROR_ARGUMENT);
  asked.model_count = 0;
  EXPECT_EQ(sidecore_scorer_open(&scorer, &asked), SIDECORE_ERROR_ARGUMENT);
}

// tests/capi/abi.txt has one line for each symbol, enumerator, structure size and member offset.
// Lines may be added, and a structure that begins with its size may grow. All other changes break
// programs and need a new SONAME.
TEST(Capi, TheBinaryInterfaceIsAsItWas) {
  std::ostringstream found;
#define SIZE(type) found << "size " #type " " << sizeof(struct type) << '\n'
#define AT(type, member) \
  found << "at " #type "." #member " " << offsetof(struct type, member) << '\n'
  SIZE(sidecore_plan);
  AT(sidecore_plan, prediction);
  AT(sidecore_plan, residual);
  AT(sidecore_plan, intra);
  AT(sidecore_plan, loop_filter);
  SIZE(sidecore_allocator);
  AT(sidecore_allocator, cookie);
  AT(sidecore_allocator, allocate);
  AT(sidecore_allocator, release);
  SIZE(sidecore_memory_layout);
  AT(sidecore_memory_layout, width);
  AT(sidecore_memory_layout, height);
  AT(sidecore_memory_layout, chroma);
  AT(sidecore_memory_layout, bits);
  AT(sidecore_memory_layout, bytes);
  AT(sidecore_memory_layout, alignment);
  AT(sidecore_memory_layout, offset);
  AT(sidecore_memory_layout, stride);
  SIZE(sidecore_decoder_options);
  AT(sidecore_decoder_options, plan);
  AT(sidecore_decoder_options, threads);
  AT(sidecore_decoder_options, low_delay);
  AT(sidecore_decoder_options, hidden_frames);
  AT(sidecore_decoder_options, max_luma_samples);
  AT(sidecore_decoder_options, allocator);
  AT(sidecore_decoder_options, device);
  AT(sidecore_decoder_options, log);
  AT(sidecore_decoder_options, log_cookie);
  AT(sidecore_decoder_options, stage_times);
  AT(sidecore_decoder_options, vulkan);
  AT(sidecore_decoder_options, last_layer);
  SIZE(sidecore_decoder_statistics);
  AT(sidecore_decoder_statistics, frames);
  AT(sidecore_decoder_statistics, shown);
  AT(sidecore_decoder_statistics, submissions);
  AT(sidecore_decoder_statistics, dispatches);
  AT(sidecore_decoder_statistics, parsing);
  AT(sidecore_decoder_statistics, prediction);
  AT(sidecore_decoder_statistics, residual);
  AT(sidecore_decoder_statistics, edges);
  AT(sidecore_decoder_statistics, loop_filter);
  AT(sidecore_decoder_statistics, other);
  AT(sidecore_decoder_statistics, intra);
  AT(sidecore_decoder_statistics, submission);
  AT(sidecore_decoder_statistics, waiting);
  AT(sidecore_decoder_statistics, fence_waits);
  AT(sidecore_decoder_statistics, prediction_dispatches);
  AT(sidecore_decoder_statistics, residual_dispatches);
  AT(sidecore_decoder_statistics, intra_dispatches);
  AT(sidecore_decoder_statistics, loop_filter_dispatches);
  SIZE(sidecore_picture_info);
  AT(sidecore_picture_info, width);
  AT(sidecore_picture_info, height);
  AT(sidecore_picture_info, render_width);
  AT(sidecore_picture_info, render_height);
  AT(sidecore_picture_info, chroma);
  AT(sidecore_picture_info, bits);
  AT(sidecore_picture_info, plane_width);
  AT(sidecore_picture_info, plane_height);
  AT(sidecore_picture_info, data);
  AT(sidecore_picture_info, stride);
  AT(sidecore_picture_info, color_space);
  AT(sidecore_picture_info, full_range);
  AT(sidecore_picture_info, flags);
  AT(sidecore_picture_info, time_stamp);
  AT(sidecore_picture_info, cookie);
  AT(sidecore_picture_info, color_primaries);
  AT(sidecore_picture_info, color_transfer);
  AT(sidecore_picture_info, color_matrix);
  AT(sidecore_picture_info, pixel_aspect_width);
  AT(sidecore_picture_info, pixel_aspect_height);
  SIZE(sidecore_scorer_options);
  AT(sidecore_scorer_options, features);
  AT(sidecore_scorer_options, feature_count);
  AT(sidecore_scorer_options, width);
  AT(sidecore_scorer_options, height);
  AT(sidecore_scorer_options, chroma);
  AT(sidecore_scorer_options, bits);
  AT(sidecore_scorer_options, processor);
  AT(sidecore_scorer_options, threads);
  AT(sidecore_scorer_options, device);
  AT(sidecore_scorer_options, log);
  AT(sidecore_scorer_options, log_cookie);
  AT(sidecore_scorer_options, vulkan);
  AT(sidecore_scorer_options, models);
  AT(sidecore_scorer_options, model_count);
  SIZE(sidecore_planes);
  AT(sidecore_planes, data);
  AT(sidecore_planes, stride);
  SIZE(sidecore_vulkan_device);
  AT(sidecore_vulkan_device, get_instance_proc_addr);
  AT(sidecore_vulkan_device, instance);
  AT(sidecore_vulkan_device, physical_device);
  AT(sidecore_vulkan_device, device);
  AT(sidecore_vulkan_device, queue_family);
  AT(sidecore_vulkan_device, queue);
  AT(sidecore_vulkan_device, lock_queue);
  AT(sidecore_vulkan_device, unlock_queue);
  AT(sidecore_vulkan_device, cookie);
  SIZE(sidecore_vulkan_picture);
  AT(sidecore_vulkan_picture, buffer);
  AT(sidecore_vulkan_picture, offset);
#undef SIZE
#undef AT
#define VALUE(name) found << "value " #name " " << int{name} << '\n'
  VALUE(SIDECORE_OK);
  VALUE(SIDECORE_ERROR_AGAIN);
  VALUE(SIDECORE_ERROR_ARGUMENT);
  VALUE(SIDECORE_ERROR_DATA);
  VALUE(SIDECORE_ERROR_MEMORY);
  VALUE(SIDECORE_ERROR_DEVICE);
  VALUE(SIDECORE_ERROR_INTERNAL);
  VALUE(SIDECORE_LOG_ERROR);
  VALUE(SIDECORE_LOG_INFO);
  VALUE(SIDECORE_PROCESSOR_DEFAULT);
  VALUE(SIDECORE_PROCESSOR_SCALAR);
  VALUE(SIDECORE_PROCESSOR_NEON);
  VALUE(SIDECORE_PROCESSOR_QPU);
  VALUE(SIDECORE_PROCESSOR_DIVIDED);
  VALUE(SIDECORE_CHROMA_400);
  VALUE(SIDECORE_CHROMA_420);
  VALUE(SIDECORE_CHROMA_422);
  VALUE(SIDECORE_CHROMA_444);
  VALUE(SIDECORE_CHROMA_440);
  VALUE(SIDECORE_COLOR_UNKNOWN);
  VALUE(SIDECORE_COLOR_BT601);
  VALUE(SIDECORE_COLOR_BT709);
  VALUE(SIDECORE_COLOR_SMPTE170);
  VALUE(SIDECORE_COLOR_SMPTE240);
  VALUE(SIDECORE_COLOR_BT2020);
  VALUE(SIDECORE_COLOR_RESERVED);
  VALUE(SIDECORE_COLOR_RGB);
  VALUE(SIDECORE_PICTURE_KEY);
  VALUE(SIDECORE_PICTURE_HIDDEN);
  VALUE(SIDECORE_PICTURE_REPEATED);
  VALUE(SIDECORE_PICTURE_DAMAGED);
  VALUE(SIDECORE_POOLING_MIN);
  VALUE(SIDECORE_POOLING_MAX);
  VALUE(SIDECORE_POOLING_MEAN);
  VALUE(SIDECORE_POOLING_HARMONIC_MEAN);
#undef VALUE
  const std::unique_ptr<FILE, int (*)(FILE*)> readelf(
      popen("readelf --dyn-syms --wide " SIDECORE_LIBRARY, "r"), pclose);
  ASSERT_NE(readelf, nullptr);
  std::set<std::string> symbols;
  for (char line[512]; std::fgets(line, sizeof line, readelf.get()) != nullptr;) {
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    if (fields.size() < 8 || fields[4] == "LOCAL" || fields[6] == "UND") continue;
    if (fields[7].starts_with("sidecore_") || fields[3] == "FUNC") symbols.insert(fields[7]);
  }
  for (const std::string& symbol : symbols) found << "symbol " << symbol << '\n';
  std::ostringstream expected;
  for (const std::string& line : lines_of(SIDECORE_ABI)) expected << line << '\n';
  EXPECT_EQ(found.str(), expected.str());
}

}  // namespace
}  // namespace sidecore
