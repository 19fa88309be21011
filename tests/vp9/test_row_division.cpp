// Tests how the rows of a stage are divided between CPU and QPU.
#include <gtest/gtest.h>

#include <optional>

#include "qpu/vp9/row_division.h"

namespace sidecore::qpu::test_row_division {
namespace {

/// Simulates a frame on processors that take a fixed time per row.
void play(RowDivision& division, int rows, Nanoseconds cpu_row, Nanoseconds qpu_row) {
  const int of_qpu = division.count_qpu_rows(rows);
  const Nanoseconds cpu = (rows - of_qpu) * cpu_row;
  const Nanoseconds qpu = of_qpu * qpu_row;
  division.record_times(rows, of_qpu, cpu, qpu <= cpu ? std::nullopt : std::optional(qpu));
}

TEST(RowDivision, GivesEachAtLeastARow) {
  const RowDivision division;
  EXPECT_EQ(division.count_qpu_rows(0), 0);
  EXPECT_EQ(division.count_qpu_rows(1), 0);
  EXPECT_EQ(division.count_qpu_rows(2), 1);
  EXPECT_EQ(division.count_qpu_rows(17), 9);
}

TEST(RowDivision, ComesToWhereBothEndTogetherAndFollowsThem) {
  RowDivision division;
  for (int frame = 0; frame < 30; ++frame) play(division, 17, Nanoseconds(100), Nanoseconds(300));
  EXPECT_NEAR(division.count_qpu_rows(17), 17 / 4.0, 1.0);
  for (int frame = 0; frame < 60; ++frame) play(division, 17, Nanoseconds(400), Nanoseconds(100));
  EXPECT_NEAR(division.count_qpu_rows(17), 17 * 4 / 5.0, 1.0);
  // Even a very slow QPU keeps one row, so that a change of its speed is noticed.
  for (int frame = 0; frame < 60; ++frame) play(division, 17, Nanoseconds(1), Nanoseconds(10000));
  EXPECT_EQ(division.count_qpu_rows(17), 1);
}

TEST(RowDivision, LearnsNothingFromFramesThatWereNotDivided) {
  RowDivision division;
  division.record_times(17, 0, Nanoseconds(100), std::nullopt);
  division.record_times(17, 17, Nanoseconds(100), Nanoseconds(50));
  division.record_times(17, 5, Nanoseconds(0), std::nullopt);
  EXPECT_EQ(division.count_qpu_rows(17), 9);
}

}  // namespace
}  // namespace sidecore::qpu::test_row_division
