#include "neon/metrics/float_adm.h"
#include "kernels/metrics/adm_workload.h"
#include "kernels/registry.h"
#include "metrics/float_adm_sums.h"
#include "qpu/metrics/float_adm.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::AdmSums;

class FloatAdmWorkload final : public AdmRowsWorkload<AdmSums::Scale, float> {
 public:
  using AdmRowsWorkload::AdmRowsWorkload;

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    run(scalar_, memory, units);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    run(neon_, memory, units);
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto totals = device.create_buffer(qpu::FloatAdm::kResultBytes);
    qpu::FloatAdm(device, format(), {})
        .record(list, plane_range(memory, Plane::reference), stride(),
                plane_range(memory, Plane::distorted), stride(), result_range(memory),
                {.buffer = totals.get()});
  }

 private:
  template <class Summer>
  void run(SummerPool<Summer>& summers, std::span<std::byte> memory, UnitRange units) const {
    const auto make = [&] { return std::make_unique<Summer>(format(), metrics::AdmOptions{}, 1); };
    summers.use(make, [&](Summer& summer) {
      CallingThread thread;
      summer.row_sums(luma(memory, Plane::reference), luma(memory, Plane::distorted),
                      rows_of(units), thread, row_sums(memory));
    });
  }

  mutable SummerPool<metrics::FloatAdm> scalar_;
  mutable SummerPool<neon::FloatAdm> neon_;
};

std::unique_ptr<gates::Workload> make_float_adm_workload(const gates::WorkloadRequest& request) {
  return std::make_unique<FloatAdmWorkload>(request, luma_format(request, "float_adm"));
}

}  // namespace

// Makes the kernel float_adm, with the QPU variant `strips`.
std::vector<gates::Kernel> float_adm_kernels() {
  return {{.name = "float_adm",
           .description = "wavelet detail loss and impairment of two luma planes, for float_adm",
           .unit = "row",
           .module = "metrics",
           .variants = {{"strips",
                         {"float_adm_luma", "float_adm_bands", "float_adm_masking",
                          "float_adm_recompute", "float_adm_rows", "float_adm_total"}}},
           // At this width the bands have 23, 12, 6 and 3 columns, so that strips and vectors end
           // at many columns.
           .agreement_width = 45,
           .make_workload = make_float_adm_workload}};
}

}  // namespace sidecore::bench
