#include "failing_memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
// Pictures use calloc(). Smaller blocks may come from the C library, which handles failures itself.
constexpr std::size_t kMinBlock = 4096;

std::atomic<bool> counting = false;
std::atomic<std::size_t> made = 0;
std::atomic<std::size_t> live = 0;
std::atomic<std::size_t> first_to_fail = kNever;
std::atomic<std::size_t> last_to_fail = kNever;
std::atomic<std::size_t> failing_size = kNever;

// Range of code whose allocations are counted and fail; null for all code.
const std::byte* counted_begin = nullptr;
const std::byte* counted_end = nullptr;

bool fails(std::size_t size, const void* caller) {
  if (size >= failing_size) return true;
  if (!counting) return false;
  const auto* const code = static_cast<const std::byte*>(caller);
  if (counted_end != nullptr && (code < counted_begin || code >= counted_end)) return false;
  const std::size_t number = ++made;
  return number >= first_to_fail && number <= last_to_fail;
}

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (fails(size, caller)) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  ++live;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) --live;
  std::free(memory);
}

}  // namespace

// These two operators suffice, because all other forms of operator new call them.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t), __builtin_return_address(0));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  release(memory);
}

extern "C" {
void* __libc_calloc(std::size_t count, std::size_t size);  // NOLINT: a name that glibc reserves

void* __libc_malloc(std::size_t size);  // NOLINT: a name that glibc reserves

[[gnu::noinline]] void* calloc(std::size_t count, std::size_t size) noexcept {
  if (count == 1 && size >= kMinBlock && fails(size, __builtin_return_address(0))) {
    return nullptr;
  }
  return __libc_calloc(count, size);
}

[[gnu::noinline]] void* malloc(std::size_t size) noexcept {
  if (counted_end != nullptr && fails(size, __builtin_return_address(0))) return nullptr;
  return __libc_malloc(size);
}
}

namespace sidecore::test {

void fail_allocations(std::size_t first, std::size_t last) {
  made = 0;
  last_to_fail = last;
  first_to_fail = first;
  counting = true;
}

void end_failures() {
  counting = false;
  failing_size = kNever;
}

void fail_only_in_the_library_of(const void* function) {
  counted_begin = nullptr;
  counted_end = nullptr;
  if (function == nullptr) return;
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

void fail_blocks_of(std::size_t bytes) {
  failing_size = bytes;
}

std::size_t live_allocations() {
  return live;
}

int run_with_failing_allocation(std::size_t first, const std::function<int()>& calls,
                                Failing failing) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    fail_allocations(first, failing == Failing::once ? first : kNever);
    const int outcome = calls();
    std::_Exit(outcome == kAllSucceeded && made < first ? kNoneFailed : outcome);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void expect_process_survives(const std::function<int()>& calls, Failing failing) {
  std::size_t refused = 0;
  for (std::size_t first = 1;; first += 1 + (first > 500 ? first / 50 : 0)) {
    const int outcome = run_with_failing_allocation(first, calls, failing);
    if (outcome == kNoneFailed) break;
    ASSERT_TRUE(outcome == kAllSucceeded || outcome == kRefused)
        << "with allocation " << first << " failing: " << outcome;
    if (outcome == kRefused) ++refused;
  }
  EXPECT_GT(refused, 10U);
  EXPECT_EQ(run_with_failing_allocation(kNever, calls), kNoneFailed);
}

}  // namespace sidecore::test
