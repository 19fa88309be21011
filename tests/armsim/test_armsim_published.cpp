// Compares the model with the published cycles of dav1d's functions, as scripts/armsim-dav1d found
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sidecore::armsim::test_armsim_published {
namespace {

/// Returns the relative errors of the predictions, by core, from bench/model/dav1d_cycles.tsv.
std::map<std::string, std::vector<double>> errors() {
  std::map<std::string, std::vector<double>> by_core;
  std::ifstream file(SIDECORE_DAV1D_CYCLES);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    if (fields.size() != 7) {
      ADD_FAILURE() << "no prediction: " << line;
      continue;
    }
    by_core[fields[0]].push_back(std::stod(fields[6]) / std::stod(fields[5]) - 1);
  }
  return by_core;
}

/// Returns the absolute values, sorted.
std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  std::ranges::sort(values);
  return values;
}

/// Returns the mean of the two middle values, which are one if the number of values is odd.
double median(const std::vector<double>& sorted) {
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

/// Returns the smallest of the greatest tenth of the values.
double nine_of_ten(const std::vector<double>& sorted) {
  return sorted[std::min(sorted.size() - 1, 9 * sorted.size() / 10)];
}

TEST(ArmPublished, ErrorsStayWithinTheDocumentedOnes) {
  struct Limit {
    const char* core;
    std::size_t rows;
    double median, nine_of_ten;
  };
  const auto found = errors();
  for (const Limit& limit :
       {Limit{"cortex-a53", 115, 0.085, 0.23}, Limit{"cortex-a72", 111, 0.07, 0.19},
        Limit{"cortex-a76", 4, 0.04, 0.06}}) {
    ASSERT_TRUE(found.contains(limit.core)) << limit.core;
    const std::vector<double>& values = found.at(limit.core);
    EXPECT_EQ(values.size(), limit.rows) << limit.core;
    const std::vector<double> sizes = magnitudes(values);
    EXPECT_LE(median(sizes), limit.median) << limit.core;
    EXPECT_LE(nine_of_ten(sizes), limit.nine_of_ten) << limit.core;
    const auto inside = std::ranges::count_if(
        values, [](double error) { return 1 / (1 + error) >= 0.75 && 1 / (1 + error) <= 1.35; });
    EXPECT_GE(static_cast<double>(inside), 0.92 * static_cast<double>(values.size())) << limit.core;
  }
}

}  // namespace
}  // namespace sidecore::armsim::test_armsim_published
