// Tests of the VA-API driver with damaged streams and hostile players.
#include <gtest/gtest.h>
#include <va/va_drmcommon.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "environment_variable.h"
#include "forked_child.h"
#include "va/player.h"

namespace sidecore {
namespace {

using test::any_contains;
using test::Bytes;
using test::checksums_of;
using Variable = test::EnvironmentVariable;
using test::expect_status;
using test::frames_of;
using test::OpenDisplay;
using test::Player;

class VaDamage : public ::testing::Test {
 protected:
  /// Returns the first five of a stream's items, followed by the same five. All five frames are
  /// shown, and frames 0 and 5 are key frames.
  template <class Item>
  static std::vector<Item> twice(std::vector<Item> items) {
    items.resize(5);
    items.insert(items.end(), items.begin(), items.begin() + 5);
    return items;
  }
  std::vector<Bytes> frames_ = twice(frames_of("no-alt-ref"));
  std::vector<std::string> expected_ = twice(checksums_of("no-alt-ref"));
  OpenDisplay display_;
  Player player_{display_};

  /// Decodes `count` frames, of which the first has index `first`.
  void decode(std::size_t first, std::size_t count) {
    for (std::size_t index = first; index < first + count; ++index) {
      expect_status(player_.decode(frames_[index]));
    }
  }
};

TEST_F(VaDamage, ADamagedHeaderCostsItsPicture) {
  decode(0, 2);
  Bytes damaged = frames_[2];
  damaged.resize(12);  // this is shorter than the frame's headers
  expect_status(player_.decode(damaged), VA_STATUS_ERROR_DECODING_ERROR);
  decode(3, 7);
  ASSERT_EQ(player_.checksums().size(), 9U);
  EXPECT_EQ(player_.checksums()[1], expected_[1]);
  for (std::size_t index = 5; index < 10; ++index) {
    EXPECT_EQ(player_.checksums()[index - 1], expected_[index]) << index;
  }
}

TEST_F(VaDamage, DamageThatIsFoundLaterIsConcealed) {
  decode(0, 2);
  Bytes damaged = frames_[2];
  damaged.resize(damaged.size() / 2);
  expect_status(player_.decode(damaged));
  // The concealed picture equals the picture in the reference slot LAST.
  EXPECT_EQ(player_.checksums()[2], expected_[1]);
  EXPECT_TRUE(any_contains(display_.messages(), "cut short; the picture is concealed"));
  decode(3, 7);
  for (std::size_t index = 5; index < 10; ++index) {
    EXPECT_EQ(player_.checksums()[index], expected_[index]) << index;
  }
}

// Later frames do not state their 10 bits; only the damaged key frame does.
TEST(VaDamageOf10Bits, ADamagedFirstFrameDoesNotCostThoseBehindIt) {
  std::vector<Bytes> frames = frames_of("profile-2-10");
  frames[0].resize(frames[0].size() / 2);
  OpenDisplay display;
  Player player(display);
  player.decode_all(frames);
  const std::vector<std::string> messages = display.messages();
  EXPECT_TRUE(any_contains(messages, "cut short; the picture is concealed"));
  EXPECT_FALSE(any_contains(messages, "cannot predict"));
}

TEST_F(VaDamage, FramesMayBeCutAnywhere) {
  decode(0, 3);
  std::size_t failed = 0;
  std::size_t concealed = 0;
  for (std::size_t cut = 1; cut < frames_[3].size(); cut += 1 + cut / 8) {
    Bytes damaged(frames_[3].begin(), frames_[3].begin() + static_cast<std::ptrdiff_t>(cut));
    try {
      const VAStatus status = player_.decode(damaged);
      if (status == VA_STATUS_SUCCESS) ++concealed;
      if (status != VA_STATUS_SUCCESS) ++failed;
    } catch (const Error&) {  // the packet is so damaged that the player's own parser rejects it
    }
  }
  EXPECT_GT(failed, 0U);
  EXPECT_GT(concealed, 0U);
  decode(5, 5);
  EXPECT_EQ(std::vector(player_.checksums().end() - 5, player_.checksums().end()),
            std::vector(expected_.begin() + 5, expected_.begin() + 10));
}

TEST_F(VaDamage, AFrameThatNamesAMissingReferenceIsRefused) {
  decode(0, 2);
  player_.lost_slots = 0xff;
  expect_status(player_.decode(frames_[2]), VA_STATUS_ERROR_DECODING_ERROR);
  EXPECT_TRUE(any_contains(display_.messages(), "the stream does not begin with a key frame"));
  // The player hides only the slot of the reference LAST from the driver.
  vp9::HeaderContext context;
  context.slot_sizes.fill({176, 144});
  context.slot_pixels.fill({video::Chroma::c420, 8});
  const vp9::FrameHeader header = vp9::parse_frame_header(frames_[2], context);
  ASSERT_NE(header.reference_slots[0], header.reference_slots[2]);
  player_.lost_slots = static_cast<std::uint8_t>(1U << header.reference_slots[0]);
  expect_status(player_.decode(frames_[2]), VA_STATUS_ERROR_DECODING_ERROR);
  EXPECT_TRUE(any_contains(display_.messages(), ", which holds no frame\n"));
  player_.lost_slots = 0;
  decode(5, 2);
  EXPECT_EQ(player_.checksums().back(), expected_[6]);
}

class VaHostile : public ::testing::Test {
 protected:
  const Variable heap_{"SIDECORE_DMA_HEAP", "off"};
  OpenDisplay display_;
  VAConfigID config_ = display_.config(VAProfileVP9Profile0);
  VAContextID context_ = display_.context(config_, 66, 66);
  VASurfaceID surface_ = display_.surfaces(1, 66, 66).front();
  Bytes frame_ = frames_of("size-66x66").front();
  VADecPictureParameterBufferVP9 picture_ = [] {
    VADecPictureParameterBufferVP9 picture{};
    picture.frame_width = 66;
    picture.frame_height = 66;
    std::ranges::fill(picture.reference_frames, VA_INVALID_SURFACE);
    return picture;
  }();
  VASliceParameterBufferVP9 slice_ = [this] {
    VASliceParameterBufferVP9 slice{};
    slice.slice_data_size = static_cast<std::uint32_t>(frame_.size());
    return slice;
  }();

  /// Returns true if the whole surface is black.
  bool is_black(VASurfaceID surface) {
    VAImage image{};
    expect_status(vaDeriveImage(display_, surface, &image));
    void* data = nullptr;
    expect_status(vaMapBuffer(display_, image.buf, &data));
    const std::vector<std::uint8_t> samples =
        test::planes_of(image, static_cast<const std::uint8_t*>(data), 66, 66);
    expect_status(vaDestroyImage(display_, image.image_id));
    const auto chroma = samples.begin() + std::ptrdiff_t{66} * 66;
    return std::all_of(samples.begin(), chroma, [](int sample) { return sample == 0; }) &&
           std::all_of(chroma, samples.end(), [](int sample) { return sample == 128; });
  }

  /// Decodes one picture. Returns the status of the first call that fails, or of EndPicture.
  VAStatus decode(VASurfaceID surface) {
    VAStatus status = vaBeginPicture(display_, context_, surface);
    std::array buffers{
        display_.buffer(context_, VAPictureParameterBufferType, &picture_, sizeof picture_),
        display_.buffer(context_, VASliceParameterBufferType, &slice_, sizeof slice_),
        display_.buffer(context_, VASliceDataBufferType, frame_.data(), frame_.size())};
    if (status == VA_STATUS_SUCCESS) {
      status = vaRenderPicture(display_, context_, buffers.data(), 3);
    }
    if (status == VA_STATUS_SUCCESS) status = vaEndPicture(display_, context_);
    for (const VABufferID id : buffers) expect_status(vaDestroyBuffer(display_, id));
    return status;
  }
};

TEST_F(VaHostile, IdsThatThereAreNotAreRefused) {
  for (const VAGenericID id : {VA_INVALID_ID, VAGenericID{0}, VAGenericID{0x7fffffff}}) {
    VASurfaceID surface = id;
    VAImage image{};
    VASurfaceStatus surface_status{};
    void* data = nullptr;
    VAContextID context = VA_INVALID_ID;
    VABufferID buffer = id;
    expect_status(vaDestroyConfig(display_, id), VA_STATUS_ERROR_INVALID_CONFIG);
    expect_status(vaCreateContext(display_, id, 64, 64, 0, nullptr, 0, &context),
                  VA_STATUS_ERROR_INVALID_CONFIG);
    expect_status(vaCreateContext(display_, config_, 64, 64, 0, &surface, 1, &context),
                  VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaDestroyContext(display_, id), VA_STATUS_ERROR_INVALID_CONTEXT);
    expect_status(vaDestroySurfaces(display_, &surface, 1), VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaSyncSurface(display_, id), VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaQuerySurfaceStatus(display_, id, &surface_status),
                  VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaDeriveImage(display_, id, &image), VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaDestroyImage(display_, id), VA_STATUS_ERROR_INVALID_IMAGE);
    expect_status(vaGetImage(display_, surface_, 0, 0, 2, 2, id), VA_STATUS_ERROR_INVALID_IMAGE);
    expect_status(vaMapBuffer(display_, id, &data), VA_STATUS_ERROR_INVALID_BUFFER);
    expect_status(vaUnmapBuffer(display_, id), VA_STATUS_ERROR_INVALID_BUFFER);
    expect_status(vaDestroyBuffer(display_, id), VA_STATUS_ERROR_INVALID_BUFFER);
    expect_status(vaBeginPicture(display_, id, surface_), VA_STATUS_ERROR_INVALID_CONTEXT);
    expect_status(vaBeginPicture(display_, context_, id), VA_STATUS_ERROR_INVALID_SURFACE);
    expect_status(vaEndPicture(display_, id), VA_STATUS_ERROR_INVALID_CONTEXT);
    expect_status(vaBeginPicture(display_, context_, surface_));
    expect_status(vaRenderPicture(display_, context_, &buffer, 1), VA_STATUS_ERROR_INVALID_BUFFER);
    expect_status(vaEndPicture(display_, context_), VA_STATUS_ERROR_INVALID_BUFFER);
  }
}

// A rejected call leaves no object: all ids come from one counter, which does not advance.
TEST_F(VaHostile, NullPointersAreRefused) {
  const VABufferID data =
      display_.buffer(context_, VASliceDataBufferType, frame_.data(), frame_.size());
  VAImageFormat format{};
  format.fourcc = VA_FOURCC_NV12;
  VAImage image{};
  VAProfile profile{};
  VAEntrypoint entry_point{};
  VAConfigAttrib attribute{VAConfigAttribRTFormat, VA_RT_FORMAT_YUV420};
  std::array<VAConfigAttrib, 16> attributes{};
  std::array<VAProfile, 16> profiles{};
  unsigned flags = 0;
  int count = 1;
  VAGenericID id = VA_INVALID_ID;
  VASurfaceID surface = surface_;
  VABufferID buffer = data;
  constexpr auto kProfile = VAProfileVP9Profile0;
  constexpr auto kEntryPoint = VAEntrypointVLD;
  constexpr unsigned kFormat = VA_RT_FORMAT_YUV420;
  const VAConfigID before = display_.config(kProfile);
  const std::array statuses{
      vaQueryConfigProfiles(display_, nullptr, &count),
      vaQueryConfigProfiles(display_, profiles.data(), nullptr),
      vaQueryConfigEntrypoints(display_, kProfile, nullptr, &count),
      vaQueryConfigEntrypoints(display_, kProfile, &entry_point, nullptr),
      vaGetConfigAttributes(display_, kProfile, kEntryPoint, nullptr, 1),
      vaGetConfigAttributes(display_, kProfile, kEntryPoint, &attribute, -1),
      vaCreateConfig(display_, kProfile, kEntryPoint, nullptr, 1, &id),
      vaCreateConfig(display_, kProfile, kEntryPoint, &attribute, -1, &id),
      vaCreateConfig(display_, kProfile, kEntryPoint, &attribute, 1, nullptr),
      vaQueryConfigAttributes(display_, config_, nullptr, &entry_point, attributes.data(), &count),
      vaQueryConfigAttributes(display_, config_, &profile, nullptr, attributes.data(), &count),
      vaQueryConfigAttributes(display_, config_, &profile, &entry_point, nullptr, &count),
      vaQueryConfigAttributes(display_, config_, &profile, &entry_point, attributes.data(),
                              nullptr),
      vaQuerySurfaceAttributes(display_, config_, nullptr, nullptr),
      vaCreateSurfaces(display_, kFormat, 64, 64, nullptr, 1, nullptr, 0),
      vaCreateSurfaces(display_, kFormat, 64, 64, &id, 1, nullptr, 1),
      vaDestroySurfaces(display_, nullptr, 2),
      vaDestroySurfaces(display_, &surface, -1),
      vaQuerySurfaceStatus(display_, surface_, nullptr),
      vaCreateContext(display_, config_, 64, 64, 0, nullptr, 0, nullptr),
      vaCreateContext(display_, config_, 64, 64, 0, nullptr, 1, &id),
      vaCreateContext(display_, config_, 64, 64, 0, &surface, -1, &id),
      vaCreateBuffer(display_, context_, VASliceDataBufferType, 1, 1, nullptr, nullptr),
      vaMapBuffer(display_, data, nullptr),
      vaQueryImageFormats(display_, nullptr, &count),
      vaQueryImageFormats(display_, &format, nullptr),
      vaCreateImage(display_, nullptr, 64, 64, &image),
      vaCreateImage(display_, &format, 64, 64, nullptr),
      vaDeriveImage(display_, surface_, nullptr),
      vaQuerySubpictureFormats(display_, &format, &flags, nullptr),
      vaQueryDisplayAttributes(display_, nullptr, nullptr),
  };
  for (std::size_t call = 0; call < statuses.size(); ++call) {
    EXPECT_EQ(statuses[call], VA_STATUS_ERROR_INVALID_PARAMETER) << "call " << call;
  }
  expect_status(vaBeginPicture(display_, context_, surface_));
  expect_status(vaRenderPicture(display_, context_, nullptr, 1), VA_STATUS_ERROR_INVALID_PARAMETER);
  expect_status(vaRenderPicture(display_, context_, &buffer, -1),
                VA_STATUS_ERROR_INVALID_PARAMETER);
  expect_status(vaRenderPicture(display_, context_, nullptr, 0));
  EXPECT_EQ(display_.config(kProfile), before + 1);
  expect_status(vaDestroySurfaces(display_, nullptr, 0));
  expect_status(vaSyncSurface(display_, surface_));  // the surface still exists
  expect_status(decode(surface_));
}

TEST_F(VaHostile, PicturesThatAreNotWholeAreRefused) {
  expect_status(vaEndPicture(display_, context_), VA_STATUS_ERROR_OPERATION_FAILED);
  VABufferID data = display_.buffer(context_, VASliceDataBufferType, frame_.data(), frame_.size());
  expect_status(vaRenderPicture(display_, context_, &data, 1), VA_STATUS_ERROR_OPERATION_FAILED);
  expect_status(vaBeginPicture(display_, context_, surface_));
  expect_status(vaRenderPicture(display_, context_, &data, 1));
  expect_status(vaRenderPicture(display_, context_, &data, 1), VA_STATUS_ERROR_INVALID_BUFFER);
  expect_status(vaEndPicture(display_, context_), VA_STATUS_ERROR_INVALID_BUFFER);
  expect_status(vaDestroyBuffer(display_, data));
  expect_status(decode(surface_));
}

TEST_F(VaHostile, BuffersOfWrongSizesAreRefused) {
  VABufferID id = VA_INVALID_ID;
  expect_status(vaCreateBuffer(display_, context_, VASliceDataBufferType, 0, 1, nullptr, &id),
                VA_STATUS_ERROR_INVALID_PARAMETER);
  expect_status(vaCreateBuffer(display_, context_, VASliceDataBufferType, 0xffffffff, 0xffffffff,
                               nullptr, &id),
                VA_STATUS_ERROR_INVALID_PARAMETER);
  expect_status(vaCreateBuffer(display_, context_, VAIQMatrixBufferType, 64, 1, nullptr, &id),
                VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE);
  for (const VABufferType type : {VAPictureParameterBufferType, VASliceParameterBufferType}) {
    id = display_.buffer(context_, type, &picture_, 16);
    expect_status(vaBeginPicture(display_, context_, surface_));
    expect_status(vaRenderPicture(display_, context_, &id, 1), VA_STATUS_ERROR_INVALID_BUFFER);
    expect_status(vaBufferSetNumElements(display_, id, 2), VA_STATUS_ERROR_INVALID_PARAMETER);
    expect_status(vaDestroyBuffer(display_, id));
  }
  const VASliceParameterBufferVP9 whole = slice_;
  slice_.slice_data_offset = 1;
  expect_status(decode(surface_), VA_STATUS_ERROR_INVALID_PARAMETER);
  slice_.slice_data_offset = 0xffffffff;
  expect_status(decode(surface_), VA_STATUS_ERROR_INVALID_PARAMETER);
  slice_ = whole;
  slice_.slice_data_size = 0;
  expect_status(decode(surface_), VA_STATUS_ERROR_INVALID_PARAMETER);
  slice_ = whole;
  slice_.slice_data_flag = VA_SLICE_DATA_FLAG_BEGIN;
  expect_status(decode(surface_), VA_STATUS_ERROR_INVALID_PARAMETER);
  slice_ = whole;
  expect_status(decode(surface_));
}

TEST_F(VaHostile, ARefusedPictureLeavesNoOlderOneInItsSurface) {
  EXPECT_TRUE(is_black(surface_));
  expect_status(decode(surface_));
  EXPECT_FALSE(is_black(surface_));
  frame_[0] = 0;  // damages the frame marker
  expect_status(decode(surface_), VA_STATUS_ERROR_DECODING_ERROR);
  EXPECT_TRUE(is_black(surface_));
}

TEST_F(VaHostile, SizesThatDoNotAgreeAreRefused) {
  expect_status(decode(display_.surfaces(1, 65, 66).front()), VA_STATUS_ERROR_DECODING_ERROR);
  expect_status(decode(display_.surfaces(1, 66, 66, 10).front()), VA_STATUS_ERROR_INVALID_SURFACE);
  picture_.frame_width = 64;
  expect_status(decode(surface_), VA_STATUS_ERROR_DECODING_ERROR);
  picture_.frame_width = 66;
  frame_ = frames_of("profile-2-10").front();
  slice_.slice_data_size = static_cast<std::uint32_t>(frame_.size());
  picture_.frame_width = 176;
  picture_.frame_height = 144;
  expect_status(decode(display_.surfaces(1, 176, 144).front()), VA_STATUS_ERROR_DECODING_ERROR);
  VAContextID context = VA_INVALID_ID;
  expect_status(vaCreateContext(display_, config_, 16385, 64, 0, nullptr, 0, &context),
                VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED);
  VASurfaceID surface = VA_INVALID_ID;
  expect_status(vaCreateSurfaces(display_, VA_RT_FORMAT_YUV420, 0, 64, &surface, 1, nullptr, 0),
                VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED);
  expect_status(vaCreateSurfaces(display_, VA_RT_FORMAT_YUV444, 64, 64, &surface, 1, nullptr, 0),
                VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT);
}

// After fork() only the parent has the streams' threads.
TEST_F(VaHostile, AForkedChildEndsTheDisplayAndCanDoNothingElse) {
  for (const bool decoded : {false, true}) {
    if (decoded) expect_status(decode(surface_));
    EXPECT_EQ(
        test::in_child([this] {
          VAConfigID config = VA_INVALID_ID;
          VASurfaceStatus state{};
          std::string said;
          for (const VAStatus status :
               {vaBeginPicture(display_, context_, surface_), vaEndPicture(display_, context_),
                vaSyncSurface(display_, surface_), vaQuerySurfaceStatus(display_, surface_, &state),
                vaCreateConfig(display_, VAProfileVP9Profile0, VAEntrypointVLD, nullptr, 0,
                               &config),
                vaDestroySurfaces(display_, &surface_, 1), vaDestroyContext(display_, context_)}) {
            said += status == VA_STATUS_ERROR_OPERATION_FAILED ? "refused " : "? ";
          }
          return said + vaErrorStr(vaTerminate(display_));
        }),
        std::string("refused refused refused refused refused refused refused ") +
            vaErrorStr(VA_STATUS_SUCCESS));
  }
  expect_status(decode(surface_));
  expect_status(vaSyncSurface(display_, surface_));
}

TEST_F(VaHostile, RegionsOutsideOfASurfaceAreRefused) {
  expect_status(decode(surface_));
  VAImageFormat format{};
  format.fourcc = VA_FOURCC_NV12;
  VAImage image{};
  expect_status(vaCreateImage(display_, &format, 64, 64, &image));
  for (const auto& [x, y, width, height] : {std::array{-2, 0, 4, 4},
                                            {0, 64, 4, 4},
                                            {0, 0, 66, 4},
                                            {0, 0, 0, 4},
                                            {1, 0, 4, 4},
                                            {0x7ffffffe, 0, 4, 4}}) {
    expect_status(vaGetImage(display_, surface_, x, y, static_cast<unsigned>(width),
                             static_cast<unsigned>(height), image.image_id),
                  VA_STATUS_ERROR_INVALID_PARAMETER);
  }
  expect_status(vaGetImage(display_, surface_, 2, 2, 64, 64, image.image_id));
  format.fourcc = VA_FOURCC_P010;
  VAImage deep{};
  expect_status(vaCreateImage(display_, &format, 64, 64, &deep));
  expect_status(vaGetImage(display_, surface_, 0, 0, 4, 4, deep.image_id),
                VA_STATUS_ERROR_INVALID_IMAGE_FORMAT);
  format.fourcc = VA_FOURCC_RGBA;
  expect_status(vaCreateImage(display_, &format, 64, 64, &deep),
                VA_STATUS_ERROR_INVALID_IMAGE_FORMAT);
}

TEST_F(VaHostile, WhatItCannotDoIsRefused) {
  VAConfigID config = VA_INVALID_ID;
  expect_status(vaCreateConfig(display_, VAProfileH264High, VAEntrypointVLD, nullptr, 0, &config),
                VA_STATUS_ERROR_UNSUPPORTED_PROFILE);
  expect_status(
      vaCreateConfig(display_, VAProfileVP9Profile0, VAEntrypointEncSlice, nullptr, 0, &config),
      VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT);
  VAConfigAttrib deep{VAConfigAttribRTFormat, VA_RT_FORMAT_YUV420_10};
  expect_status(vaCreateConfig(display_, VAProfileVP9Profile0, VAEntrypointVLD, &deep, 1, &config),
                VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT);
  VADRMPRIMESurfaceDescriptor descriptor{};
  expect_status(vaExportSurfaceHandle(
                    display_, surface_, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2,
                    VA_EXPORT_SURFACE_READ_ONLY | VA_EXPORT_SURFACE_SEPARATE_LAYERS, &descriptor),
                VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
  EXPECT_TRUE(any_contains(display_.messages(), "surfaces cannot be exported: dma_heap is off"));
  VAImage image{};
  expect_status(vaDeriveImage(display_, surface_, &image));
  expect_status(vaPutImage(display_, surface_, image.image_id, 0, 0, 2, 2, 0, 0, 2, 2),
                VA_STATUS_ERROR_UNIMPLEMENTED);
}

}  // namespace
}  // namespace sidecore
