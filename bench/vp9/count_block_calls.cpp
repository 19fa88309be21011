// Counts how often VP9 streams ask for each kind of block that docs/neon-instructions.md has
// instructions of, for scripts/count-neon-instructions: that table's weights.
//
//   count_block_calls STREAM
//
// Prints a line for each kind, in columns that a tab ends: kernel, input, bits, blocks. The table
// has square blocks; a rectangle counts as so much of the square of its width as it covers.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>
#include <tuple>

#include "base/error.h"
#include "bench/vp9/block_kinds.h"
#include "bench/vp9/noting_tables.h"
#include "libav/open.h"
#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace {

using namespace sidecore;

struct Calls {
  std::map<std::string, double> blocks;
  int bits = 8;  ///< of the stream
};

/// Counts a stage's blocks beside those of the others.
class Counter {
 public:
  explicit Counter(Calls* calls) : calls_(calls) {}

 protected:
  void add(const bench::BlockKind& kind, double blocks = 1) {
    calls_->blocks[fmt::format("{}\t{}\t{}", kind.kernel, kind.input, calls_->bits)] += blocks;
  }

 private:
  Calls* calls_;
};

struct InterCounter : Counter {
  using Counter::Counter;
  static auto& entries(auto& dsp) { return dsp.inter; }
  template <class Sample>
  void note(std::size_t average, std::size_t kind, const Sample* /*from*/, std::ptrdiff_t,
            const vp9::ReferenceArea& area, vp9::InterpolationFilter, Sample* /*to*/,
            std::ptrdiff_t) {
    add(bench::kind_of_inter(static_cast<vp9::InterKind>(kind), average != 0, area.width),
        static_cast<double>(area.height) / area.width);
  }
};

struct IntraCounter : Counter {
  using Counter::Counter;
  static auto& entries(auto& dsp) { return dsp.intra; }
  template <class... Arguments>
  void note(std::size_t predictor, std::size_t size, Arguments...) {
    add(bench::kind_of_intra(predictor, 4 << size));
  }
};

struct TransformCounter : Counter {
  using Counter::Counter;
  static auto& entries(auto& dsp) { return dsp.inverse_transforms; }
  template <class... Arguments>
  void note(std::size_t, std::size_t, const vp9::TransformBlock& block, Arguments...) {
    add(bench::kind_of_transform(4 << block.size, block.type, bench::extent_of(block)));
  }
};

template <class... Counters>
Calls count_calls(const char* stream) {
  vp9::DspTables tables = vp9::scalar_dsp();
  (bench::NotingTables<Counters>::put_over(tables), ...);
  Calls calls;
  vp9::DecoderOptions options;
  options.stream = stream;
  options.dsp = &tables;
  options.allocator = [&](const video::PictureFormat& format) {
    calls.bits = format.pixel.bits;
    return video::Picture(format);
  };
  std::tuple<Counters...> counters(Counters{&calls}...);
  const std::tuple<typename bench::NotingTables<Counters>::Noting...> noting(
      std::get<Counters>(counters)...);
  vp9::Decoder decoder(options);
  const auto source = libav::open_packets(stream);
  video::Packet packet;
  while (source->read(packet)) decoder.decode(packet.bytes, [](const auto&) {});
  decoder.flush([](const auto&) {});
  return calls;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: count_block_calls STREAM\n", stderr);
    return 2;
  }
  try {
    const Calls calls = count_calls<InterCounter, IntraCounter, TransformCounter>(argv[1]);
    for (const auto& [kind, blocks] : calls.blocks) fmt::print("{}\t{}\n", kind, blocks);
  } catch (const std::exception& error) {
    fmt::print(stderr, "count_block_calls: {}\n", error.what());
    return 2;
  }
  return 0;
}
