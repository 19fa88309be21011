// Linear algebra of speed_chroma: symmetric matrices of 25x25 in binary32. Operations follow
// libvmaf's one by one, because thresholds and long sums make their rounding visible in scores.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace sidecore::metrics {

/// Elements of a block of 5x5 samples.
inline constexpr std::size_t kSpeedElements = 25;
using SpeedVector = std::array<float, kSpeedElements>;
using SpeedMatrix = std::array<SpeedVector, kSpeedElements>;  ///< rows
/// The same with rows of whole vectors of 4; the columns behind the last may hold anything.
inline constexpr std::size_t kSpeedRowLanes = 28;
using SpeedRows = std::array<std::array<float, kSpeedRowLanes>, kSpeedElements>;
/// What is smaller counts as 0.
inline constexpr double kSpeedEpsilon = 1e-6;

/// Eigenvalues of a symmetric matrix, in the order in which they are found: by Householder
/// reflections to tridiagonal form, then by implicit QR steps with Wilkinson's shift (Golub, Van
/// Loan, "Matrix computations", 8.3).
[[nodiscard]] SpeedVector speed_eigenvalues(SpeedMatrix matrix);

/// Makes H * rows of `rows`, where H = I - 2 u u^T and u is 0 before its element `first`: in rows
/// from `first` on, in columns from `first_column` on; those before it may then hold anything. Each
/// element is a sum in the order of u's elements, each product and each sum rounded.
using SpeedReflect = void (*)(SpeedRows& rows, const SpeedVector& u, std::size_t first,
                              std::size_t first_column);
/// The definition of that.
void speed_reflect(SpeedRows& rows, const SpeedVector& u, std::size_t first,
                   std::size_t first_column);

/// Replaces each of `columns` (one after the other, an element of each in turn: element e of column
/// c is columns[e * count + c]) by x in matrix * x = column. False, and nothing is replaced, when
/// the matrix is singular. `scratch` has as many elements as `columns` (asserted).
/// `reflect` is any implementation of that.
[[nodiscard]] bool speed_solve(const SpeedMatrix& matrix, std::size_t count,
                               std::span<float> columns, std::span<float> scratch,
                               SpeedReflect reflect);

}  // namespace sidecore::metrics
