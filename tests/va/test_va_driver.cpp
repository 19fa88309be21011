// Tests of the VA-API driver through libva, with the calls of players.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <va/va_backend.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "src/vp9/decoder.h"
#include "va/player.h"
#include "vp9/rewritten_frames.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::checksum_of;
using test::checksums_of;
using test::expect_status;
using test::frames_of;
using test::OpenDisplay;
using test::Player;
using test::Resizing;

using EntryTable = std::vector<std::pair<const char*, bool>>;

/// Returns the entries that libva 1.x requires of a driver, and whether each is set.
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

// Checks the table without libva, because only some versions of libva reject an incomplete one.
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
  // libva has no public function that calls vaBufferInfo, so the test calls the table's entry.
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

/// Returns the number of streams that have begun.
std::ptrdiff_t streams_of(OpenDisplay& display) {
  return std::ranges::count_if(display.messages(), [](const std::string& line) {
    return line.find("sidecore: plan ") != std::string::npos;
  });
}

TEST(VaDriver, PicturesAreThoseOfFfmpegsDecoder) {
  OpenDisplay display;
  for (const char* const stream :
       {"size-1x1", "size-35x66", "size-66x66", "alt-ref", "aq-cyclic", "tile-rows",
        "profile-2-alt-ref", "profile-2-12", "size-7x9", "inactive"}) {
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
                                                {"profile-2-resize", VA_FOURCC_P010, true},
                                                {"profile-2-12", VA_FOURCC_P012, false},
                                                {"profile-2-12", VA_FOURCC_P012, true}}) {
    SCOPED_TRACE(stream);
    Player player(display);
    player.fourcc = static_cast<std::uint32_t>(fourcc);
    player.derived = derived;
    player.decode_all(frames_of(stream));
    EXPECT_EQ(player.checksums(), checksums_of(stream));
  }
}

// Profile 2 covers 10 and 12 bits, and its number does not say which of them a stream has.
TEST(VaDriver, ProfileTwoOffersBothDepthsUnlessOneIsAskedFor) {
  OpenDisplay display;
  VAConfigAttrib offered{VAConfigAttribRTFormat, 0};
  expect_status(vaGetConfigAttributes(display, VAProfileVP9Profile2, VAEntrypointVLD, &offered, 1));
  EXPECT_EQ(offered.value, unsigned{VA_RT_FORMAT_YUV420_10 | VA_RT_FORMAT_YUV420_12});
  using Fourccs = std::vector<std::uint32_t>;
  for (const auto& [format, fourccs] : {std::pair{0U, Fourccs{VA_FOURCC_P010, VA_FOURCC_P012}},
                                        {VA_RT_FORMAT_YUV420_10, Fourccs{VA_FOURCC_P010}},
                                        {VA_RT_FORMAT_YUV420_12, Fourccs{VA_FOURCC_P012}}}) {
    VAConfigAttrib asked{VAConfigAttribRTFormat, format};
    VAConfigID config = VA_INVALID_ID;
    expect_status(vaCreateConfig(display, VAProfileVP9Profile2, VAEntrypointVLD, &asked,
                                 format != 0 ? 1 : 0, &config));
    std::array<VASurfaceAttrib, 16> attributes{};
    unsigned count = attributes.size();
    expect_status(vaQuerySurfaceAttributes(display, config, attributes.data(), &count));
    Fourccs found;
    for (const VASurfaceAttrib& attribute : std::span(attributes).first(count)) {
      if (attribute.type != VASurfaceAttribPixelFormat) continue;
      found.push_back(static_cast<std::uint32_t>(attribute.value.value.i));
    }
    EXPECT_EQ(found, fourccs);
    const VASurfaceID ten = display.surfaces(1, 64, 64, 10).front();
    const VAContextID context = display.context(config, 64, 64);
    expect_status(vaBeginPicture(display, context, ten), format == VA_RT_FORMAT_YUV420_12
                                                             ? VA_STATUS_ERROR_INVALID_SURFACE
                                                             : VA_STATUS_SUCCESS);
    expect_status(vaDestroyContext(display, context));
  }
}

/// Returns checksums of a stream's pictures as read from surfaces of `bits` bits, plane after
/// plane.
std::vector<std::string> checksums_in(OpenDisplay& display, const std::string& stream, int bits) {
  Player player(display);
  player.other_bits = bits;
  player.fourcc = bits > 10 ? VA_FOURCC_P012 : VA_FOURCC_P010;
  player.decode_all(frames_of(stream));
  return player.checksums();
}

// ffmpeg before 6.0 makes surfaces of 10 bits for a stream of 12 bits, because it has no 12-bit
// format. The driver then drops the two lowest bits.
TEST(VaDriver, PicturesFitIntoSurfacesOfAnotherDepth) {
  OpenDisplay display;
  vp9::Decoder decoder;
  for (const auto& [stream, bits] : {std::pair{"profile-2-12", 10}, {"profile-2-resize", 12}}) {
    std::vector<std::string> expected;
    const bool narrow = bits == 10;
    const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      std::vector<std::uint8_t> samples;
      for (int plane = 0; plane < 3; ++plane) {
        const auto view = frame->visible<std::uint16_t>(plane);
        for (int y = 0; y < view.height; ++y) {
          for (int x = 0; x < view.width; ++x) {
            const int sample = narrow ? view.row(y)[x] >> 2 : view.row(y)[x] << 2;
            samples.push_back(static_cast<std::uint8_t>(sample & 0xff));
            samples.push_back(static_cast<std::uint8_t>(sample >> 8));
          }
        }
      }
      expected.push_back(checksum_of(samples));
    };
    for (const Bytes& frame : frames_of(stream)) decoder.decode(frame, show);
    decoder.flush(show);
    EXPECT_EQ(checksums_in(display, stream, bits), expected) << stream;
  }
  const std::vector<std::string> errors = display.errors();
  EXPECT_EQ(std::ranges::count_if(errors,
                                  [](const std::string& line) {
                                    return line.find("two lowest bits") != std::string::npos;
                                  }),
            1);
}

// A context ends in mid-stream, and references are in surfaces of the earlier pool.
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

// Some players make a new context and surfaces, before or after they destroy the old ones.
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

// An intra-only frame refreshes the slots that later frames use; the other slots were never filled.
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

// A second file uses surfaces of the first, which continues: the two streams do not share state.
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
  for (const int bits : {8, 10, 12}) {
    for (const int size : {1, 2, 33, 64, 353}) {
      VASurfaceID surface = display.surfaces(1, size, size, bits).front();
      VAImage derived{};
      expect_status(vaDeriveImage(display, surface, &derived));
      EXPECT_EQ(derived.format.fourcc, static_cast<unsigned>(bits > 10  ? VA_FOURCC_P012
                                                             : bits > 8 ? VA_FOURCC_P010
                                                                        : VA_FOURCC_NV12));
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

// The driver reuses the memory of a destroyed image for the next one, except that of a huge image.
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

// No picture is read, so surfaces get new pictures while their old ones are still being decoded.
TEST(VaDriver, SurfacesMayBeUsedAgainBeforeTheyAreRead) {
  const std::vector<Bytes> frames = frames_of("no-alt-ref");
  OpenDisplay display;
  Player player(display);
  // Player::decode() only queues each frame. The test waits for the last picture alone, and reads
  // only that.
  for (const Bytes& frame : frames) expect_status(player.decode(frame));
  VASurfaceStatus status = VASurfaceRendering;
  expect_status(vaSyncSurface2(display, player.target(), VA_TIMEOUT_INFINITE));
  expect_status(vaQuerySurfaceStatus(display, player.target(), &status));
  EXPECT_EQ(status, VASurfaceReady);
  EXPECT_EQ(player.checksums().back(), checksums_of("no-alt-ref").back());
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
    // The image keeps its surface alive until vaDestroyImage().
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

}  // namespace
}  // namespace sidecore
