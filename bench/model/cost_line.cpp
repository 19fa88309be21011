#include "model/cost_line.h"

#include <cassert>
#include <cstddef>

namespace sidecore::model {
namespace {

/// Sums for the normal equations of a least-squares line.
struct Moments {
  double parts_parts = 0, parts_size = 0, size_size = 0, parts_seconds = 0, size_seconds = 0;
};

Moments moments_of(std::span<const Load> loads, std::span<const double> seconds) {
  Moments sums;
  for (std::size_t index = 0; index < loads.size(); ++index) {
    const double parts = loads[index].parts;
    const double size = loads[index].size;
    sums.parts_parts += parts * parts;
    sums.parts_size += parts * size;
    sums.size_size += size * size;
    sums.parts_seconds += parts * seconds[index];
    sums.size_seconds += size * seconds[index];
  }
  return sums;
}

/// Returns the unconstrained solution if no coefficient is negative; otherwise the better of the
/// two lines with a single coefficient.
CostLine solve(const Moments& m) {
  const double determinant = m.parts_parts * m.size_size - m.parts_size * m.parts_size;
  // The determinant is only a rounding error if parts and sizes are proportional.
  if (determinant > 1e-9 * m.parts_parts * m.size_size) {
    const CostLine line{
        (m.parts_seconds * m.size_size - m.size_seconds * m.parts_size) / determinant,
        (m.size_seconds * m.parts_parts - m.parts_seconds * m.parts_size) / determinant};
    if (line.per_part >= 0 && line.per_size >= 0) return line;
  }
  const auto explained = [](double product, double square) {
    return square > 0 ? product * product / square : 0;
  };
  if (explained(m.parts_seconds, m.parts_parts) >= explained(m.size_seconds, m.size_size)) {
    return {m.parts_parts > 0 ? m.parts_seconds / m.parts_parts : 0, 0};
  }
  return {0, m.size_seconds / m.size_size};
}

}  // namespace

CostLine fit_cost(std::span<const Load> loads, std::span<const double> seconds) {
  assert(loads.size() == seconds.size());
  CostLine line = solve(moments_of(loads, seconds));
  double measured = 0;
  double fitted = 0;
  for (std::size_t index = 0; index < loads.size(); ++index) {
    measured += seconds[index];
    fitted += line.seconds(loads[index]);
  }
  if (fitted > 0) {
    line.per_part *= measured / fitted;
    line.per_size *= measured / fitted;
  }
  return line;
}

}  // namespace sidecore::model
