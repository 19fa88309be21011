// The family psnr_hvs and its scalar kernel.
#include <memory>

#include "metrics/families.h"
#include "metrics/psnr_hvs.h"

namespace sidecore::metrics {
namespace {

class ScalarPsnrHvs final : public PairKernel {
 public:
  explicit ScalarPsnrHvs(const video::PictureFormat& format) : format_(format) {}

  // Threads take whole planes, because a plane's sum is one sequence of additions.
  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    rows.run(sums_.size(), [&](std::size_t plane, std::size_t) {
      sums_[plane] = hvs_sum(reference, distorted, static_cast<int>(plane));
    });
    write_psnr_hvs(psnr_hvs(sums_, format_), scores);
  }

 private:
  video::PictureFormat format_;
  std::array<float, 3> sums_{};
};

std::unique_ptr<PairKernel> make_scalar_psnr_hvs(const video::PictureFormat& format,
                                                 std::span<const FeatureRequest> /*the one*/,
                                                 std::size_t /*threads*/) {
  return std::make_unique<ScalarPsnrHvs>(format);
}

std::vector<std::string> psnr_hvs_outputs(const FeatureOptions& /*none*/) {
  return {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
}

void check_psnr_hvs_request(const video::PictureFormat& format, const FeatureOptions& /*none*/) {
  check_psnr_hvs(format);
}

}  // namespace

const FeatureFamily& psnr_hvs_family() {
  static constexpr std::array kFeatures{Feature{.name = "psnr_hvs",
                                                .exactness = "equal to libvmaf",
                                                .options = {},
                                                .outputs = psnr_hvs_outputs,
                                                .check = check_psnr_hvs_request,
                                                .reads_chroma = true}};
  static constexpr FeatureFamily kFamily{"psnr_hvs", kFeatures, make_scalar_psnr_hvs};
  return kFamily;
}

void write_psnr_hvs(const PsnrHvs& score, std::span<double> scores) {
  scores[0] = score.y;
  scores[1] = score.cb;
  scores[2] = score.cr;
  scores[3] = score.combined;
}

}  // namespace sidecore::metrics
