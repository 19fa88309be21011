// Support vector regression with a Gaussian kernel, which predicts a VMAF model's score (Schoelkopf
// et al., "New support vector algorithms", 2000).
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

  /// Reads libsvm's text of a nu-SVR with `inputs` inputs and kernel exp(-gamma |x - y|^2). The
  /// text is a header that ends with "SV", then per vector its coefficient and "i:value" for each
  /// element that is not 0, with i counted from 1. Throws Error (usage), which names `origin`, for
  /// any other text.
  SupportVectors(std::string_view text, std::size_t inputs, const std::string& origin);

  /// Returns the prediction. It adds in the order of the vectors and of the elements in each, as
  /// libsvm does. `inputs` must have the constructor's number of elements (asserted).
  [[nodiscard]] double predict(std::span<const double> inputs) const;

 private:
  std::size_t inputs_ = 0;
  double gamma_ = 0;
  double rho_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> elements_;  // `inputs_` elements per vector
};

}  // namespace sidecore::metrics
