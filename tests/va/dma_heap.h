// Counts of calls to the substitute heap of tests/va/dma_heap.cpp.
#pragma once

namespace sidecore::test {

/// Counts of the CPU's write accesses to the heap's memory.
struct DmaWrites {
  int begun = 0;
  int ended = 0;
};
[[nodiscard]] DmaWrites dma_writes();

}  // namespace sidecore::test
