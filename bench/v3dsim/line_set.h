// Set of 64-byte lines in a 32-bit address space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sidecore::v3dsim {

/// Hash table of 4 KiB pages with one bit per line.
class LineSet {
 public:
  LineSet() : slots_(64) {}
  /// Adds a line. Returns true if it was not in the set.
  bool insert(std::uint32_t line);
  void merge(const LineSet& other);
  void clear();
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t page = 0;
    std::uint64_t lines = 0;  ///< one bit per line of the page; 0 marks a free slot
  };
  Slot& slot_of(std::uint32_t page);
  void add(std::uint32_t page, std::uint64_t lines);
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace sidecore::v3dsim
