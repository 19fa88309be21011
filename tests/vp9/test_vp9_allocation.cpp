// Tests that the decoder allocates no heap memory after the first frames of a stream.
// ctest: streams, alone
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "neon/vp9/dsp.h"
#include "vp9/vp9_streams.h"

namespace {

std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> allocated_bytes = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  allocated_bytes += size;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  ++allocations;
  return std::aligned_alloc(static_cast<std::size_t>(alignment), size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace sidecore::test_vp9_allocation {
namespace {

/// Returns the number of allocations while a decoder decodes a stream for the second time.
std::size_t allocations_of_a_repetition(const std::vector<test::Bytes>& packets,
                                        vp9::DecoderOptions options) {
  vp9::Decoder decoder(std::move(options));
  std::size_t shown = 0;
  const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>&) { ++shown; };
  for (const test::Bytes& packet : packets) decoder.decode(packet, show);
  decoder.flush(show);
  const std::size_t before = allocations;
  const std::size_t shown_before = shown;
  for (const test::Bytes& packet : packets) decoder.decode(packet, show);
  decoder.flush(show);
  EXPECT_EQ(shown, 2 * shown_before);
  return allocations - before;
}

TEST(Vp9Allocation, ThereIsNoneAfterTheFirstFrames) {
  for (const char* const name : {"alt-ref-layers", "tile-rows-columns", "profile-2-10"}) {
    const std::vector<test::Bytes> packets = test::corpus_packets(name);
    for (const int threads : {1, 3}) {
      vp9::DecoderOptions options;
      options.threads = threads;
      EXPECT_EQ(allocations_of_a_repetition(packets, options), 0U) << name << ", " << threads;
    }
  }
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  EXPECT_EQ(allocations_of_a_repetition(test::corpus_packets("alt-ref"), options), 0U);
}

// One thread reconstructs each row of superblocks before it parses the next one.
TEST(Vp9Allocation, OneThreadKeepsTheResidualOfOneRow) {
  const test::Bytes packet = test::corpus_packets("key-frames").front();
  const auto bytes_of = [&](vp9::DecoderOptions options) {
    const std::size_t before = allocated_bytes;
    vp9::Decoder decoder(std::move(options));
    decoder.decode(packet, [](const auto& frame) { EXPECT_EQ(frame->size.height, 144); });
    return allocated_bytes - before;
  };
  vp9::DecoderOptions whole;
  whole.observer.before_filter = [](const auto&, const auto&, int) {};
  // Number of coefficients of a row of superblocks, at a width of 176 samples.
  constexpr std::size_t kCoefficientsOfARow = 3 * 64 * 64 * 3 / 2;
  EXPECT_GE(bytes_of(whole), bytes_of({}) + 2 * kCoefficientsOfARow * sizeof(std::int16_t));
}

TEST(Vp9Allocation, IsCounted) {
  const std::size_t before = allocations;
  const auto memory = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(allocations - before, 2U);
  EXPECT_GE(allocated_bytes, 100 * sizeof(int));
}

}  // namespace
}  // namespace sidecore::test_vp9_allocation
