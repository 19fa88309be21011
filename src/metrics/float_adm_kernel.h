// Code that float_adm's scalar and NEON implementations share.
#pragma once

#include <memory>
#include <vector>

#include "metrics/float_adm.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// Returns the options of a request for float_adm.
[[nodiscard]] AdmOptions adm_options(const FeatureRequest& request);

/// Returns true if requests with these options can share AdmSums, because all other options act on
/// the scores alone.
[[nodiscard]] bool can_share_adm_sums(const AdmOptions& a, const AdmOptions& b);

/// Writes a request's outputs in their order, and returns their number.
std::size_t write_adm_outputs(const AdmSums& sums, const video::PictureFormat& format,
                              const FeatureRequest& request, std::span<double> outputs);

/// All requests for float_adm, and the distinct options for which sums are computed. Request::sums
/// is the request's index into AdmRequests::sums.
struct AdmRequests {
  std::vector<AdmOptions> sums;
  struct Request {
    FeatureRequest request;
    std::size_t sums = 0;
  };
  std::vector<Request> requests;

  explicit AdmRequests(std::span<const FeatureRequest> all);
};

using MakeAdmSummer = std::unique_ptr<AdmSummer> (*)(const video::PictureFormat& format,
                                                     const AdmOptions& options,
                                                     std::size_t threads);

/// Makes a kernel of the family float_adm.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_adm_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, MakeAdmSummer make);

}  // namespace sidecore::metrics
