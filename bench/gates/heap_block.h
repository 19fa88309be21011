// Ordinary memory for a workload.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace sidecore::gates {

/// A zeroed block of ordinary memory, with the alignment of device memory.
class HeapBlock {
 public:
  static constexpr std::align_val_t kAlignment{4096};

  explicit HeapBlock(std::size_t bytes)
      : memory_(static_cast<std::byte*>(::operator new(bytes, kAlignment))), size_(bytes) {
    std::memset(memory_.get(), 0, bytes);
  }
  [[nodiscard]] std::span<std::byte> bytes() { return {memory_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_;
};

}  // namespace sidecore::gates
