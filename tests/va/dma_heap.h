// What the stand-in of tests/va/dma_heap.cpp was told.
#pragma once

namespace sidecore::test {

/// The CPU's writes to all memory of the heap.
struct DmaWrites {
  int begun = 0;
  int ended = 0;
};
[[nodiscard]] DmaWrites dma_writes();

}  // namespace sidecore::test
