// Runs CDEF on captured frames (capture_cdef.cpp): sidecore's, and with SIDECORE_DAV1D dav1d's.
//
// - cdef_captures FILE...: compares every implementation's samples with those that libaom made.
// - cdef_captures --count FILE...: the same for NEON and dav1d, and counts what they take for each
//   frame, in the emulator of scripts/armsim-cycles. A line has file, implementation, blocks, and
//   filtered blocks.
//
// The gate of the kernel cdef compares the QPU's samples on the same files.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "av1/cdef_capture.h"
#include "base/error.h"
#include "tools/cdef_peers.h"
#include "tools/instruction_count.h"

namespace sidecore::bench {
namespace {

using av1::CdefCapture;

template <class Sample>
void run_scalar(const CdefCapture& capture, video::Picture& to) {
  const auto planes = av1::cdef_planes<Sample>(capture.before, to);
  const av1::CdefGrid grid(to.format());
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      av1::cdef_block(planes, capture.frame, column, row);
    }
  }
}

template <class Sample>
void run_neon(const CdefCapture& capture, video::Picture& to) {
  const auto planes = av1::cdef_planes<Sample>(capture.before, to);
  const av1::CdefGrid grid(to.format());
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      av1::cdef_block_neon(planes, capture.frame, column, row);
    }
  }
}

struct Implementation {
  std::string_view name;
  void (*bits_8)(const CdefCapture& capture, video::Picture& to);
  void (*bits_10)(const CdefCapture& capture, video::Picture& to);
  /// True if the picture must hold the samples before the filter.
  bool in_place = false;
  bool counted = true;

  void run(const CdefCapture& capture, video::Picture& to) const {
    (to.format().pixel.bits == 8 ? bits_8 : bits_10)(capture, to);
  }
};

constexpr Implementation kImplementations[] = {
    {"scalar", run_scalar<std::uint8_t>, run_scalar<std::uint16_t>, false, false},
    {"neon", run_neon<std::uint8_t>, run_neon<std::uint16_t>},
#if SIDECORE_DAV1D
    {"dav1d", run_dav1d_cdef_8, run_dav1d_cdef_16, true},
#endif
};

void prepare(const Implementation& implementation, const CdefCapture& capture, video::Picture& to) {
  if (implementation.in_place) {
    std::ranges::copy(capture.before.bytes(), to.bytes().begin());
  } else {
    std::ranges::fill(to.bytes(), std::byte{});
  }
}

void check(const std::string& path, const Implementation& implementation,
           const CdefCapture& capture, const video::Picture& filtered) {
  if (std::ranges::equal(filtered.bytes(), capture.after.bytes())) return;
  throw usage_error("{}: {}'s samples differ from libaom's", path, implementation.name);
}

void compare(const std::string& path) {
  av1::CdefCaptureReader reader(path);
  while (const auto capture = reader.next()) {
    for (const Implementation& implementation : kImplementations) {
      video::Picture to(capture->before.format());
      prepare(implementation, *capture, to);
      implementation.run(*capture, to);
      check(path, implementation, *capture, to);
    }
  }
}

void count(const std::string& path) {
  av1::CdefCaptureReader reader(path);
  while (const auto capture = reader.next()) {
    int filtered = 0;
    for (const std::uint64_t mask : capture->frame.filtered) filtered += std::popcount(mask);
    const std::size_t blocks = av1::CdefGrid(capture->before.format()).blocks();
    for (const Implementation& implementation : kImplementations) {
      if (!implementation.counted) continue;
      video::Picture to(capture->before.format());
      const std::string line =
          fmt::format("{}\t{}\t{}\t{}", path, implementation.name, blocks, filtered);
      count_instructions(
          line, [&] { prepare(implementation, *capture, to); },
          [&] { implementation.run(*capture, to); });
      check(path, implementation, *capture, to);
    }
  }
}

void run(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "--count") {
    std::ranges::for_each(arguments.begin() + 1, arguments.end(), count);
    return;
  }
  std::ranges::for_each(arguments, compare);
  for (const Implementation& implementation : kImplementations) {
    fmt::print("{}: {} captures equal libaom's\n", implementation.name, arguments.size());
  }
}

}  // namespace
}  // namespace sidecore::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: cdef_captures [--count] FILE...\n", stderr);
    return 2;
  }
  try {
    sidecore::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "cdef_captures: {}\n", error.what());
    return 1;
  }
  return 0;
}
