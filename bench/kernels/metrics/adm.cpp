#include "metrics/adm.h"
#include "kernels/metrics/adm_workload.h"
#include "kernels/registry.h"
#include "neon/metrics/adm.h"
#include "qpu/metrics/adm.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::IntegerAdmSummer;
using metrics::IntegerAdmSums;

class AdmWorkload final : public AdmRowsWorkload<IntegerAdmSums, std::uint64_t> {
 public:
  AdmWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : AdmRowsWorkload(request, format), adm_(default_request(format)) {}

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    run(scalar_, metrics::adm_rows(), memory, units);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    run(neon_, neon::adm_rows(), memory, units);
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto totals = device.create_buffer(qpu::Adm::kResultBytes);
    const qpu::Adm kernel(device, format());
    kernel.record_transform(list, plane_range(memory, Plane::reference), stride(),
                            plane_range(memory, Plane::distorted), stride());
    kernel.record_sums(list, adm_, result_range(memory), {.buffer = totals.get()});
  }

 private:
  static metrics::IntegerAdmRequest default_request(const video::PictureFormat& format) {
    const metrics::FeatureRequest requests[] = {metrics::parse_feature_request("adm")};
    requests[0].check(format);
    return metrics::integer_adm_requests(format, requests).front();
  }

  void run(SummerPool<IntegerAdmSummer>& summers, const metrics::AdmRowFunctions& functions,
           std::span<std::byte> memory, UnitRange units) const {
    const auto make = [&] {
      return std::make_unique<IntegerAdmSummer>(format(), adm_.scales, 1, functions);
    };
    summers.use(make, [&](IntegerAdmSummer& summer) {
      CallingThread thread;
      const metrics::AdmRows rows = rows_of(units);
      summer.transform(luma(memory, Plane::reference), luma(memory, Plane::distorted), rows,
                       thread);
      const auto sums = row_sums(memory);
      for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
        const int before = rows[k].first - adm_.scales[k].geometry.summed.top;
        summer.sum_rows(adm_.scales[k], rows[k], thread,
                        sums[k].subspan(static_cast<std::size_t>(before)));
      }
    });
  }

  metrics::IntegerAdmRequest adm_;
  mutable SummerPool<IntegerAdmSummer> scalar_;
  mutable SummerPool<IntegerAdmSummer> neon_;
};

std::unique_ptr<gates::Workload> make_adm_workload(const gates::WorkloadRequest& request) {
  return std::make_unique<AdmWorkload>(request, luma_format(request, "adm"));
}

}  // namespace

// Makes the kernel adm, with the QPU variant `quads`.
std::vector<gates::Kernel> adm_kernels() {
  return {
      {.name = "adm",
       .description = "wavelet detail loss and impairment of two luma planes in integers, for adm",
       .unit = "row",
       .module = "metrics",
       .variants = {{"quads", {"adm_luma", "adm_bands", "adm_details", "adm_rows", "adm_total"}}},
       // At this width the bands have 23, 12, 6 and 3 columns, so that vectors end at many
       // different columns.
       .agreement_width = 45,
       .make_workload = make_adm_workload}};
}

}  // namespace sidecore::bench
