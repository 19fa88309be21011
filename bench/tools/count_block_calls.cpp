// Counts how often a VP9 stream uses each kind of block of the table in docs/neon-instructions.md.
// The counts are weights of that table, for scripts/count-neon-instructions.
//
// count_block_calls STREAM
//
// Prints a tab-separated line for each kind: kernel, input, bits, blocks. The table has square
// blocks. A rectangle counts as the fraction of the square of its width that it covers.
#include <fmt/format.h>

#include <cstdio>

#include "libav/open.h"
#include "video/packet_source.h"
#include "vp9/decoder.h"
#include "vp9/kernel_calls.h"

namespace {

using namespace sidecore;

void print(const std::vector<vp9::CountedBlocks>& counted, int bits) {
  for (const auto& [kind, blocks] : counted) {
    fmt::print("{}\t{}\t{}\t{}\n", kind.kernel, kind.input, bits, blocks);
  }
}

void count_calls(const char* stream) {
  int bits = 8;
  vp9::DecoderOptions options;
  options.stream = stream;
  options.dsp = &vp9::counting_dsp();
  options.allocator = [&](const video::PictureFormat& format) {
    bits = format.pixel.bits;
    return video::Picture(format);
  };
  vp9::KernelCalls calls;
  const vp9::CallCountingScope counting(calls);
  vp9::Decoder decoder(options);
  const auto source = libav::open_packets(stream);
  video::Packet packet;
  while (source->read(packet)) decoder.decode(packet.bytes, [](const auto&) {});
  decoder.flush([](const auto&) {});
  print(vp9::predictions(calls), bits);
  print(vp9::transforms(calls), bits);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: count_block_calls STREAM\n", stderr);
    return 2;
  }
  try {
    count_calls(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "count_block_calls: {}\n", error.what());
    return 2;
  }
  return 0;
}
