// Runs CDEF on captured frames (capture_cdef.cpp): sidecore's, and with SIDECORE_DAV1D dav1d's.
//
// - cdef_captures FILE: compares every implementation's samples with those that libaom made.
// - cdef_captures FILE qpu: the same for the QPU, the device that SIDECORE_DEVICE selects.
// - cdef_captures FILE count: counts what NEON and dav1d take for each frame, in the emulator of
//   scripts/armsim-cycles. A line has the implementation and the frame's number.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "av1/cdef_capture.h"
#include "av1/cdef_qpu.h"
#include "base/error.h"
#include "qpu/device.h"
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

void compare(const std::string& path) {
  av1::CdefCaptureReader reader(path);
  std::size_t frames = 0;
  while (const auto capture = reader.next()) {
    for (const Implementation& implementation : kImplementations) {
      video::Picture to(capture->before.format());
      prepare(implementation, *capture, to);
      implementation.run(*capture, to);
      if (!std::ranges::equal(to.bytes(), capture->after.bytes())) {
        throw usage_error("{}: frame {} differs from libaom's", implementation.name, frames);
      }
    }
    ++frames;
  }
  if (frames == 0) throw usage_error("'{}' has no frame", path);
  for (const Implementation& implementation : kImplementations) {
    fmt::print("{}: {} frames equal libaom's\n", implementation.name, frames);
  }
}

void compare_qpu(const std::string& path) {
  const auto device = qpu::Device::open(qpu::DeviceOptions::from_environment());
  av1::CdefCaptureReader reader(path);
  std::size_t frames = 0;
  for (; const auto capture = reader.next(); ++frames) {
    const std::size_t bytes = capture->before.layout().bytes;
    const auto from = device->create_buffer(bytes);
    const auto to = device->create_buffer(bytes);
    std::ranges::copy(capture->before.bytes(), from->bytes().begin());
    av1::CdefQpu cdef(*device, capture->before.format());
    cdef.set_frame(capture->frame);
    const auto list = device->create_command_list();
    list->upload({.buffer = from.get()});
    list->upload({.buffer = to.get()});
    cdef.record(*list, {.buffer = from.get()}, {.buffer = to.get()});
    list->download({.buffer = to.get()});
    list->finish();
    device->submit(*list).wait();
    if (!std::ranges::equal(to->bytes().first(bytes), capture->after.bytes())) {
      throw usage_error("{}: frame {} differs from libaom's", device->info().name, frames);
    }
  }
  fmt::print("{}: {} frames equal libaom's\n", device->info().name, frames);
}

void count(const std::string& path) {
  av1::CdefCaptureReader reader(path);
  for (std::size_t frame = 0; const auto capture = reader.next(); ++frame) {
    for (const Implementation& implementation : kImplementations) {
      if (!implementation.counted) continue;
      video::Picture to(capture->before.format());
      prepare(implementation, *capture, to);
      log_instructions();
      implementation.run(*capture, to);
      log_instructions();
      fmt::print("{}\t{}\n", implementation.name, frame);
    }
  }
}

}  // namespace
}  // namespace sidecore::bench

int main(int argc, char** argv) {
  const std::string_view mode = argc == 3 ? argv[2] : "";
  if (argc != 2 && mode != "count" && mode != "qpu") {
    std::fputs("usage: cdef_captures FILE [count|qpu]\n", stderr);
    return 2;
  }
  try {
    if (mode == "count") {
      sidecore::bench::count(argv[1]);
    } else if (mode == "qpu") {
      sidecore::bench::compare_qpu(argv[1]);
    } else {
      sidecore::bench::compare(argv[1]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "cdef_captures: {}\n", error.what());
    return 1;
  }
  return 0;
}
