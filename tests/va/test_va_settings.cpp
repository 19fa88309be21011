// Tests of the VA-API driver's settings and of its messages about them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "environment_variable.h"
#include "temporary_directory.h"
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

/// A display's messages about its settings: its error messages, and the line about its stream.
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
  EXPECT_TRUE(any_contains(display.messages(), "plan loop_filter=scalar, threads 3"));
  EXPECT_TRUE(any_contains(display.messages(), " pictures decoded, 0 concealed, parsing 0."));
}

TEST(VaSettings, FramesOfMoreSamplesThanAllowedAreRefused) {
  const Bytes frame = frames_of("size-66x66").front();
  {
    const Variable pixels("SIDECORE_MAX_PIXELS", "4356");
    OpenDisplay display;
    Player player(display);
    expect_status(player.decode(frame));
  }
  const Variable pixels("SIDECORE_MAX_PIXELS", "4355");
  OpenDisplay display;
  // vaCreateContext() must fail, because after that players can still decode without the driver.
  VAContextID context = VA_INVALID_ID;
  expect_status(vaCreateContext(display, display.config(VAProfileVP9Profile0), 66, 66,
                                VA_PROGRESSIVE, nullptr, 0, &context),
                VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED);
  // The limit also applies to a stream whose pictures become larger.
  Player player(display, test::Resizing::same_surfaces);
  expect_status(player.decode(frames_of("size-16x16").front()));
  expect_status(player.decode(frame), VA_STATUS_ERROR_DECODING_ERROR);
  EXPECT_TRUE(any_contains(display.messages(), "exceeds max_pixels, which is 4355"));
}

TEST(VaSettings, ThePlanComesFromAFile) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write("sidecore.conf",
                                    "# who does what\nplan = scalar  # all of it\n\nthreads=2\n"));
  const Variable home("XDG_CONFIG_HOME", directory.path());
  OpenDisplay display;
  static_cast<void>(display.context(display.config(VAProfileVP9Profile0), 64, 64));
  EXPECT_TRUE(display.errors().empty());
  EXPECT_TRUE(any_contains(display.messages(), "plan scalar, threads 2"));
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
  EXPECT_NE(
      errors[0].find("sidecore.conf, line 1: threads: 'many' is not a whole number from 1 to 256"),
      std::string::npos);
  EXPECT_NE(errors[1].find("line 3: 'plam' is not a setting"), std::string::npos);
  EXPECT_NE(errors[2].find("SIDECORE_PLAN: plan: 'loop_filter=gpu' is neither"), std::string::npos);
  EXPECT_TRUE(any_contains(display.messages(), "plan neon, threads 1"));
}

TEST(VaSettings, NoControlByteOfAFileReachesTheLog) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write("sidecore.conf", "x\033]0;owned\007y = 3\n"));
  const Variable home("XDG_CONFIG_HOME", directory.path());
  const Variable plan("SIDECORE_PLAN", "\033[2J");
  const std::vector<std::string> errors = settings_told().first;
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_NE(errors[0].find("'x\\x1b]0;owned\\x07y' is not a setting"), std::string::npos)
      << errors[0];
  EXPECT_NE(errors[1].find("'\\x1b[2J'"), std::string::npos) << errors[1];
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
  EXPECT_EQ(settings_told(), Told({}, "plan scalar, threads 2"));
}

TEST(VaSettings, AFileMayBeALinkOrBeginWithAByteOrderMark) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_symlink(
      directory.write("elsewhere", "\xef\xbb\xbfplan = scalar\r\nthreads = 2\r\n"),
      directory / "sidecore.conf");
  const Variable home("XDG_CONFIG_HOME", directory.path());
  EXPECT_EQ(settings_told(), Told({}, "plan scalar, threads 2"));
}

// A settings file that never ends or never has data does not block the player.
TEST(VaSettings, WhatIsNoFileIsOneLine) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "sidecore.conf";
  const Variable home("XDG_CONFIG_HOME", directory.path());
  const Variable threads("SIDECORE_THREADS", "1");
  const std::string plan = "plan neon, threads 1";
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

// After this error players decode without the driver.
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
  // Delays the query, because no thread can start while a library is being loaded.
  std::promise<void> may_ask;
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
  // Open() returns when the loader's file is being read.
  const int writer = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_GE(writer, 0);
  may_ask.set_value();
  EXPECT_EQ(asked.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  std::filesystem::remove(path);
  // An empty file is no library, so this attempt to load it fails, and so does the next.
  ::close(writer);
  opening.join();
  expect_status(asked.get());
}

// vaCreateContext() opens the first stream. The stream of another file opens with its first
// picture.
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
