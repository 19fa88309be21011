// Writes edges of a VP9 stream, each with the samples that the loop filter reads for it, for
// scripts/count-neon-instructions and bench/tools/loop_filter_captures.
//
// capture_edges STREAM FILE [FRAMES [EDGES_PER_KIND]]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "libav/open.h"
#include "tools/edge_sampler.h"
#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace {

void capture(const char* stream, const char* file, std::uint64_t frames,
             std::size_t edges_per_kind) {
  sidecore::bench::EdgeSampler sampler(edges_per_kind, 1);
  sidecore::vp9::DecoderOptions options;
  options.observer.before_filter = [&](const auto& frame, const auto& edges, int sharpness) {
    if (frame.format().pixel.bits == 8) sampler.add(frame, edges.all(), sharpness);
  };
  sidecore::vp9::Decoder decoder(options);
  const auto source = sidecore::libav::open_packets(stream);
  sidecore::video::Packet packet;
  while (decoder.statistics().frames < frames && source->read(packet)) {
    decoder.decode(packet.bytes, [](const auto&) {});
  }
  const auto edges = sampler.sample();
  if (edges.empty())
    throw sidecore::usage_error(
        "{}: found no edges; the stream must be VP9 with 8 bits and filtered edges", stream);
  write_captured_edges(file, edges);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fputs("usage: capture_edges STREAM FILE [FRAMES [EDGES_PER_KIND]]\n", stderr);
    return 2;
  }
  const auto number = [&](int index, unsigned long otherwise) {
    return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
  };
  try {
    capture(argv[1], argv[2], number(3, 24), number(4, 256));
  } catch (const std::exception& error) {
    fmt::print(stderr, "capture_edges: {}\n", error.what());
    return 2;
  }
  return 0;
}
