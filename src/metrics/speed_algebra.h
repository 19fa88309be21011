// Linear algebra of speed_chroma: symmetric 25x25 matrices in binary32. The sequence of operations
// is libvmaf's, because thresholds and long sums make rounding visible in scores.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace sidecore::metrics {

/// Number of elements in a block of 5x5 samples.
inline constexpr std::size_t kSpeedElements = 25;
using SpeedVector = std::array<float, kSpeedElements>;
using SpeedMatrix = std::array<SpeedVector, kSpeedElements>;  ///< rows
/// Padded length of a row of SpeedRows: whole vectors of 4. Columns after the last element may hold
/// anything.
inline constexpr std::size_t kSpeedRowLanes = 28;
using SpeedRows = std::array<std::array<float, kSpeedRowLanes>, kSpeedElements>;
/// Limit below which an eigenvalue, or the diagonal element of a triangular matrix, counts as 0.
/// Also the relative limit for elements that are small beside their neighbours.
inline constexpr double kSpeedEpsilon = 1e-6;

/// Returns the eigenvalues of a symmetric matrix in the order in which the algorithm finds them. It
/// applies Householder reflections to tridiagonal form, then implicit QR steps with Wilkinson's
/// shift (Golub, Van Loan, "Matrix computations", 8.3).
[[nodiscard]] SpeedVector speed_eigenvalues(SpeedMatrix matrix);

/// Replaces `rows` by H * rows, where H = I - 2 u u^T and u is 0 before its element `first`. It
/// changes rows from `first` on and columns from `first_column` on; earlier columns of these rows
/// may then hold anything. Each element is a sum in the order of u's elements, and each product and
/// sum is rounded.
using SpeedReflect = void (*)(SpeedRows& rows, const SpeedVector& u, std::size_t first,
                              std::size_t first_column);
/// Scalar definition of SpeedReflect.
void speed_reflect(SpeedRows& rows, const SpeedVector& u, std::size_t first,
                   std::size_t first_column);

/// Replaces each of the `count` columns by the solution x of matrix * x = column. Element e of
/// column c is columns[e * count + c]. Returns false and replaces nothing if the matrix is
/// singular. `scratch` must have as many elements as `columns` (asserted). `reflect` is any
/// implementation of SpeedReflect.
[[nodiscard]] bool speed_solve(const SpeedMatrix& matrix, std::size_t count,
                               std::span<float> columns, std::span<float> scratch,
                               SpeedReflect reflect);

}  // namespace sidecore::metrics
