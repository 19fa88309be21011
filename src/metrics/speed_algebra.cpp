#include "metrics/speed_algebra.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sidecore::metrics {
namespace {

constexpr std::size_t kN = kSpeedElements;
constexpr int kMaxQrSteps = 500;

float sign_of(float x) {
  return x >= 0 ? 1.0F : -1.0F;
}

float hypotenuse(float x, float y) {
  return std::sqrt(x * x + y * y);
}

/// Diagonal and side diagonal of a tridiagonal matrix.
struct Tridiagonal {
  SpeedVector diagonal{};
  SpeedVector side{};  ///< elements beside the diagonal; the last element is unused
};

/// Applies a reflection that makes column i of `a` 0 below its first element under the diagonal.
/// Stores the reflection's vector in place of these zeros. Returns the reflection's factor, 0 for
/// no reflection.
float reflect_column(SpeedMatrix& a, std::size_t i) {
  float squares = 0;
  for (std::size_t j = i + 2; j < kN; ++j) squares += a[j][i] * a[j][i];
  const float norm = std::sqrt(squares);
  if (norm == 0) return 0;
  const float alpha = a[i + 1][i];
  const float beta = -sign_of(alpha) * hypotenuse(alpha, norm);
  const float factor = (beta - alpha) / beta;
  const float scale = alpha - beta;
  if (scale != 0) {
    for (std::size_t j = i + 1; j < kN; ++j) a[j][i] /= scale;
    a[i + 1][i] = beta;
  }
  return factor;
}

/// Applies the reflection of column i from both sides to the submatrix right of and below it.
void reflect_rest(SpeedMatrix& a, std::size_t i, float factor) {
  SpeedVector v{};
  SpeedVector x{};
  v[i + 1] = 1;
  for (std::size_t j = i + 2; j < kN; ++j) v[j] = a[j][i];
  for (std::size_t r = i + 1; r < kN; ++r) {
    for (std::size_t j = i + 1; j < kN; ++j) x[r] += factor * a[r][j] * v[j];
  }
  float product = 0;
  for (std::size_t r = i + 1; r < kN; ++r) product += x[r] * v[r];
  const auto weight = static_cast<float>(-0.5 * double{factor} * double{product});
  for (std::size_t r = i + 1; r < kN; ++r) x[r] += weight * v[r];
  for (std::size_t r = i + 1; r < kN; ++r) {
    for (std::size_t c = i + 1; c < kN; ++c) a[r][c] -= x[r] * v[c] + v[r] * x[c];
  }
}

Tridiagonal make_tridiagonal(SpeedMatrix& a) {
  for (std::size_t i = 0; i + 2 < kN; ++i) {
    const float factor = reflect_column(a, i);
    if (factor != 0) reflect_rest(a, i, factor);
  }
  Tridiagonal t;
  for (std::size_t i = 0; i < kN; ++i) {
    t.diagonal[i] = a[i][i];
    if (i + 1 < kN) t.side[i] = a[i + 1][i];
  }
  return t;
}

/// Sets elements of `side` to 0 that are small compared with the diagonal.
void chop(std::span<const float> diagonal, std::span<float> side) {
  for (std::size_t i = 0; i + 1 < diagonal.size(); ++i) {
    const float neighbours = std::abs(diagonal[i]) + std::abs(diagonal[i + 1]);
    if (double{std::abs(side[i])} < kSpeedEpsilon * double{neighbours}) side[i] = 0;
  }
}

/// Returns one eigenvalue of the last 2x2 submatrix: the one that is nearer to its last element.
float wilkinson_shift(std::span<const float> d, std::span<const float> e) {
  const std::size_t m = d.size();
  const float last = d[m - 1];
  const float side = e[m - 2];
  const float half = (d[m - 2] - last) / 2;
  if (half > 0) return last - side * (side / (half + hypotenuse(half, side)));
  if (half == 0) return last - std::abs(side);
  return last + side * (side / (-half + hypotenuse(half, side)));
}

struct Rotation {
  float c = 1;
  float s = 0;
};

Rotation rotation_of(float a, float b) {
  if (b == 0) return {};
  const bool flat = std::abs(b) > std::abs(a);
  const float t = flat ? -a / b : -b / a;
  const auto large = static_cast<float>(1.0 / std::sqrt(double{1 + t * t}));
  return flat ? Rotation{large * t, large} : Rotation{large, large * t};
}

/// Does one QR step on a block without zeros beside its diagonal. `d` is the diagonal, `e` the side
/// diagonal, one element shorter.
void qr_step(std::span<float> d, std::span<float> e) {
  const std::size_t m = d.size();
  float shift = wilkinson_shift(d, e);
  if (kSpeedEpsilon * double{std::abs(shift)} > double{std::abs(d[0]) + std::abs(e[0])}) shift = 0;
  float x = d[0] - shift;
  float z = e[0];
  float bk = 0;
  float zk = 0;
  float ap = d[0];
  float bp = e[0];
  float aq = d[1];
  float bq = m > 2 ? e[1] : 0;
  for (std::size_t k = 0; k + 1 < m; ++k) {
    const auto [c, s] = rotation_of(x, z);
    const float bk1 = c * bk - s * zk;
    const float ap1 = c * (c * ap - s * bp) + s * (s * aq - c * bp);
    const float bp1 = c * (s * ap + c * bp) - s * (s * bp + c * aq);
    const float zp1 = -s * bq;
    const float aq1 = s * (s * ap + c * bp) + c * (s * bp + c * aq);
    const float bq1 = c * bq;
    bk = bp1;
    zk = zp1;
    ap = aq1;
    bp = bq1;
    if (k + 2 < m) aq = d[k + 2];
    if (k + 3 < m) bq = e[k + 2];
    d[k] = ap1;
    if (k > 0) e[k - 1] = bk1;
    if (k + 2 < m) e[k + 1] = bp;
    x = bk;
    z = zk;
  }
  d[m - 1] = ap;
  e[m - 2] = bk;
}

/// Returns the product of reflections that makes the matrix upper triangular.
SpeedRows triangulation(const SpeedMatrix& matrix, SpeedReflect reflect) {
  SpeedRows z{};
  SpeedRows q{};
  for (std::size_t i = 0; i < kN; ++i) {
    std::ranges::copy(matrix[i], z[i].begin());
    q[i][i] = 1;
  }
  for (std::size_t k = 0; k + 1 < kN; ++k) {
    SpeedVector u{};
    const auto norm = [&] {
      float squares = 0;
      for (std::size_t i = k; i < kN; ++i) squares += u[i] * u[i];
      return std::sqrt(squares);
    };
    for (std::size_t i = k; i < kN; ++i) u[i] = z[i][k];
    // As in libvmaf, the sign comes from the matrix before all reflections.
    u[k] += sign_of(matrix[k][k]) * norm();
    const float length = norm();
    for (std::size_t i = k; i < kN; ++i) u[i] /= length;
    reflect(z, u, k, k);
    reflect(q, u, k, 0);
  }
  return q;
}

}  // namespace

SpeedVector speed_eigenvalues(SpeedMatrix matrix) {
  auto [diagonal, side] = make_tridiagonal(matrix);
  chop(diagonal, side);
  std::size_t last = kN - 1;
  for (int steps = 0; last > 0 && steps < kMaxQrSteps;) {
    if (side[last - 1] == 0) {
      --last;
      continue;
    }
    std::size_t first = last - 1;
    while (first > 0 && side[first - 1] != 0) --first;
    const auto block = std::span(diagonal).subspan(first, last - first + 1);
    const auto beside = std::span(side).subspan(first, last - first);
    qr_step(block, beside);
    chop(block, beside);
    ++steps;
  }
  return diagonal;
}

void speed_reflect(SpeedRows& rows, const SpeedVector& u, std::size_t first,
                   std::size_t first_column) {
  const SpeedRows from = rows;
  for (std::size_t i = first; i < kN; ++i) {
    SpeedVector sums{};
    for (std::size_t l = first; l < kN; ++l) {
      const float product = -2 * u[i] * u[l];
      const float h = i == l ? product + 1 : product;
      for (std::size_t j = first_column; j < kN; ++j) sums[j] += h * from[l][j];
    }
    std::copy(sums.begin() + static_cast<std::ptrdiff_t>(first_column), sums.end(),
              rows[i].begin() + static_cast<std::ptrdiff_t>(first_column));
  }
}

bool speed_solve(const SpeedMatrix& matrix, std::size_t count, std::span<float> columns,
                 std::span<float> scratch, SpeedReflect reflect) {
  assert(columns.size() == kN * count && scratch.size() == columns.size());
  const SpeedRows q = triangulation(matrix, reflect);
  SpeedMatrix r{};
  std::ranges::fill(scratch, 0.0F);
  for (std::size_t i = 0; i < kN; ++i) {
    for (std::size_t l = 0; l < kN; ++l) {
      for (std::size_t j = 0; j < kN; ++j) r[i][j] += q[i][l] * matrix[l][j];
      const float* const from = columns.data() + l * count;
      float* const to = scratch.data() + i * count;
      for (std::size_t c = 0; c < count; ++c) to[c] += q[i][l] * from[c];
    }
  }
  for (std::size_t i = 0; i < kN; ++i) {
    if (double{std::abs(r[i][i])} < kSpeedEpsilon) return false;
  }
  for (std::size_t i = kN; i-- > 0;) {
    float* const x = columns.data() + i * count;
    std::copy_n(scratch.data() + i * count, count, x);
    for (std::size_t k = i + 1; k < kN; ++k) {
      const float* const known = columns.data() + k * count;
      for (std::size_t c = 0; c < count; ++c) x[c] -= known[c] * r[i][k];
    }
    for (std::size_t c = 0; c < count; ++c) x[c] /= r[i][i];
  }
  return true;
}

}  // namespace sidecore::metrics
