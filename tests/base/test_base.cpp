#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "base/atomic_file.h"
#include "base/configuration.h"
#include "base/error.h"
#include "base/random.h"
#include "error_text.h"
#include "temporary_directory.h"

namespace sidecore::test_base {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), {}));
}

TEST(Configuration, SettingsReplaceThoseOfTheSameKeys) {
  const std::vector<Setting> settings{{"plan", "qpu"}, {"threads", "2"}};
  EXPECT_EQ(with_settings("", settings, "by-test of x"),
            "# by-test of x\nplan = qpu\nthreads = 2\n");
  EXPECT_EQ(with_settings("# by hand\n plan=neon # so\ndevice = V3D\n# by-test of y\nthreads = 4\n"
                          "planned = 1",
                          settings, "by-test of x"),
            "# by hand\ndevice = V3D\nplanned = 1\n# by-test of x\nplan = qpu\nthreads = 2\n");
}

TEST(Error, SaysWhatAndCarriesTheExitStatus) {
  const Error error = usage_error("'{}' has {} rows, needs {}", "a.y4m", 3, 4);
  EXPECT_STREQ(error.what(), "'a.y4m' has 3 rows, needs 4");
  EXPECT_EQ(error.exit_status(), 2);
  EXPECT_EQ(environment_error("no driver").exit_status(), 3);
  EXPECT_STREQ(errno_error(ErrorKind::usage, "cannot open 'x'", ENOENT).what(),
               "cannot open 'x': No such file or directory");
}

TEST(Random, TheSequenceOfASeedIsFixed) {
  Random a(1);
  Random b(1);
  Random c(2);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t value = a();
    EXPECT_EQ(value, b());
    differs = differs || value != c();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, BelowCoversItsRangeAndNothingElse) {
  Random random(7);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(10));
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 9U);
}

TEST(AtomicFile, AppearsWholeOnCommit) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "result.json";
  AtomicFile file(path);
  file.write("hello ");
  file.write("there");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(content_of(path), "hello there");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNothingIsLeft) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("result.json", "old");
  {
    AtomicFile file(path);
    file.write("half of the n");
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(AtomicFile, FollowsTheUmask) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "result.json";
  const mode_t before = ::umask(022);
  AtomicFile file(path);
  file.commit();
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U);
}

// The umask must not change, because that would affect files that other threads of the process
// create.
TEST(AtomicFile, NeverChangesTheUmaskOfTheProcess) {
  const test::TemporaryDirectory directory;
  const mode_t before = ::umask(077);
  std::atomic<bool> done = false;
  unsigned opened = 0;  // number of the other thread's files that other users may read
  std::thread other([&] {
    for (int number = 0; !done; ++number) {
      const std::string name = directory / ("other" + std::to_string(number % 8));
      ::unlink(name.c_str());
      const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
      struct stat info {};
      if (::fstat(file, &info) == 0 && (info.st_mode & 0077U) != 0) ++opened;
      ::close(file);
    }
  });
  for (int number = 0; number < 3000; ++number) {
    const AtomicFile file(directory / "result.json");
  }
  done = true;
  other.join();
  ::umask(before);
  EXPECT_EQ(opened, 0U);
}

TEST(AtomicFile, KeepsTheModeOfTheFileThatItReplaces) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("result.json", "old");
  for (const mode_t mode : {0600U, 0640U, 0666U, 0755U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    AtomicFile file(path);
    file.write("new");
    file.commit();
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, mode);
  }
}

TEST(AtomicFile, RefusesADirectoryAndAMissingParent) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(AtomicFile(directory.path()), Error);
  EXPECT_THROW(AtomicFile(directory.path() / "missing" / "result.json"), Error);
}

TEST(AtomicFile, WritesWhatASymbolicLinkLeadsTo) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "runs");
  const std::string latest = directory / "latest.json";
  std::filesystem::create_symlink("newest.json", latest);
  std::filesystem::create_symlink("runs/7.json", directory.path() / "newest.json");
  for (const char* const content : {"new", "newer"}) {
    AtomicFile file(latest);
    file.write(content);
    file.commit();
    EXPECT_EQ(std::filesystem::read_symlink(latest), "newest.json");
    EXPECT_TRUE(std::filesystem::is_symlink(directory.path() / "newest.json"));
    EXPECT_EQ(content_of(directory / "runs/7.json"), content);
  }
  EXPECT_EQ(files_in(directory.path()), 3U);
  EXPECT_EQ(files_in(directory.path() / "runs"), 1U);
}

TEST(AtomicFile, RefusesASymbolicLinkThatLeadsToItself) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path link = directory.path() / "result.json";
  std::filesystem::create_symlink("result.json", link);
  EXPECT_EQ(test::error_text([&] { AtomicFile{link}; }),
            "cannot write '" + link.native() + "': Too many levels of symbolic links");
}

TEST(AtomicFile, GoesOnWhereAnOpenDescriptorStands) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("log", "");
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  const std::string number = std::to_string(descriptor);
  const std::filesystem::path link = directory.path() / "link";
  std::filesystem::create_symlink("/dev/fd/" + number, link);
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, link.native()}) {
    AtomicFile file(name);
    file.write("x");
    file.commit();
  }
  ASSERT_EQ(::write(descriptor, " after", 6), 6);
  ::close(descriptor);
  EXPECT_EQ(content_of(path), "before xxx after");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(files_in(directory.path()), 2U);
  EXPECT_THROW(AtomicFile("/proc/self/fd/" + number), Error);
}

TEST(AtomicFile, KnowsStandardOutputByAllItsNames) {
  for (const char* const name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(is_standard_output(name)) << name;
  }
  for (const char* const name : {"", "1", "/dev/null", "/dev/stderr", "/proc/self/fd/2"}) {
    EXPECT_FALSE(is_standard_output(name)) << name;
  }
}

TEST(AtomicFile, WritesTheFileBehindAnotherProcesssDescriptor) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("log", "something longer");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  const std::string name =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(name);
    file.write("short");
    file.commit();
    ::_exit(0);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  ::close(descriptor);
  EXPECT_EQ(content_of(path), "short");
}

TEST(AtomicFile, ReportsAFullDisk) {
  AtomicFile file("/dev/full");
  try {
    file.write("x");
    FAIL() << "a write to a full device gave no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_STREQ(error.what(), "cannot write '/dev/full': No space left on device");
  }
}

/// Returns how a process ends if it receives `signal_number` while it writes. The signal's
/// disposition is `before`. If the process survives, it commits.
int end_of_a_writer(const std::string& path, int signal_number, sighandler_t before) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(signal_number, before);
    remove_unfinished_files_on_signals();
    AtomicFile file(path);
    file.write("whole");
    ::raise(signal_number);
    file.commit();
    ::_exit(0);
  }
  int state = -1;
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  return state;
}

TEST(AtomicFile, ASignalLeavesNothingBehind) {
  const test::TemporaryDirectory directory;
  for (const int signal_number :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF}) {
    const int state = end_of_a_writer(directory / "result.json", signal_number, SIG_DFL);
    EXPECT_TRUE(WIFSIGNALED(state));
    EXPECT_EQ(WTERMSIG(state), signal_number);
    EXPECT_EQ(files_in(directory.path()), 0U);
  }
}

// An ignored signal stays ignored: nohup ignores signals, and so do shells without job control for
// background processes.
TEST(AtomicFile, ASignalThatWasIgnoredFromTheStartStaysIgnored) {
  const test::TemporaryDirectory directory;
  for (const int signal_number : kEndingSignals) {
    const std::string path = directory / std::to_string(signal_number);
    EXPECT_EQ(end_of_a_writer(path, signal_number, SIG_IGN), 0) << signal_number;
    EXPECT_EQ(content_of(path), "whole");
  }
}

}  // namespace
}  // namespace sidecore::test_base
