// Tests surfaces that displays and GPUs import, with the substitute heap of tests/va/dma_heap.cpp.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <va/va_drmcommon.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "environment_variable.h"
#include "va/dma_heap.h"
#include "va/player.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::checksums_of;
using test::expect_status;
using test::ExportedSurface;
using test::frames_of;
using test::OpenDisplay;
using test::Player;
using test::Resizing;

constexpr unsigned kPrime = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2;

class VaExport : public ::testing::Test {
 protected:
  const test::EnvironmentVariable heap_{"SIDECORE_DMA_HEAP", "/dev/null"};
};

/// Returns the memory types that a display offers for surfaces, as a bit mask of libva.
unsigned memory_types(OpenDisplay& display) {
  const VAConfigID config = display.config(VAProfileVP9Profile0);
  std::array<VASurfaceAttrib, 16> attributes{};
  unsigned count = attributes.size();
  expect_status(vaQuerySurfaceAttributes(display, config, attributes.data(), &count));
  const auto* const found = std::find_if(
      attributes.begin(), attributes.begin() + count,
      [](const VASurfaceAttrib& one) { return one.type == VASurfaceAttribMemoryType; });
  EXPECT_LT(found, attributes.begin() + count);
  return static_cast<unsigned>(found->value.value.i);
}

/// Returns an integer attribute for making surfaces.
VASurfaceAttrib attribute(VASurfaceAttribType type) {
  VASurfaceAttrib made{};
  made.type = type;
  made.flags = VA_SURFACE_ATTRIB_SETTABLE;
  made.value.type = VAGenericValueTypeInteger;
  return made;
}

VAStatus export_to(OpenDisplay& display, VASurfaceID surface, unsigned memory,
                   VADRMPRIMESurfaceDescriptor* descriptor) {
  return vaExportSurfaceHandle(display, surface, memory,
                               VA_EXPORT_SURFACE_READ_ONLY | VA_EXPORT_SURFACE_COMPOSED_LAYERS,
                               descriptor);
}

// Exports all surfaces before the first picture, like mpv and GStreamer.
TEST_F(VaExport, PicturesAreThoseOfFfmpegsDecoder) {
  OpenDisplay display;
  for (const Player::Export way : {Player::Export::composed, Player::Export::separate}) {
    for (const char* const stream :
         {"size-1x1", "size-35x66", "alt-ref", "tile-rows", "profile-2-alt-ref"}) {
      SCOPED_TRACE(stream);
      Player player(display);
      player.exported = way;
      player.decode_all(frames_of(stream));
      EXPECT_EQ(player.checksums(), checksums_of(stream));
    }
  }
  const test::DmaWrites writes = test::dma_writes();
  EXPECT_GT(writes.begun, 0);
  EXPECT_EQ(writes.begun, writes.ended);
}

TEST_F(VaExport, StreamsGoOnWhenPicturesChangeTheirSize) {
  OpenDisplay display;
  for (const Resizing style :
       {Resizing::new_context, Resizing::new_surfaces, Resizing::same_surfaces}) {
    SCOPED_TRACE(static_cast<int>(style));
    Player player(display, style);
    player.exported = Player::Export::composed;
    player.decode_all(frames_of("resize-half"));
    EXPECT_EQ(player.checksums(), checksums_of("resize-half"));
  }
}

TEST_F(VaExport, SeveralPicturesInFlightLeaveTheLastOneInASurface) {
  OpenDisplay display;
  Player player(display);
  player.exported = Player::Export::composed;
  player.postponed = true;  // no picture is read while the player decodes
  player.decode_all(frames_of("alt-ref"));
  player.read_postponed();
  EXPECT_EQ(player.checksums(), checksums_of("alt-ref"));
  // Key frames, all of which go to one surface.
  const std::vector<Bytes> keys(6, frames_of("size-66x66").front());
  Player busy(display);
  busy.exported = Player::Export::composed;
  busy.one_surface = true;
  busy.postponed = true;
  busy.decode_all(keys);
  busy.read_postponed();
  for (const std::string& checksum : busy.checksums()) {
    EXPECT_EQ(checksum, checksums_of("size-66x66").front());
  }
}

TEST_F(VaExport, TheDescriptorSaysWherePlanesAre) {
  OpenDisplay display;
  for (const int bits : {8, 10, 12}) {
    const VASurfaceID surface = display.surfaces(1, 35, 67, bits).front();
    const ExportedSurface composed(display, surface, false);
    const ExportedSurface separate(display, surface, true);
    const VADRMPRIMESurfaceDescriptor& one = composed.descriptor();
    const VADRMPRIMESurfaceDescriptor& two = separate.descriptor();
    const std::uint32_t pitch = bits > 8 ? 128 : 64;
    for (const VADRMPRIMESurfaceDescriptor* const any : {&one, &two}) {
      EXPECT_EQ(any->fourcc, static_cast<unsigned>(bits > 10  ? VA_FOURCC_P012
                                                   : bits > 8 ? VA_FOURCC_P010
                                                              : VA_FOURCC_NV12));
      EXPECT_EQ(any->width, 35U);
      EXPECT_EQ(any->height, 67U);
      EXPECT_EQ(any->objects[0].drm_format_modifier, 0U);
      EXPECT_EQ(any->objects[0].size, pitch * (67 + 34));
    }
    ASSERT_EQ(one.num_layers, 1U);
    EXPECT_EQ(one.layers[0].drm_format, one.fourcc);
    EXPECT_EQ(one.layers[0].num_planes, 2U);
    EXPECT_EQ(one.layers[0].offset[1], pitch * 67);
    EXPECT_EQ(one.layers[0].pitch[0], pitch);
    EXPECT_EQ(one.layers[0].pitch[1], pitch);
    ASSERT_EQ(two.num_layers, 2U);
    EXPECT_EQ(two.layers[0].drm_format,
              bits > 8 ? VA_FOURCC('R', '1', '6', ' ') : VA_FOURCC('R', '8', ' ', ' '));
    EXPECT_EQ(two.layers[1].drm_format,
              bits > 8 ? VA_FOURCC('G', 'R', '3', '2') : VA_FOURCC('G', 'R', '8', '8'));
    EXPECT_EQ(two.layers[1].num_planes, 1U);
    EXPECT_EQ(two.layers[1].offset[0], pitch * 67);
    EXPECT_EQ(two.layers[1].pitch[0], pitch);
    // The two descriptors differ, but refer to the same memory.
    struct stat first {};
    struct stat second {};
    ASSERT_EQ(::fstat(one.objects[0].fd, &first), 0);
    ASSERT_EQ(::fstat(two.objects[0].fd, &second), 0);
    EXPECT_NE(one.objects[0].fd, two.objects[0].fd);
    EXPECT_EQ(first.st_ino, second.st_ino);
  }
}

TEST_F(VaExport, ASurfaceMayBeExportedWithItsPictureAndMayGoBeforeIt) {
  OpenDisplay display;
  const std::vector<Bytes> frames = frames_of("size-66x66");
  std::unique_ptr<ExportedSurface> kept;
  {
    Player player(display);
    player.postponed = true;
    player.decode_all({frames.begin(), frames.begin() + 1});
    // Exporting waits for the picture.
    kept = std::make_unique<ExportedSurface>(display, player.target(), true);
    EXPECT_EQ(test::checksum_of(kept->planes(66, 66)), checksums_of("size-66x66").front());
  }
  EXPECT_EQ(test::checksum_of(kept->planes(66, 66)), checksums_of("size-66x66").front());
}

TEST_F(VaExport, ASurfaceIsBlackBeforeItsFirstPictureAndAfterARefusedOne) {
  OpenDisplay display;
  const VAConfigID config = display.config(VAProfileVP9Profile0);
  const VAContextID context = display.context(config, 66, 66);
  const VASurfaceID surface = display.surfaces(1, 66, 66).front();
  const ExportedSurface exported(display, surface, false);
  const auto is_black = [&] {
    const std::vector<std::uint8_t> samples = exported.planes(66, 66);
    const auto chroma = samples.begin() + std::ptrdiff_t{66} * 66;
    return std::all_of(samples.begin(), chroma, [](int sample) { return sample == 0; }) &&
           std::all_of(chroma, samples.end(), [](int sample) { return sample == 128; });
  };
  EXPECT_TRUE(is_black());
  Bytes frame = frames_of("size-66x66").front();
  for (const VAStatus expected : {VA_STATUS_SUCCESS, VA_STATUS_ERROR_DECODING_ERROR}) {
    VADecPictureParameterBufferVP9 picture{};
    picture.frame_width = 66;
    picture.frame_height = 66;
    std::ranges::fill(picture.reference_frames, VA_INVALID_SURFACE);
    VASliceParameterBufferVP9 slice{};
    slice.slice_data_size = static_cast<std::uint32_t>(frame.size());
    std::array buffers{
        display.buffer(context, VAPictureParameterBufferType, &picture, sizeof picture),
        display.buffer(context, VASliceParameterBufferType, &slice, sizeof slice),
        display.buffer(context, VASliceDataBufferType, frame.data(), frame.size())};
    expect_status(vaBeginPicture(display, context, surface));
    expect_status(vaRenderPicture(display, context, buffers.data(), 3));
    expect_status(vaEndPicture(display, context), expected);
    expect_status(vaSyncSurface(display, surface));
    EXPECT_EQ(is_black(), expected != VA_STATUS_SUCCESS);
    frame[0] = 0;  // damages the frame marker, so that the next loop's frame is rejected
  }
}

TEST_F(VaExport, IsOfferedOnlyWhereThereIsMemoryForIt) {
  const auto refused = [](const char* heap, const std::string& why) {
    ::setenv("SIDECORE_DMA_HEAP", heap, 1);
    OpenDisplay display;
    EXPECT_EQ(memory_types(display), VA_SURFACE_ATTRIB_MEM_TYPE_VA + 0U) << heap;
    const VASurfaceID surface = display.surfaces(1, 64, 64).front();
    VADRMPRIMESurfaceDescriptor descriptor{};
    expect_status(export_to(display, surface, kPrime, &descriptor),
                  VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
    const std::vector<std::string> messages = display.messages();
    EXPECT_TRUE(std::ranges::any_of(messages, [&](const std::string& line) {
      return line.find("surfaces cannot be exported: " + why) != std::string::npos;
    })) << heap;
  };
  {
    OpenDisplay display;
    EXPECT_EQ(memory_types(display), VA_SURFACE_ATTRIB_MEM_TYPE_VA | kPrime);
  }
  refused("off", "dma_heap is off");
  refused("/no/such/heap", "/no/such/heap: No such file or directory");
  refused("/dev/full", "/dev/full cannot provide 1 bytes: Cannot allocate memory");
  // A real heap of this machine would be used, so this is tested only on machines without one.
  if (!std::filesystem::exists("/dev/dma_heap")) refused("", "/dev/dma_heap/vidbuf_cached: ");
}

TEST_F(VaExport, WhatItCannotDoIsRefused) {
  OpenDisplay display;
  const VASurfaceID surface = display.surfaces(1, 64, 64).front();
  VADRMPRIMESurfaceDescriptor descriptor{};
  expect_status(export_to(display, surface + 1000, kPrime, &descriptor),
                VA_STATUS_ERROR_INVALID_SURFACE);
  expect_status(export_to(display, surface, VA_SURFACE_ATTRIB_MEM_TYPE_KERNEL_DRM, &descriptor),
                VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
  // Memory that the application provides cannot become a surface.
  std::array<VASurfaceAttrib, 2> foreign{attribute(VASurfaceAttribMemoryType)};
  foreign[0].value.value.i = static_cast<int>(kPrime);
  foreign[1] = attribute(VASurfaceAttribExternalBufferDescriptor);
  foreign[1].value.type = VAGenericValueTypePointer;
  foreign[1].value.value.p = &descriptor;
  VASurfaceID imported = VA_INVALID_ID;
  for (const bool reversed : {false, true}) {
    if (reversed) std::swap(foreign[0], foreign[1]);
    expect_status(vaCreateSurfaces(display, VA_RT_FORMAT_YUV420, 64, 64, &imported, 1,
                                   foreign.data(), foreign.size()),
                  VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
  }
}

TEST_F(VaExport, SurfacesAreMadeLinearOrNotAtAll) {
  constexpr std::uint64_t kLinear = 0;
  constexpr std::uint64_t kTiled = 0x0700000000000004;  // SAND128
  std::array<std::uint64_t, 2> modifiers{};
  VADRMFormatModifierList list{0, modifiers.data()};
  VASurfaceAttrib attributes = attribute(VASurfaceAttribDRMFormatModifiers);
  attributes.value.type = VAGenericValueTypePointer;
  attributes.value.value.p = &list;
  OpenDisplay display;
  VASurfaceID made = VA_INVALID_ID;
  const auto make = [&](std::uint32_t count, std::array<std::uint64_t, 2> offered) {
    list.num_modifiers = count;
    modifiers = offered;
    return vaCreateSurfaces(display, VA_RT_FORMAT_YUV420, 64, 64, &made, 1, &attributes, 1);
  };
  expect_status(make(1, {kLinear}));
  expect_status(make(2, {kTiled, kLinear}));
  expect_status(make(2, {kTiled, kTiled + 1}), VA_STATUS_ERROR_ATTR_NOT_SUPPORTED);
  expect_status(make(1, {kTiled, kLinear}), VA_STATUS_ERROR_ATTR_NOT_SUPPORTED);
  expect_status(make(0, {}), VA_STATUS_ERROR_ATTR_NOT_SUPPORTED);
  list.modifiers = nullptr;
  expect_status(make(1, {}), VA_STATUS_ERROR_ATTR_NOT_SUPPORTED);
  attributes.value.value.p = nullptr;
  expect_status(make(1, {}), VA_STATUS_ERROR_ATTR_NOT_SUPPORTED);
}

TEST_F(VaExport, SurfacesCanBeMadeAsWhatTheyAreSaidToBeExportedAs) {
  VASurfaceAttrib memory = attribute(VASurfaceAttribMemoryType);
  const auto make = [&](OpenDisplay& display, unsigned type) {
    memory.value.value.i = static_cast<int>(type);
    VASurfaceID made = VA_INVALID_ID;
    const VAStatus status =
        vaCreateSurfaces(display, VA_RT_FORMAT_YUV420, 64, 64, &made, 1, &memory, 1);
    if (status == VA_STATUS_SUCCESS && type == kPrime) {
      const ExportedSurface exported(display, made, false);
      EXPECT_EQ(exported.descriptor().width, 64U);
    }
    return status;
  };
  {
    OpenDisplay display;
    expect_status(make(display, VA_SURFACE_ATTRIB_MEM_TYPE_VA));
    expect_status(make(display, kPrime));
    expect_status(make(display, VA_SURFACE_ATTRIB_MEM_TYPE_USER_PTR),
                  VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
  }
  ::setenv("SIDECORE_DMA_HEAP", "off", 1);
  OpenDisplay display;
  expect_status(make(display, VA_SURFACE_ATTRIB_MEM_TYPE_VA));
  expect_status(make(display, kPrime), VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
}

}  // namespace
}  // namespace sidecore
