// Memory that ends at a chosen allocation. A program that has failing_memory.cpp in it gets all of
// C++'s memory from there, that of the libraries it loads too, and the blocks of pictures.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

namespace sidecore::test {

/// Allocation `first` and those behind it fail, counted from now on; with `last` those behind that
/// one go again.
void fail_allocations(std::size_t first,
                      std::size_t last = std::numeric_limits<std::size_t>::max());
/// All go again, and are not counted.
void end_failures();
/// From here on only allocations by the code of the library that `function` is of are counted and
/// fail, malloc()'s too; with null those of all code again.
void fail_only_in_the_library_of(const void* function);
/// No block of so many bytes, nor a larger one, is there.
void fail_blocks_of(std::size_t bytes);
/// Allocations of C++ that were not given back, whenever made.
[[nodiscard]] std::size_t live_allocations();

/// Exit statuses of a process that says how its calls went.
constexpr int kAllWent = 0;
constexpr int kRefused = 1;     // for want of memory
constexpr int kNoneFailed = 2;  // the calls took fewer allocations
constexpr int kOtherError = 100;

/// Which allocations fail.
enum class Failing { from_then_on, once };

/// Runs `calls` in a process of its own, in which allocation `first` fails, and all after it or
/// none. SIGALRM ends it after 60 s. Returns what `calls` returns, one of the above or more;
/// negative is the signal that ended the process.
int run_with_memory_until(std::size_t first, const std::function<int()>& calls,
                          Failing failing = Failing::from_then_on);

/// Expects kAllWent or kRefused for every first failing allocation from 1 to `most`, or until
/// there are no more to fail, with kRefused for more than ten.
void expect_no_end_of_the_process(const std::function<int()>& calls,
                                  Failing failing = Failing::from_then_on, std::size_t most = 2000);

}  // namespace sidecore::test
