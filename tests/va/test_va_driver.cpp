// The VA-API driver, through libva: what players do with it, and what hostile clients might.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "temporary_directory.h"
#include "va/player.h"
#include "vp9/rewritten_frames.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::expect_status;
using test::OpenDisplay;
using test::Player;
using test::Resizing;

std::vector<Bytes> frames_of(const std::string& stream) {
  return test::frames_of(test::corpus_packets(stream));
}

/// Of FFmpeg's own decoder.
std::vector<std::string> checksums_of(const std::string& stream) {
  return test::lines_of(SIDECORE_VP9_CORPUS "/" + stream + ".framemd5");
}

/// Sets a variable of the environment for a test's time.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

bool any_contains(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

using EntryTable = std::vector<std::pair<const char*, bool>>;

/// What libva 1.x looks for in a driver that it has loaded, and whether it is there.
EntryTable entries_of(const VADriverVTable& table) {
#define SIDECORE_ENTRY(name) \
  { #name, table.va##name != nullptr }
  return {SIDECORE_ENTRY(Terminate),
          SIDECORE_ENTRY(QueryConfigProfiles),
          SIDECORE_ENTRY(QueryConfigEntrypoints),
          SIDECORE_ENTRY(QueryConfigAttributes),
          SIDECORE_ENTRY(CreateConfig),
          SIDECORE_ENTRY(DestroyConfig),
          SIDECORE_ENTRY(GetConfigAttributes),
          SIDECORE_ENTRY(CreateSurfaces),
          SIDECORE_ENTRY(DestroySurfaces),
          SIDECORE_ENTRY(CreateContext),
          SIDECORE_ENTRY(DestroyContext),
          SIDECORE_ENTRY(CreateBuffer),
          SIDECORE_ENTRY(BufferSetNumElements),
          SIDECORE_ENTRY(MapBuffer),
          SIDECORE_ENTRY(UnmapBuffer),
          SIDECORE_ENTRY(DestroyBuffer),
          SIDECORE_ENTRY(BeginPicture),
          SIDECORE_ENTRY(RenderPicture),
          SIDECORE_ENTRY(EndPicture),
          SIDECORE_ENTRY(SyncSurface),
          SIDECORE_ENTRY(QuerySurfaceStatus),
          SIDECORE_ENTRY(QueryImageFormats),
          SIDECORE_ENTRY(CreateImage),
          SIDECORE_ENTRY(DeriveImage),
          SIDECORE_ENTRY(DestroyImage),
          SIDECORE_ENTRY(SetImagePalette),
          SIDECORE_ENTRY(GetImage),
          SIDECORE_ENTRY(PutImage),
          SIDECORE_ENTRY(QuerySubpictureFormats),
          SIDECORE_ENTRY(CreateSubpicture),
          SIDECORE_ENTRY(DestroySubpicture),
          SIDECORE_ENTRY(SetSubpictureImage),
          SIDECORE_ENTRY(SetSubpictureChromakey),
          SIDECORE_ENTRY(SetSubpictureGlobalAlpha),
          SIDECORE_ENTRY(AssociateSubpicture),
          SIDECORE_ENTRY(DeassociateSubpicture),
          SIDECORE_ENTRY(QueryDisplayAttributes),
          SIDECORE_ENTRY(GetDisplayAttributes),
          SIDECORE_ENTRY(SetDisplayAttributes)};
#undef SIDECORE_ENTRY
}

// Without libva: where one of them is missing, some versions of it refuse the driver.
TEST(VaEntries, AllThatLibvaInsistsOnAreThere) {
  void* const library =
      ::dlopen(SIDECORE_VA_DRIVERS "/sidecore_drv_video.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto initialise = reinterpret_cast<VADriverInit>(::dlsym(library, "__vaDriverInit_1_0"));
  ASSERT_NE(initialise, nullptr) << ::dlerror();
  VADriverVTable table{};
  VADriverContext driver{};
  driver.vtable = &table;
  ASSERT_EQ(initialise(&driver), VA_STATUS_SUCCESS);
  const EntryTable entries = entries_of(table);
  EXPECT_EQ(entries.size(), 39U);
  for (const auto& [name, there] : entries) EXPECT_TRUE(there) << name;
  EXPECT_GT(driver.max_profiles, 0);
  EXPECT_GT(driver.max_entrypoints, 0);
  EXPECT_GT(driver.max_attributes, 0);
  EXPECT_GT(driver.max_image_formats, 0);
  EXPECT_GT(driver.max_subpic_formats, 0);
  ASSERT_NE(driver.str_vendor, nullptr);
  EXPECT_TRUE(std::string_view(driver.str_vendor).starts_with("sidecore "));
  // libva has no function of its own for this one.
  VABufferType type{};
  unsigned bytes = 0;
  unsigned elements = 0;
  for (const VAStatus status : {table.vaBufferInfo(&driver, 1, nullptr, &bytes, &elements),
                                table.vaBufferInfo(&driver, 1, &type, nullptr, &elements),
                                table.vaBufferInfo(&driver, 1, &type, &bytes, nullptr)}) {
    expect_status(status, VA_STATUS_ERROR_INVALID_PARAMETER);
  }
  expect_status(table.vaTerminate(&driver));
  EXPECT_EQ(driver.pDriverData, nullptr);
  ::dlclose(library);
}

/// How many have begun.
std::ptrdiff_t streams_of(OpenDisplay& display) {
  return std::ranges::count_if(display.messages(), [](const std::string& line) {
    return line.find("sidecore: plan ") != std::string::npos;
  });
}

TEST(VaDriver, PicturesAreThoseOfFfmpegsDecoder) {
  OpenDisplay display;
  for (const char* const stream : {"size-1x1", "size-35x66", "size-66x66", "alt-ref", "aq-cyclic",
                                   "tile-rows", "profile-2-alt-ref", "size-7x9", "inactive"}) {
    SCOPED_TRACE(stream);
    Player player(display);
    player.decode_all(frames_of(stream));
    EXPECT_EQ(player.checksums(), checksums_of(stream));
  }
}

TEST(VaDriver, ImagesOfAllFormatsHoldThePicture) {
  OpenDisplay display;
  for (const auto& [stream, fourcc, derived] : {std::tuple{"size-35x66", VA_FOURCC_NV12, false},
                                                {"size-35x66", VA_FOURCC_YV12, false},
                                                {"size-35x66", VA_FOURCC_NV12, true},
                                                {"profile-2-resize", VA_FOURCC_P010, false},
                                                {"profile-2-resize", VA_FOURCC_P010, true}}) {
    SCOPED_TRACE(stream);
    Player player(display);
    player.fourcc = static_cast<std::uint32_t>(fourcc);
    player.derived = derived;
    player.decode_all(frames_of(stream));
    EXPECT_EQ(player.checksums(), checksums_of(stream));
  }
}

// A context ends in the middle of the stream, and references lie in surfaces of the pool before.
TEST(VaDriver, StreamsGoOnWhenPicturesChangeTheirSize) {
  OpenDisplay display;
  std::ptrdiff_t streams = 0;
  for (const Resizing style :
       {Resizing::new_context, Resizing::new_surfaces, Resizing::same_surfaces}) {
    for (const char* const stream : {"resize-half", "resize-tiny"}) {
      SCOPED_TRACE(stream + std::to_string(static_cast<int>(style)));
      Player player(display, style);
      player.decode_all(frames_of(stream));
      EXPECT_EQ(player.checksums(), checksums_of(stream));
      EXPECT_EQ(player.contexts() > 1, style == Resizing::new_context);
      EXPECT_EQ(streams_of(display), ++streams) << "whatever the number of contexts";
    }
  }
}

/// A stream with a key frame every five packets, of which parts are decoded. Each packet shows one
/// picture.
class VaSeek : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(packets_.size(), expected_.size());
    for (const std::size_t key : {5U, 20U, 30U}) ASSERT_TRUE(test::is_key_frame(packets_[key]));
  }
  void decode(Player& player, std::size_t begin, std::size_t end) {
    for (std::size_t index = begin; index < end; ++index) {
      player.decode_all(test::frames_of({packets_[index]}));
      ASSERT_FALSE(player.checksums().empty());
      EXPECT_EQ(player.checksums().back(), expected_[index]) << index;
    }
  }
  std::vector<Bytes> packets_ = test::corpus_packets("key-frames");
  std::vector<std::string> expected_ = checksums_of("key-frames");
  OpenDisplay display_;
};

TEST_F(VaSeek, AContextJumpsToALaterKeyFrameAndBack) {
  Player player(display_);
  decode(player, 0, 8);
  decode(player, 20, 23);
  decode(player, 5, 12);
  decode(player, 30, 36);
  EXPECT_EQ(player.contexts(), 1);
  EXPECT_EQ(streams_of(display_), 1);
}

// Some players make everything anew, before or after what was there has gone.
TEST_F(VaSeek, ANewContextEntersAtAKeyFrame) {
  Player first(display_);
  decode(first, 0, 3);
  {
    Player second(display_);
    decode(second, 20, 23);
    decode(first, 3, 5);
    decode(second, 23, 27);
  }
  Player third(display_);
  decode(third, 5, 12);
}

// It refreshes what the frames behind it refer to, and nothing has ever been in the other slots.
TEST_F(VaSeek, AStreamIsEnteredAtAnIntraOnlyFrame) {
  vp9::HeaderContext context;
  context.slot_sizes.fill({176, 144});
  context.slot_pixels.fill({video::Chroma::c420, 8});
  const Bytes next = test::frames_of({packets_[6]}).front();
  std::uint8_t needed = 0;
  for (const std::uint8_t slot : vp9::parse_frame_header(next, context).reference_slots) {
    needed = static_cast<std::uint8_t>(needed | 1U << slot);
  }
  ASSERT_NE(needed, 0xff);
  Player player(display_);
  expect_status(player.decode(test::as_intra_only(packets_[5], needed)));
  EXPECT_TRUE(player.checksums().empty());
  expect_status(player.decode(test::show_existing(0)));
  EXPECT_EQ(player.checksums(), std::vector(1, expected_[5]));
  EXPECT_EQ(std::ranges::count(player.slots, VA_INVALID_SURFACE), 8 - std::popcount(needed));
  decode(player, 6, 12);
}

// A second file in surfaces of the first, which goes on: neither knows of the other's state.
TEST(VaDriver, AKeyFrameBeginsAStreamWhateverReferencesItNames) {
  const std::vector<Bytes> frames = frames_of("alt-ref");
  const std::vector<Bytes> others = frames_of("aq-cyclic");
  OpenDisplay display;
  Player first(display);
  Player second(display);
  const std::size_t count = std::min(frames.size(), others.size());
  for (std::size_t index = 0; index < count; ++index) {
    expect_status(first.decode(frames[index]));
    if (index == 0) second.slots = first.slots;
    expect_status(second.decode(others[index]));
  }
  const auto expect_beginning = [](const Player& player, std::vector<std::string> expected) {
    ASSERT_GE(player.checksums().size(), 5U);
    expected.resize(player.checksums().size());
    EXPECT_EQ(player.checksums(), expected);
  };
  expect_beginning(first, checksums_of("alt-ref"));
  expect_beginning(second, checksums_of("aq-cyclic"));
  EXPECT_EQ(streams_of(display), 2);
}

// A packet of one byte that the driver never sees: the hidden picture is in its surface.
TEST(VaDriver, HiddenFramesCanBeShownLater) {
  std::vector<Bytes> packets = test::corpus_packets("alt-ref");
  std::vector<Bytes> frames;
  for (const Bytes& packet : packets) {
    const std::vector<Bytes> of_packet = test::frames_of({packet});
    frames.insert(frames.end(), of_packet.begin(), of_packet.end());
    if (of_packet.size() < 2) continue;
    for (std::uint8_t slot = 0; slot < 8; ++slot) {
      frames.push_back({static_cast<std::uint8_t>(0x88 | slot)});
    }
  }
  ASSERT_GT(frames.size(), packets.size() + 8);
  OpenDisplay display;
  Player player(display);
  player.decode_all(frames);
  EXPECT_GE(player.repeated(), 8);
  EXPECT_EQ(player.checksums(), test::decoded_checksums(frames));
}

TEST(VaDriver, SeveralStreamsAreDecodedAtATime) {
  OpenDisplay display;
  std::vector<std::thread> threads;
  for (const char* const stream : {"alt-ref", "profile-2-alt-ref", "resize-tiny"}) {
    threads.emplace_back([&display, stream] {
      Player player(display);
      player.decode_all(frames_of(stream));
      EXPECT_EQ(player.checksums(), checksums_of(stream)) << stream;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(VaDriver, CreatedAndDerivedImagesHaveOneLayout) {
  OpenDisplay display;
  for (const int bits : {8, 10}) {
    for (const int size : {1, 2, 33, 64, 353}) {
      VASurfaceID surface = display.surfaces(1, size, size, bits).front();
      VAImage derived{};
      expect_status(vaDeriveImage(display, surface, &derived));
      EXPECT_EQ(derived.format.fourcc,
                static_cast<unsigned>(bits > 8 ? VA_FOURCC_P010 : VA_FOURCC_NV12));
      VAImage created{};
      expect_status(vaCreateImage(display, &derived.format, size, size, &created));
      EXPECT_EQ(created.data_size, derived.data_size);
      for (unsigned plane = 0; plane < derived.num_planes; ++plane) {
        EXPECT_EQ(created.pitches[plane], derived.pitches[plane]);
        EXPECT_EQ(created.offsets[plane], derived.offsets[plane]);
      }
      expect_status(vaDestroyImage(display, derived.image_id));
      expect_status(vaDestroyImage(display, created.image_id));
      expect_status(vaSyncSurface(display, surface));
      expect_status(vaDestroySurfaces(display, &surface, 1));
    }
  }
}

// The memory of an image is the next one's, as it was left; but nobody keeps that of a huge one.
TEST(VaDriver, OnlyImagesOfUsualSizesAreMadeOfOldMemory) {
  OpenDisplay display;
  VAImageFormat format{};
  format.fourcc = VA_FOURCC_NV12;
  for (const int size : {4096, 8192}) {
    for (const bool again : {false, true}) {
      VAImage image{};
      expect_status(vaCreateImage(display, &format, size, size, &image));
      void* data = nullptr;
      expect_status(vaMapBuffer(display, image.buf, &data));
      auto& last = static_cast<std::uint8_t*>(data)[image.data_size - 1];
      EXPECT_EQ(last, again && size == 4096 ? 0xab : 0) << size;
      last = 0xab;
      expect_status(vaUnmapBuffer(display, image.buf));
      expect_status(vaDestroyImage(display, image.image_id));
    }
  }
}

TEST(VaDriver, APartOfASurfaceCanBeRead) {
  const std::vector<Bytes> frames = frames_of("size-35x66");
  OpenDisplay display;
  Player player(display);
  expect_status(player.decode(frames.front()));
  VAImageFormat format{};
  format.fourcc = VA_FOURCC_I420;
  const auto read = [&](int x, int y, int width, int height) {
    VAImage image{};
    expect_status(vaCreateImage(display, &format, width, height, &image));
    expect_status(vaGetImage(display, player.target(), x, y, static_cast<unsigned>(width),
                             static_cast<unsigned>(height), image.image_id));
    void* data = nullptr;
    expect_status(vaMapBuffer(display, image.buf, &data));
    auto samples = test::planes_of(image, static_cast<const std::uint8_t*>(data), width, height);
    expect_status(vaDestroyImage(display, image.image_id));
    return samples;
  };
  const std::vector<std::uint8_t> whole = read(0, 0, 35, 66);
  const std::vector<std::uint8_t> part = read(4, 10, 6, 2);
  ASSERT_EQ(part.size(), 12U + 3U + 3U);
  for (std::size_t y = 0; y < 2; ++y) {
    for (std::size_t x = 0; x < 6; ++x) {
      EXPECT_EQ(part[y * 6 + x], whole[(y + 10) * 35 + x + 4]);
    }
  }
  for (std::size_t x = 0; x < 3; ++x) {
    EXPECT_EQ(part[12 + x], whole[35 * 66 + 5 * 18 + x + 2]);
    EXPECT_EQ(part[15 + x], whole[35 * 66 + 33 * 18 + 5 * 18 + x + 2]);
  }
}

// Nobody looks at pictures: surfaces get new ones while theirs are still being decoded.
TEST(VaDriver, SurfacesMayBeUsedAgainBeforeTheyAreRead) {
  const std::vector<Bytes> frames = frames_of("no-alt-ref");
  OpenDisplay display;
  Player player(display);
  // Only the last picture is read; the others would be by decode().
  for (const Bytes& frame : frames) expect_status(player.decode(frame));
  VASurfaceStatus status = VASurfaceRendering;
  expect_status(vaSyncSurface2(display, player.target(), VA_TIMEOUT_INFINITE));
  expect_status(vaQuerySurfaceStatus(display, player.target(), &status));
  EXPECT_EQ(status, VASurfaceReady);
  EXPECT_EQ(player.checksums().back(), checksums_of("no-alt-ref").back());
}

class VaDamage : public ::testing::Test {
 protected:
  /// The first five of a stream, all of them shown, and the same once more: key frames are 0 and 5.
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

  /// Decodes so many frames from the one at `first`.
  void decode(std::size_t first, std::size_t count) {
    for (std::size_t index = first; index < first + count; ++index) {
      expect_status(player_.decode(frames_[index]));
    }
  }
};

TEST_F(VaDamage, ADamagedHeaderCostsItsPicture) {
  decode(0, 2);
  Bytes damaged = frames_[2];
  damaged.resize(12);  // less than its headers
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
  EXPECT_EQ(player_.checksums()[2], expected_[1]);  // what LAST was
  EXPECT_TRUE(any_contains(display_.messages(), "cut short; the picture is concealed"));
  decode(3, 7);
  for (std::size_t index = 5; index < 10; ++index) {
    EXPECT_EQ(player_.checksums()[index], expected_[index]) << index;
  }
}

// Frames behind it do not say themselves that they are of 10 bits.
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
    } catch (const Error&) {  // of the player's own parser
    }
  }
  EXPECT_GT(failed, 0U);
  EXPECT_GT(concealed, 0U);
  decode(5, 5);
  EXPECT_EQ(std::vector(player_.checksums().end() - 5, player_.checksums().end()),
            std::vector(expected_.begin() + 5, expected_.begin() + 10));
}

TEST_F(VaDamage, AMissingReferenceIsGrey) {
  decode(0, 2);
  player_.lost_slots = 0xff;
  expect_status(player_.decode(frames_[2]), VA_STATUS_ERROR_DECODING_ERROR);
  EXPECT_TRUE(any_contains(display_.messages(), "its references are missing"));
  // LAST alone.
  vp9::HeaderContext context;
  context.slot_sizes.fill({176, 144});
  context.slot_pixels.fill({video::Chroma::c420, 8});
  const vp9::FrameHeader header = vp9::parse_frame_header(frames_[2], context);
  ASSERT_NE(header.reference_slots[0], header.reference_slots[2]);
  player_.lost_slots = static_cast<std::uint8_t>(1U << header.reference_slots[0]);
  expect_status(player_.decode(frames_[2]));
  player_.lost_slots = 0;
  EXPECT_NE(player_.checksums()[2], expected_[2]);
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

  /// Whether all of a surface reads as black.
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

  /// One picture; what EndPicture, or the first call that failed, said.
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

// Nothing is left of a refused call: ids of all objects come from one counter, which stands still.
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
  expect_status(vaSyncSurface(display_, surface_));  // it is still there
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
  frame_[0] = 0;  // no frame marker
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
  EXPECT_TRUE(any_contains(display_.messages(), "no dma-buf: dma_heap is off"));
  VAImage image{};
  expect_status(vaDeriveImage(display_, surface_, &image));
  expect_status(vaPutImage(display_, surface_, image.image_id, 0, 0, 2, 2, 0, 0, 2, 2),
                VA_STATUS_ERROR_UNIMPLEMENTED);
}

TEST(VaLifetime, ObjectsMayGoWhilePicturesAreQueued) {
  const std::vector<Bytes> frames = frames_of("rate-high");
  for (const bool surfaces_first : {true, false}) {
    OpenDisplay display;
    VAConfigID config = display.config(VAProfileVP9Profile0);
    VAContextID context = display.context(config, 352, 288);
    std::vector<VASurfaceID> surfaces = display.surfaces(6, 352, 288);
    VADecPictureParameterBufferVP9 picture{};
    picture.frame_width = 352;
    picture.frame_height = 288;
    std::ranges::fill(picture.reference_frames, VA_INVALID_SURFACE);
    for (std::size_t index = 0; index < 3; ++index) {
      expect_status(vaBeginPicture(display, context, surfaces[index]));
      VASliceParameterBufferVP9 slice{};
      slice.slice_data_size = static_cast<std::uint32_t>(frames[index].size());
      picture.pic_fields.bits.frame_type = index > 0;
      std::array buffers{
          display.buffer(context, VAPictureParameterBufferType, &picture, sizeof picture),
          display.buffer(context, VASliceParameterBufferType, &slice, sizeof slice),
          display.buffer(context, VASliceDataBufferType, frames[index].data(),
                         frames[index].size())};
      expect_status(vaRenderPicture(display, context, buffers.data(), 3));
      expect_status(vaEndPicture(display, context));
      std::ranges::fill(picture.reference_frames, surfaces[index]);
    }
    VAImage image{};
    expect_status(vaDeriveImage(display, surfaces[2], &image));
    if (surfaces_first) {
      expect_status(vaDestroySurfaces(display, surfaces.data(), 6));
      expect_status(vaDestroyContext(display, context));
    } else {
      expect_status(vaDestroyContext(display, context));
    }
    // Its surface lives as long as the image.
    void* data = nullptr;
    expect_status(vaMapBuffer(display, image.buf, &data));
    EXPECT_NE(data, nullptr);
    expect_status(vaDestroyImage(display, image.image_id));
  }
}

TEST(VaLifetime, DisplaysMayBeOpenedJustToLook) {
  for (int time = 0; time < 20; ++time) {
    OpenDisplay display;
    EXPECT_TRUE(display.errors().empty());
    EXPECT_EQ(std::string(vaQueryVendorString(display)).rfind("sidecore", 0), 0U);
  }
}

/// What a context's display says of its settings: errors, and the stream's line.
using Told = std::pair<std::vector<std::string>, std::string>;
Told settings_told() {
  constexpr std::string_view kPrefix = "sidecore: ";
  OpenDisplay display;
  static_cast<void>(display.context(display.config(VAProfileVP9Profile0), 64, 64));
  const auto bare = [&](const std::string& line) {
    EXPECT_TRUE(line.starts_with(kPrefix) && line.ends_with('\n')) << line;
    return line.substr(kPrefix.size(), line.size() - kPrefix.size() - 1);
  };
  Told told;
  for (const std::string& line : display.errors()) told.first.push_back(bare(line));
  for (const std::string& line : display.messages()) {
    if (line.find("plan ") != std::string::npos) told.second = bare(line);
  }
  return told;
}

/// A plan of one processor, as a stream's line has it.
std::string plan_of(const std::string& all) {
  return "prediction=" + all + ",residual=" + all + ",intra=" + all + ",loop_filter=" + all;
}

TEST(VaSettings, ThePlanComesFromTheEnvironment) {
  const Variable plan("SIDECORE_PLAN", "loop_filter=scalar");
  const Variable threads("SIDECORE_THREADS", "3");
  const Variable times("SIDECORE_STAGE_TIMES", "on");
  OpenDisplay display;
  {
    Player player(display);
    player.decode_all(frames_of("alt-ref"));
    EXPECT_EQ(player.checksums(), checksums_of("alt-ref"));
  }
  EXPECT_TRUE(display.errors().empty());
  EXPECT_TRUE(any_contains(display.messages(),
                           "plan prediction=neon,residual=neon,intra=neon,loop_filter=scalar, "
                           "threads 3"));
  EXPECT_TRUE(any_contains(display.messages(), " pictures decoded, 0 concealed, parsing 0."));
}

TEST(VaSettings, ThePlanComesFromAFile) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write("sidecore.conf",
                                    "# who does what\nplan = scalar  # all of it\n\nthreads=2\n"));
  const Variable home("XDG_CONFIG_HOME", directory.path());
  OpenDisplay display;
  static_cast<void>(display.context(display.config(VAProfileVP9Profile0), 64, 64));
  EXPECT_TRUE(display.errors().empty());
  EXPECT_TRUE(any_contains(display.messages(), "intra=scalar,loop_filter=scalar, threads 2"));
}

TEST(VaSettings, WhatIsWrongIsOneLine) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write("sidecore.conf", "threads = many\nthreads = 1\nplam = qpu\n"));
  const Variable home("XDG_CONFIG_HOME", directory.path());
  const Variable plan("SIDECORE_PLAN", "loop_filter=gpu");
  OpenDisplay display;
  Player player(display);
  player.decode_all(frames_of("size-2x2"));
  EXPECT_EQ(player.checksums(), checksums_of("size-2x2"));
  const std::vector<std::string> errors = display.errors();
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_NE(errors[0].find("sidecore.conf, line 1: threads: 'many' is not 1 to 256"),
            std::string::npos);
  EXPECT_NE(errors[1].find("line 3: 'plam' is none of"), std::string::npos);
  EXPECT_NE(errors[2].find("SIDECORE_PLAN: plan: 'loop_filter=gpu' is neither"), std::string::npos);
  EXPECT_TRUE(any_contains(display.messages(), "loop_filter=neon, threads 1"));
}

TEST(VaSettings, VariablesAreTrimmedAndEmptyOnesAreUnset) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write("sidecore.conf", "plan = scalar\nthreads = 3\n"));
  const Variable home("XDG_CONFIG_HOME", directory.path());
  const Variable plan("SIDECORE_PLAN", "");
  const Variable device("SIDECORE_DEVICE", "");
  const Variable times("SIDECORE_STAGE_TIMES", " \t");
  const Variable heap("SIDECORE_DMA_HEAP", "");
  const Variable threads("SIDECORE_THREADS", " 2\n");
  EXPECT_EQ(settings_told(), Told({}, "plan " + plan_of("scalar") + ", threads 2"));
}

TEST(VaSettings, AFileMayBeALinkOrBeginWithAByteOrderMark) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_symlink(
      directory.write("elsewhere", "\xef\xbb\xbfplan = scalar\r\nthreads = 2\r\n"),
      directory / "sidecore.conf");
  const Variable home("XDG_CONFIG_HOME", directory.path());
  EXPECT_EQ(settings_told(), Told({}, "plan " + plan_of("scalar") + ", threads 2"));
}

// What there is nothing to read of does not hang the player.
TEST(VaSettings, WhatIsNoFileIsOneLine) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "sidecore.conf";
  const Variable home("XDG_CONFIG_HOME", directory.path());
  const Variable threads("SIDECORE_THREADS", "1");
  const std::string plan = "plan " + plan_of("neon") + ", threads 1";
  const auto expect = [&](const std::string& error) {
    EXPECT_EQ(settings_told(), Told({"'" + path + "' is " + error}, plan));
    std::filesystem::remove(path);
  };
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect("not a regular file");
  std::filesystem::create_symlink("/dev/zero", path);
  expect("not a regular file");
  std::filesystem::create_directory(path);
  expect("not a regular file");
  static_cast<void>(directory.write("sidecore.conf", std::string(65537, '\n')));
  expect("larger than 64 KiB");
  static_cast<void>(directory.write("sidecore.conf", std::string(65536, '\n')));
  EXPECT_EQ(settings_told(), Told({}, plan));
}

// Players decode by themselves then.
TEST(VaSettings, APlanThatCannotBeFollowedIsRefusedAtTheContext) {
  const Variable plan("SIDECORE_PLAN", "qpu");
  const Variable device("SIDECORE_DEVICE", "no such device");
  OpenDisplay display;
  VAContextID context = VA_INVALID_ID;
  expect_status(vaCreateContext(display, display.config(VAProfileVP9Profile0), 64, 64, 0, nullptr,
                                0, &context),
                VA_STATUS_ERROR_OPERATION_FAILED);
  EXPECT_EQ(display.errors().size(), 1U);
}

// The first context waits for a Vulkan loader that is not there yet.
TEST(VaSettings, WhoAsksDoesNotWaitForADevice) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "loader";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Variable plan("SIDECORE_PLAN", "loop_filter=qpu");
  const Variable loader("SIDECORE_VULKAN_LOADER", path);
  OpenDisplay display;
  const VAConfigID config = display.config(VAProfileVP9Profile0);
  std::promise<void> may_ask;  // no thread can be made while a library is being loaded
  std::future<VAStatus> asked = std::async(std::launch::async, [&] {
    may_ask.get_future().wait();
    unsigned count = 0;
    return vaQuerySurfaceAttributes(display, config, nullptr, &count);
  });
  std::thread opening([&] {
    VAContextID context = VA_INVALID_ID;
    expect_status(vaCreateContext(display, config, 64, 64, 0, nullptr, 0, &context),
                  VA_STATUS_ERROR_OPERATION_FAILED);
  });
  const int writer = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);  // when it is being read
  EXPECT_GE(writer, 0);
  may_ask.set_value();
  EXPECT_EQ(asked.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  std::filesystem::remove(path);
  ::close(writer);  // no library, now or at a second try
  opening.join();
  expect_status(asked.get());
}

// The first stream was opened with its context; that of another file is with its first picture.
TEST(VaSettings, APlanThatCannotBeFollowedAnyMoreCostsPictures) {
  const Variable plan("SIDECORE_PLAN", "loop_filter=qpu");
  OpenDisplay display;
  const std::vector<Bytes> frames = frames_of("size-2x2");
  {
    Player first(display);
    expect_status(first.decode(frames[0]));
  }
  EXPECT_TRUE(display.errors().empty());
  Player second(display);
  {
    const Variable loader("SIDECORE_VULKAN_LOADER", "/no/such/loader");
    expect_status(second.decode(frames[0]), VA_STATUS_ERROR_OPERATION_FAILED);
  }
  ASSERT_EQ(display.errors().size(), 1U);
  EXPECT_NE(display.errors()[0].find("no Vulkan loader"), std::string::npos);
  second.decode_all(frames);
  EXPECT_EQ(second.checksums(), checksums_of("size-2x2"));
}

}  // namespace
}  // namespace sidecore
