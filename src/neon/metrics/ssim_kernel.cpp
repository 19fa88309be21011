#include "metrics/ssim_kernel.h"

#include "neon/metrics/families.h"
#include "neon/metrics/ssim.h"
#include "neon/metrics/ssim_decimation.h"

namespace sidecore::neon {
namespace {

class NeonSsim final : public metrics::SsimArithmetic {
 public:
  NeonSsim(int width, std::size_t threads) : decimation_(width, threads), ssim_(width, threads) {}

  void decimate_box(metrics::ConstFloatView from, int factor, metrics::FloatView to,
                    ThreadTeam& rows) override {
    decimation_.box(from, factor, to, rows);
  }
  void halve(metrics::ConstFloatView from, metrics::FloatView to, ThreadTeam& rows) override {
    decimation_.halve(from, to, rows);
  }
  [[nodiscard]] metrics::SsimMeans means(metrics::ConstFloatView a, metrics::ConstFloatView b,
                                         const metrics::SsimParts& needed,
                                         ThreadTeam& rows) override {
    return ssim_(a, b, needed, rows);
  }
  [[nodiscard]] float mean_in_order(metrics::ConstFloatView a, metrics::ConstFloatView b,
                                    metrics::SsimPart part) override {
    return ssim_.in_raster_order(a, b, part);
  }
  [[nodiscard]] bool reads_bytes() const override { return true; }
  [[nodiscard]] metrics::SsimMeans means_of_bytes(metrics::ConstByteView a,
                                                  metrics::ConstByteView b,
                                                  const metrics::SsimParts& needed,
                                                  ThreadTeam& rows) override {
    return ssim_(a, b, needed, rows);
  }
  [[nodiscard]] float mean_of_bytes_in_order(metrics::ConstByteView a, metrics::ConstByteView b,
                                             metrics::SsimPart part) override {
    return ssim_.in_raster_order(a, b, part);
  }

 private:
  SsimDecimation decimation_;
  Ssim ssim_;
};

}  // namespace

std::unique_ptr<metrics::PairKernel> make_ssim(const video::PictureFormat& format,
                                               std::span<const metrics::FeatureRequest> requests,
                                               std::size_t threads) {
  return metrics::make_ssim_kernel(format, requests,
                                   std::make_unique<NeonSsim>(format.width, threads));
}

}  // namespace sidecore::neon
