// The C library when memory ends: whichever allocation is the first to fail, and all after it do,
// each call says SIDECORE_ERROR_MEMORY or succeeds, and the host's process goes on.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "decoding.h"

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> first_to_fail = kNever;

// Code whose allocations are counted and fail; all code where both are null.
const std::byte* counted_begin = nullptr;
const std::byte* counted_end = nullptr;

bool fails(const void* caller) {
  const auto* const code = static_cast<const std::byte*>(caller);
  if (counted_end != nullptr && (code < counted_begin || code >= counted_end)) return false;
  return ++allocations >= first_to_fail;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment, const void* caller) {
  if (fails(caller)) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All of operator new's forms come to these two.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate_or_throw(size, alignof(std::max_align_t), __builtin_return_address(0));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

// What the library's static parts in C would call. The driver's is left alone, as is all else.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" [[gnu::noinline]] void* malloc(std::size_t size) noexcept {
  if (counted_end != nullptr && fails(__builtin_return_address(0))) return nullptr;
  return __libc_malloc(size);
}

namespace sidecore::capi_test {
namespace {

constexpr std::size_t kMost = 2000;  // allocations that fail first

// Exit statuses that say how the calls went. An error other than SIDECORE_ERROR_MEMORY adds its
// absolute value to kOtherError.
constexpr int kAllWent = 0;
constexpr int kRefused = 1;
constexpr int kNoneFailed = 2;  // the calls took fewer allocations
constexpr int kOtherError = 100;

/// Adds up what calls say: an error other than SIDECORE_ERROR_MEMORY counts most.
class Calls {
 public:
  bool good(int status) {
    if (status == SIDECORE_OK || status == SIDECORE_ERROR_AGAIN) return status == SIDECORE_OK;
    // What refers to a frame for which there was no memory.
    if (status == SIDECORE_ERROR_DATA && outcome_ == kRefused) return false;
    const int outcome = status == SIDECORE_ERROR_MEMORY ? kRefused : kOtherError - status;
    outcome_ = std::max(outcome_, outcome);
    return false;
  }
  [[nodiscard]] int outcome() const { return outcome_; }

 private:
  int outcome_ = kAllWent;
};

/// Runs `calls` in a process of its own, in which allocation `first` and all after it fail. The
/// status of a process that was terminated is its signal's, negative.
int run_with_memory_until(std::size_t first, const std::function<int()>& calls) {
  const pid_t child = ::fork();
  if (child == 0) {
    allocations = 0;
    first_to_fail = first;
    const int outcome = calls();
    std::_Exit(outcome == kAllWent && allocations < first ? kNoneFailed : outcome);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Every first failing allocation up to kMost, or until there are no more to fail.
void expect_no_end_of_the_process(const std::function<int()>& calls) {
  std::size_t refused = 0;
  std::size_t first = 1;
  for (; first <= kMost; ++first) {
    const int outcome = run_with_memory_until(first, calls);
    if (outcome == kNoneFailed) break;
    ASSERT_TRUE(outcome == kAllWent || outcome == kRefused)
        << "with allocation " << first << " failing: " << outcome;
    if (outcome == kRefused) ++refused;
  }
  EXPECT_GT(refused, 10U);
  EXPECT_EQ(run_with_memory_until(kNever, calls), kNoneFailed);
}

int decode(const Packets& packets, int threads, const char* plan) {
  Calls calls;
  sidecore_decoder_options options = options_of(threads);
  options.device = "cpu";
  if (plan != nullptr && !calls.good(sidecore_plan_parse(plan, &options.plan))) {
    return calls.outcome();
  }
  sidecore_decoder* decoder = nullptr;
  if (!calls.good(sidecore_decoder_open(&decoder, &options))) return calls.outcome();
  const auto take = [&] {
    sidecore_picture* picture = nullptr;
    while (calls.good(sidecore_decoder_get_picture(decoder, &picture))) {
      sidecore_picture_unref(picture);
    }
  };
  for (const std::vector<std::uint8_t>& packet : packets) {
    calls.good(sidecore_decoder_send(decoder, packet.data(), packet.size(), 0, nullptr));
    take();
  }
  calls.good(sidecore_decoder_drain(decoder));
  take();
  sidecore_decoder_close(decoder);
  return calls.outcome();
}

TEST(CapiMemory, ADecoderOutlivesItsEnd) {
  Packets packets = packets_of("size-66x66");
  packets.resize(4);
  for (const int threads : {1, 3}) {
    expect_no_end_of_the_process([&] { return decode(packets, threads, nullptr); });
  }
  packets.resize(2);
  expect_no_end_of_the_process([&] { return decode(packets, 1, "scalar"); });
}

/// From here on allocations of libsidecore alone are counted and fail.
void count_the_library_alone() {
  void* const function = ::dlsym(RTLD_DEFAULT, "sidecore_decoder_open");
  Dl_info library{};
  ASSERT_NE(::dladdr(function, &library), 0);
  const auto note_end = [](dl_phdr_info* object, std::size_t, void* begin) {
    if (object->dlpi_addr != reinterpret_cast<ElfW(Addr)>(begin)) return 0;
    counted_begin = static_cast<const std::byte*>(begin);
    for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
      if (segment.p_type != PT_LOAD) continue;
      counted_end = std::max(counted_end, counted_begin + segment.p_vaddr + segment.p_memsz);
    }
    return 1;
  };
  ASSERT_EQ(::dl_iterate_phdr(note_end, library.dli_fbase), 1);
}

// A driver that runs out of memory may end the process, and lavapipe does: in vkCreateDevice() and
// in LLVM, which compiles its shaders. So memory ends for the library alone, behind and between the
// driver's functions, too.
TEST(CapiMemory, ADecoderWithStagesOnTheQpuOutlivesItsEnd) {
  ::setenv("SIDECORE_VALIDATION", "0", 1);  // a layer would take longer than all else
  ASSERT_NO_FATAL_FAILURE(count_the_library_alone());
  Packets packets = packets_of("size-66x66");
  packets.resize(2);
  const auto calls = [&] { return decode(packets, 1, "qpu"); };
  std::size_t refused = 0;
  // Most are of tables and programs and alike, and each takes a device: some of them, ever further.
  for (std::size_t first = 1;; first += 1 + first / 4) {
    const int outcome = run_with_memory_until(first, calls);
    if (outcome == kNoneFailed) break;
    ASSERT_TRUE(outcome == kAllWent || outcome == kRefused)
        << "with allocation " << first << " failing: " << outcome;
    if (outcome == kRefused) ++refused;
  }
  EXPECT_GT(refused, 20U);
  counted_begin = nullptr;
  counted_end = nullptr;
}

int score(const char* model, const char* feature, int threads) {
  constexpr int kSize = 224;  // cambi takes no smaller ones
  static std::array<std::uint8_t, std::size_t{kSize} * kSize> samples{};
  sidecore_scorer_options options{};
  options.size = sizeof options;
  options.features = &feature;
  options.feature_count = feature == nullptr ? 0 : 1;
  options.models = &model;
  options.model_count = model == nullptr ? 0 : 1;
  options.width = kSize;
  options.height = kSize;
  options.chroma = SIDECORE_CHROMA_420;
  options.bits = 8;
  options.threads = threads;
  sidecore_planes planes{};
  planes.size = sizeof planes;
  for (int plane = 0; plane < 3; ++plane) {
    planes.data[plane] = samples.data();
    planes.stride[plane] = kSize;
  }
  Calls calls;
  sidecore_scorer* scorer = nullptr;
  if (!calls.good(sidecore_scorer_open(&scorer, &options))) return calls.outcome();
  for (int pair = 0; pair < 3; ++pair) calls.good(sidecore_scorer_push(scorer, &planes, &planes));
  calls.good(sidecore_scorer_drain(scorer));
  sidecore_scorer_close(scorer);
  return calls.outcome();
}

TEST(CapiMemory, AScorerWithAModelOutlivesItsEnd) {
  expect_no_end_of_the_process([] { return score("version=vmaf_v0.6.1", nullptr, 1); });
  expect_no_end_of_the_process([] { return score("version=vmaf_v1.0.16_3d0h", "psnr_hvs", 2); });
}

TEST(CapiMemory, AScorerOfFeaturesOutlivesItsEnd) {
  expect_no_end_of_the_process([] { return score(nullptr, "float_ssim=enable_lcs=true", 1); });
  expect_no_end_of_the_process([] { return score(nullptr, "cambi", 3); });
}

TEST(CapiMemory, AScorerWhoseModelsAreReadOutlivesItsEnd) {
  // The built-in models are read once in a process: from here on they are there.
  ASSERT_EQ(score("version=vmaf_v0.6.1", nullptr, 1), kAllWent);
  expect_no_end_of_the_process([] { return score("version=vmaf_v0.6.1neg", nullptr, 2); });
}

}  // namespace
}  // namespace sidecore::capi_test
