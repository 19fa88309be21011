// Support vector regression with a Gaussian kernel: what a VMAF model predicts its score with
// (Schoelkopf et al., "New support vector algorithms", 2000).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sidecore::metrics {

class SupportVectors {
 public:
  SupportVectors() = default;

  /// Reads the text that libsvm writes of a nu-SVR, whose kernel is exp(-gamma |x - y|^2), for
  /// `inputs` inputs: a header that ends with "SV", then for each vector its coefficient and
  /// "i:value" of the elements that are not 0, counted from 1. Throws Error (usage), which names
  /// `origin`, for any other text.
  SupportVectors(std::string_view text, std::size_t inputs, const std::string& origin);

  /// In the order of the vectors and, within one, of the elements, as libsvm adds. `inputs` are as
  /// many as were said to the constructor (asserted).
  [[nodiscard]] double predict(std::span<const double> inputs) const;

 private:
  std::size_t inputs_ = 0;
  double gamma_ = 0;
  double rho_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> elements_;  // inputs_ of each vector
};

}  // namespace sidecore::metrics
