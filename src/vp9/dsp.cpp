#include "vp9/dsp.h"

#include "base/error.h"
#include "vp9/inverse_transform.h"

namespace sidecore::vp9 {
namespace {

template <class Sample>
Dsp<Sample> scalar_table(int bits) {
  Dsp<Sample> dsp{.bits = bits};
  add_scalar_loop_filter(dsp);
  add_scalar_inverse_transforms(dsp);
  add_scalar_inter_prediction(dsp);
  add_scalar_intra_predictions(dsp);
  return dsp;
}

}  // namespace

StreamDsp DspTables::of(int bits) const {
  switch (bits) {
    case 8:
      return &bits_8;
    case 10:
      return &bits_10;
    case 12:
      return &bits_12;
    default:
      throw usage_error("no {} kernels exist for samples of {} bits: the depth must be 8, 10 or 12",
                        name, bits);
  }
}

const DspTables& scalar_dsp() {
  static const DspTables tables{"scalar", scalar_table<std::uint8_t>(8),
                                scalar_table<std::uint16_t>(10), scalar_table<std::uint16_t>(12)};
  return tables;
}

}  // namespace sidecore::vp9
