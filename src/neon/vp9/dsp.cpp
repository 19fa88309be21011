#include "neon/vp9/dsp.h"

namespace sidecore::neon {

const vp9::DspTables& vp9_dsp() {
  static const vp9::DspTables tables = [] {
    vp9::DspTables all = vp9::scalar_dsp();
    all.name = "NEON";
    const auto add_all = [](auto& dsp) {
      add_loop_filter(dsp);
      add_inverse_transforms(dsp);
      add_inter_copies(dsp);
      add_inter_prediction(dsp);
      add_intra_predictions(dsp);
    };
    add_all(all.bits_8);
    add_all(all.bits_10);
    add_all(all.bits_12);
    return all;
  }();
  return tables;
}

}  // namespace sidecore::neon
