// Tests of the VA-API driver in Debian's programs. They find it by the name of the Raspberry Pi's
// kernel driver, on the substitute node of tests/va/drm_node.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

using test::CommandResult;

CommandResult run(const std::vector<std::string>& command, test::Environment changes = {}) {
  changes.emplace_back("LIBVA_DRIVERS_PATH", SIDECORE_VA_DRIVERS);
  changes.emplace_back("LD_PRELOAD", SIDECORE_DRM_NODE);
  return test::run_command(command, changes);
}

std::string corpus(const std::string& name) {
  return SIDECORE_VP9_CORPUS "/" + name;
}

using Words = std::vector<std::string>;

/// Returns "bytes md5" of each picture in FFmpeg's framemd5 output.
std::vector<std::string> sums_of(const std::string& framemd5) {
  std::vector<std::string> checksums;
  std::istringstream lines(framemd5);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::erase(line, ' ');
    std::ranges::replace(line, ',', ' ');
    std::istringstream fields(line);
    std::string skipped;
    std::string bytes;
    std::string md5;
    fields >> skipped >> skipped >> skipped >> skipped >> bytes >> md5;
    checksums.push_back(bytes + " " + md5);
  }
  return checksums;
}

/// Decodes a stream with FFmpeg through the driver. Returns "bytes md5" of each picture. `device`
/// has the options that open "va", and `output` those that convert the pictures before the
/// checksum.
std::vector<std::string> decode(const std::string& stream, const Words& device, const Words& output,
                                const test::Environment& changes) {
  Words command{"ffmpeg", "-v", "verbose", "-nostdin"};
  const Words input{"-hwaccel", "vaapi", "-hwaccel_device", "va", "-i", corpus(stream + ".ivf")};
  const Words sums{"-noautoscale", "-fps_mode", "passthrough", "-f", "framemd5", "-"};
  for (const Words* const part : {&device, &input, &output, &sums}) {
    command.insert(command.end(), part->begin(), part->end());
  }
  const CommandResult result = run(command, changes);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("sidecore: plan "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" pictures decoded, 0 concealed"), std::string::npos) << result.err;
  return sums_of(result.out);
}

std::vector<std::string> decode(const std::string& stream, const std::string& pixels,
                                const test::Environment& changes = {}) {
  return decode(stream, {"-init_hw_device", "vaapi=va:/dev/null"}, {"-pix_fmt", pixels}, changes);
}

/// Decodes a stream as decode() does, but FFmpeg imports the surfaces' dma-bufs as a display would.
std::vector<std::string> import_pictures(const std::string& stream, const std::string& native,
                                         const std::string& pixels) {
  return decode(stream,
                {"-init_hw_device", "drm=node:/dev/null", "-init_hw_device", "vaapi=va@node",
                 "-hwaccel_output_format", "vaapi"},
                {"-vf", "hwmap=derive_device=drm,format=drm_prime,hwdownload,format=" + native +
                            ",format=" + pixels},
                {{"SIDECORE_DMA_HEAP", "/dev/null"}});
}

// libva finds the driver by the names of the kernel's display driver (vc4) and GPU driver (v3d),
// and by its own name.
TEST(VaPlayers, VainfoListsTheProfiles) {
  for (const test::Environment& named :
       {test::Environment{}, {{"SIDECORE_DRM_NODE", "vc4"}}, {{"LIBVA_DRIVER_NAME", "sidecore"}}}) {
    const CommandResult result =
        run({"vainfo", "--display", "drm", "--device", "/dev/null"}, named);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("Driver version: sidecore "), std::string::npos) << result.out;
    std::vector<std::string> words;
    std::istringstream text(result.out);
    for (std::string word; text >> word;) {
      if (word.starts_with("VAProfile") || word.starts_with("VAEntrypoint")) words.push_back(word);
    }
    EXPECT_EQ(words, (std::vector<std::string>{"VAProfileVP9Profile0", "VAEntrypointVLD",
                                               "VAProfileVP9Profile2", "VAEntrypointVLD"}))
        << result.out;
  }
}

TEST(VaPlayers, FfmpegDecodesThroughTheDriver) {
  for (const char* const stream :
       {"size-1x1", "size-35x66", "alt-ref-layers", "resize-steps", "frame-parallel", "tiles-4"}) {
    EXPECT_EQ(decode(stream, "yuv420p"), test::lines_of(corpus(std::string(stream) + ".framemd5")))
        << stream;
  }
  EXPECT_EQ(decode("size-35x66", "yuv420p", {{"SIDECORE_DRM_NODE", "vc4"}}),
            test::lines_of(corpus("size-35x66.framemd5")));
  for (const char* const stream : {"profile-2-alt-ref", "profile-2-resize"}) {
    EXPECT_EQ(decode(stream, "yuv420p10le"),
              test::lines_of(corpus(std::string(stream) + ".framemd5")))
        << stream;
  }
}

// FFmpeg before 6.0 has no pixel format P012, and uses 10-bit surfaces for 10 and 12 bits.
TEST(VaPlayers, FfmpegShowsPicturesOf12Bits) {
  const std::vector<std::string> whole = test::lines_of(corpus("profile-2-12.framemd5"));
  const std::vector<std::string> shown = decode("profile-2-12", "yuv420p12le");
  ASSERT_EQ(shown.size(), whole.size());
  const bool knows_p012 =
      run({"ffmpeg", "-v", "error", "-pix_fmts"}).out.find(" p012le ") != std::string::npos;
  if (knows_p012) {
    EXPECT_EQ(shown, whole);
    return;
  }
  // FFmpeg computes these pictures with zeros for the two lowest bits.
  const CommandResult ten =
      run({"ffmpeg", "-v", "error", "-nostdin", "-i", corpus("profile-2-12.ivf"), "-vf",
           "format=yuv420p12le,lut=c0=bitand(val\\,4092):c1=bitand(val\\,"
           "4092):c2=bitand(val\\,4092)",
           "-f", "framemd5", "-"});
  EXPECT_EQ(ten.status, 0) << ten.err;
  EXPECT_EQ(shown, sums_of(ten.out));
}

TEST(VaPlayers, FfmpegImportsSurfacesAsDmaBufs) {
  for (const char* const stream : {"size-1x1", "size-35x66", "alt-ref-layers", "resize-steps"}) {
    EXPECT_EQ(import_pictures(stream, "nv12", "yuv420p"),
              test::lines_of(corpus(std::string(stream) + ".framemd5")))
        << stream;
  }
  EXPECT_EQ(import_pictures("profile-2-alt-ref", "p010le", "yuv420p10le"),
            test::lines_of(corpus("profile-2-alt-ref.framemd5")));
}

// This is the command that docs/players.md gives to check whether a board's driver exports
// surfaces.
TEST(VaPlayers, OneCommandTellsWhetherSurfacesAreExported) {
  for (const auto& [heap, status] : {std::pair{"/dev/null", true}, {"off", false}}) {
    const CommandResult result =
        run({"ffmpeg",
             "-v",
             "error",
             "-nostdin",
             "-init_hw_device",
             "drm=node:/dev/null",
             "-init_hw_device",
             "vaapi=va@node",
             "-hwaccel",
             "vaapi",
             "-hwaccel_device",
             "va",
             "-hwaccel_output_format",
             "vaapi",
             "-i",
             corpus("size-66x66.ivf"),
             "-frames:v",
             "1",
             "-vf",
             "hwmap=derive_device=drm,format=drm_prime,hwdownload,format=nv12",
             "-f",
             "null",
             "-"},
            {{"SIDECORE_DMA_HEAP", heap}});
    EXPECT_EQ(result.status == 0, status) << heap << ": " << result.err;
    EXPECT_EQ(result.err.find("Failed to export surface") == std::string::npos, status)
        << heap << ": " << result.err;
  }
}

TEST(VaPlayers, NothingButTheEntryLeavesTheDriver) {
  const CommandResult result = test::run_command(
      {"nm", "-D", "--defined-only", SIDECORE_VA_DRIVERS "/sidecore_drv_video.so"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1) << result.out;
  EXPECT_NE(result.out.find(" T __vaDriverInit_1_0"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace sidecore
