#include "tools/loop_filter_contenders.h"

#include "neon/vp9/dsp.h"

namespace sidecore::bench {
namespace {

constexpr auto kStride = static_cast<std::ptrdiff_t>(CapturedEdges::kSide);

bool takes_all(const PreparedEdges& /*edges*/) {
  return true;
}

void do_nothing(const PreparedEdges& /*edges*/, std::uint8_t* /*samples*/) {}

// Calls the filter of a table in the same way as vp9::filter_edges().
void filter_by(const vp9::Dsp<std::uint8_t>& dsp, const PreparedEdges& edges,
               std::uint8_t* samples) {
  const CapturedEdges& captured = edges.captured;
  const auto& filter = dsp.loop_filter(captured.kind);
  std::uint8_t* const first = samples + captured.q0(0);
  if (captured.count == 1) return filter.one(first, kStride, captured.limits[0]);
  filter.two(first, samples + captured.q0(1), kStride, captured.limits[0], captured.limits[1]);
}

// The tables are looked up only once, as in a decoder.
const vp9::Dsp<std::uint8_t>& scalar_table = vp9::scalar_dsp().bits_8;
const vp9::Dsp<std::uint8_t>& neon_table = neon::vp9_dsp().bits_8;

void filter_scalar(const PreparedEdges& edges, std::uint8_t* samples) {
  filter_by(scalar_table, edges, samples);
}

void filter_neon(const PreparedEdges& edges, std::uint8_t* samples) {
  filter_by(neon_table, edges, samples);
}

constexpr std::array kContenders = {
    Contender{"none", takes_all, do_nothing},
    Contender{"scalar", takes_all, filter_scalar},
    Contender{"neon", takes_all, filter_neon},
#if SIDECORE_PEERS
    Contender{"libvpx C", takes_all, peers::libvpx_c},
    Contender{"libvpx", takes_all, peers::libvpx},
    Contender{"FFmpeg", peers::ffmpeg_takes, peers::ffmpeg},
#endif
};

}  // namespace

PreparedEdges::PreparedEdges(const CapturedEdges& edges)
    : captured(edges), limits{}, one_limit(edges.limits[0] == edges.limits[1]) {
  for (std::size_t index = 0; index < limits.size(); ++index) {
    limits[index].blimit.fill(edges.limits[index].blimit);
    limits[index].limit.fill(edges.limits[index].limit);
    limits[index].thresh.fill(edges.limits[index].thresh);
  }
}

std::span<const Contender> contenders() {
  return kContenders;
}

}  // namespace sidecore::bench
