// Makes memory allocations fail from a chosen one on. failing_memory.cpp replaces operator new and
// delete of the whole program, including the libraries it loads, and the calloc() of pictures.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

namespace sidecore::test {

/// Makes allocations number `first` and later fail, counted from now on. If `last` is given,
/// allocations after that number succeed again.
void fail_allocations(std::size_t first,
                      std::size_t last = std::numeric_limits<std::size_t>::max());
/// Makes all allocations succeed again and stops counting.
void end_failures();
/// Counts and fails, from now on, only allocations by the library that contains `function`,
/// including malloc(). With null, allocations by all code count again.
void fail_only_in_the_library_of(const void* function);
/// Makes every block of `bytes` or more bytes unavailable.
void fail_blocks_of(std::size_t bytes);
/// Returns the number of C++ allocations that were not freed yet.
[[nodiscard]] std::size_t live_allocations();

/// Exit statuses of a process that reports the results of its calls.
constexpr int kAllSucceeded = 0;
constexpr int kRefused = 1;     // calls failed for lack of memory
constexpr int kNoneFailed = 2;  // no allocation failed, because the calls made fewer
constexpr int kOtherError = 100;

/// Allocations that fail: all from the chosen one on, or only the chosen one.
enum class Failing { from_then_on, once };

/// Runs `calls` in a child process in which allocation `first` fails, and all later ones or none.
/// SIGALRM ends the child after 60 s. Returns the result of `calls`, which must be a status above
/// or a larger number. A negative result is the signal that ended the child.
int run_with_failing_allocation(std::size_t first, const std::function<int()>& calls,
                                Failing failing = Failing::from_then_on);

/// Runs the calls once for each number of the first allocation that fails: for every number up to
/// 500, and then at distances that grow with the number, until no allocation fails. The thousands
/// of later allocations are made by one parser.
/// Expects kAllSucceeded or kRefused each time, and kRefused more than ten times.
void expect_process_survives(const std::function<int()>& calls,
                             Failing failing = Failing::from_then_on);

}  // namespace sidecore::test
