#include "split/cost_line.h"

#include <cassert>
#include <cstddef>

namespace sidecore::split {
namespace {

/// The sums of the normal equations.
struct Moments {
  double frames_frames = 0, frames_bytes = 0, bytes_bytes = 0, frames_seconds = 0,
         bytes_seconds = 0;
};

Moments moments_of(std::span<const PacketWork> packets, std::span<const double> seconds) {
  Moments sums;
  for (std::size_t index = 0; index < packets.size(); ++index) {
    const double frames = packets[index].frames;
    const double bytes = packets[index].bytes;
    sums.frames_frames += frames * frames;
    sums.frames_bytes += frames * bytes;
    sums.bytes_bytes += bytes * bytes;
    sums.frames_seconds += frames * seconds[index];
    sums.bytes_seconds += bytes * seconds[index];
  }
  return sums;
}

/// The unconstrained solution where both coefficients are positive, else the better of the two
/// lines that have one.
CostLine solve(const Moments& m) {
  const double determinant = m.frames_frames * m.bytes_bytes - m.frames_bytes * m.frames_bytes;
  // Proportional columns leave nothing but rounding.
  if (determinant > 1e-9 * m.frames_frames * m.bytes_bytes) {
    const CostLine line{
        (m.frames_seconds * m.bytes_bytes - m.bytes_seconds * m.frames_bytes) / determinant,
        (m.bytes_seconds * m.frames_frames - m.frames_seconds * m.frames_bytes) / determinant};
    if (line.per_frame >= 0 && line.per_byte >= 0) return line;
  }
  const auto explained = [](double product, double square) {
    return square > 0 ? product * product / square : 0;
  };
  if (explained(m.frames_seconds, m.frames_frames) >= explained(m.bytes_seconds, m.bytes_bytes)) {
    return {m.frames_frames > 0 ? m.frames_seconds / m.frames_frames : 0, 0};
  }
  return {0, m.bytes_seconds / m.bytes_bytes};
}

}  // namespace

CostLine fit_cost(std::span<const PacketWork> packets, std::span<const double> seconds) {
  assert(packets.size() == seconds.size());
  CostLine line = solve(moments_of(packets, seconds));
  double measured = 0;
  double fitted = 0;
  for (std::size_t index = 0; index < packets.size(); ++index) {
    measured += seconds[index];
    fitted += line.seconds(packets[index]);
  }
  if (fitted > 0) {
    line.per_frame *= measured / fitted;
    line.per_byte *= measured / fitted;
  }
  return line;
}

}  // namespace sidecore::split
