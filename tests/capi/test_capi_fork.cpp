// Tests of the C library's objects in a child of fork(): calls return, and the parent keeps
// working.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "capi/decoding.h"
#include "forked_child.h"
#include "sidecore/vulkan.h"

namespace sidecore {
namespace {

using namespace capi_test;
using test::in_child;

std::string told(int error) {
  return std::to_string(error) + " " + sidecore_last_error() + "\n";
}

const std::string kDecoderRefused =
    std::to_string(SIDECORE_ERROR_ARGUMENT) + " the decoder was opened by another process\n";
const std::string kScorerRefused =
    std::to_string(SIDECORE_ERROR_ARGUMENT) + " the scorer was opened by another process\n";

/// Calls every function of a decoder, then closes it and releases its picture.
std::string use_and_close(Decoder& decoder, Picture& picture, std::vector<std::uint8_t>& packet) {
  sidecore_picture* next = nullptr;
  sidecore_decoder_statistics counted{};
  counted.size = sizeof counted;
  std::string said =
      told(sidecore_decoder_send(decoder.get(), packet.data(), packet.size(), 0, nullptr));
  said += told(sidecore_decoder_get_picture(decoder.get(), &next));
  said += told(sidecore_decoder_drain(decoder.get()));
  said += told(sidecore_decoder_flush(decoder.get()));
  said += told(sidecore_decoder_get_statistics(decoder.get(), &counted));
  decoder.reset();
  picture.reset();
  return said;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int time = 0; time < times; ++time) all += text;
  return all;
}

/// Forks in mid-stream, with pictures in work and one picture held.
void fork_while_decoding(const sidecore_decoder_options& options) {
  Packets packets = packets_of("size-66x66");
  Decoder decoder = open(options);
  std::vector<Picture> pictures;
  std::string in_the_child;
  for (std::size_t index = 0; index < packets.size(); ++index) {
    ASSERT_EQ(sidecore_decoder_send(decoder.get(), packets[index].data(), packets[index].size(), 0,
                                    nullptr),
              SIDECORE_OK);
    take(decoder, pictures);
    if (!in_the_child.empty() || pictures.empty()) continue;
    in_the_child = in_child([&] { return use_and_close(decoder, pictures[0], packets[index]); });
  }
  EXPECT_EQ(in_the_child, repeated(kDecoderRefused, 5));
  ASSERT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  take(decoder, pictures);
  EXPECT_EQ(checksums(pictures), frame_checksums("size-66x66"));
}

TEST(CapiFork, ADecoderIsClosedInAChildAndGoesOnInItsParent) {
  for (const int threads : {1, 2, 4}) {
    SCOPED_TRACE(threads);
    fork_while_decoding(options_of(threads));
  }
}

TEST(CapiFork, ADecoderThatHasDecodedNothingIsClosed) {
  for (const int threads : {1, 4}) {
    Decoder decoder = open(options_of(threads));
    EXPECT_EQ(in_child([&] {
                decoder.reset();
                return std::string("closed");
              }),
              "closed");
  }
}

TEST(CapiFork, ADecoderWithStagesOnADeviceIsClosed) {
  for (const char* const plan : {"qpu", "loop_filter=qpu"}) {
    SCOPED_TRACE(plan);
    sidecore_decoder_options options = options_of(2);
    ASSERT_EQ(sidecore_plan_parse(plan, &options.plan), SIDECORE_OK);
    options.device = "cpu";
    fork_while_decoding(options);
  }
}

TEST(CapiFork, AnAllocatorIsNotCalledInAChild) {
  Packets packets = packets_of("size-66x66");
  int released = 0;
  sidecore_decoder_options options = options_of(2);
  options.low_delay = 1;
  options.allocator.cookie = &released;
  options.allocator.allocate = [](void*, const sidecore_memory_layout* layout) {
    return std::aligned_alloc(layout->alignment, layout->bytes);
  };
  options.allocator.release = [](void* count, void* data) {
    ++*static_cast<int*>(count);
    std::free(data);
  };
  Decoder decoder = open(options);
  std::vector<Picture> pictures;
  packets.resize(2);
  EXPECT_EQ(send(decoder, packets, pictures), std::vector<int>(2, SIDECORE_OK));
  EXPECT_EQ(in_child([&] {
              decoder.reset();
              pictures.clear();
              return std::to_string(released);
            }),
            "0");
  decoder.reset();
  pictures.clear();
  EXPECT_GT(released, 0);
}

TEST(CapiFork, AChildReadsAPictureThatTheCpuMade) {
  Packets packets = packets_of("size-66x66");
  const std::vector<Picture> pictures = decode(options_of(2), packets);
  EXPECT_EQ(in_child([&] { return checksum(pictures.front()); }),
            frame_checksums("size-66x66").front());
}

TEST(CapiFork, AChildOpensADecoderOfItsOwn) {
  Packets packets = packets_of("size-66x66");
  const Decoder open_in_the_parent = open(options_of(3));
  EXPECT_EQ(in_child([&] {
              std::string sums;
              for (const std::string& sum : checksums(decode(options_of(3), packets))) sums += sum;
              return sums.substr(0, 900);
            }),
            [] {
              std::string sums;
              for (const std::string& sum : frame_checksums("size-66x66")) sums += sum;
              return sums.substr(0, 900);
            }());
}

TEST(CapiFork, AScorerIsClosedInAChildAndGoesOnInItsParent) {
  static const char* const kFeatures[] = {"float_psnr", "float_ssim"};
  constexpr int kSize = 64;
  const std::vector<std::uint8_t> samples(std::size_t{kSize} * kSize, 100);
  sidecore_planes planes{};
  planes.size = sizeof planes;
  planes.data[0] = samples.data();
  planes.stride[0] = kSize;
  for (const int threads : {1, 3}) {
    sidecore_scorer_options options{};
    options.size = sizeof options;
    options.features = kFeatures;
    options.feature_count = 2;
    options.width = options.height = kSize;
    options.bits = 8;
    options.threads = threads;
    sidecore_scorer* opened = nullptr;
    ASSERT_EQ(sidecore_scorer_open(&opened, &options), SIDECORE_OK) << sidecore_last_error();
    Scorer scorer(opened);
    ASSERT_EQ(sidecore_scorer_push(opened, &planes, &planes), SIDECORE_OK);
    double score = -1;
    EXPECT_EQ(in_child([&] {
                std::string said = told(sidecore_scorer_push(opened, &planes, &planes));
                said += told(sidecore_scorer_drain(opened));
                said += told(sidecore_scorer_score(opened, 0, 0, &score));
                said += told(sidecore_scorer_pooled(opened, 0, SIDECORE_POOLING_MEAN, &score));
                scorer.reset();
                return said;
              }),
              repeated(kScorerRefused, 4));
    ASSERT_EQ(sidecore_scorer_drain(opened), SIDECORE_OK);
    ASSERT_EQ(sidecore_scorer_score(opened, 0, 1, &score), SIDECORE_OK);
    EXPECT_EQ(score, 1);
  }
}

}  // namespace
}  // namespace sidecore
