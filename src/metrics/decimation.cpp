#include "metrics/decimation.h"

#include <cassert>

namespace sidecore::metrics {
namespace {

constexpr float kHalving[kHalvingTaps][kHalvingTaps] = {
    {.000714F, -.000450F, -.002090F, .007132F, .016114F, .007132F, -.002090F, -.000450F, .000714F},
    {-.000450F, .000283F, .001316F, -.004490F, -.010146F, -.004490F, .001316F, .000283F, -.000450F},
    {-.002090F, .001316F, .006115F, -.020867F, -.047149F, -.020867F, .006115F, .001316F, -.002090F},
    {.007132F, -.004490F, -.020867F, .071207F, .160885F, .071207F, -.020867F, -.004490F, .007132F},
    {.016114F, -.010146F, -.047149F, .160885F, .363505F, .160885F, -.047149F, -.010146F, .016114F},
    {.007132F, -.004490F, -.020867F, .071207F, .160885F, .071207F, -.020867F, -.004490F, .007132F},
    {-.002090F, .001316F, .006115F, -.020867F, -.047149F, -.020867F, .006115F, .001316F, -.002090F},
    {-.000450F, .000283F, .001316F, -.004490F, -.010146F, -.004490F, .001316F, .000283F, -.000450F},
    {.000714F, -.000450F, -.002090F, .007132F, .016114F, .007132F, -.002090F, -.000450F, .000714F}};

// weight(v, u) is the weight of the tap in row v and column u of the kernel, counted from 0.
template <class Weight>
void decimate(ConstFloatView from, int factor, int taps, Weight weight, FloatView to) {
  assert(to.width == decimated_size(from.width, factor));
  assert(to.height == decimated_size(from.height, factor));
  const int before = taps / 2;
  for (int y = 0; y < to.height; ++y) {
    float* const out = to.row(y);
    for (int x = 0; x < to.width; ++x) {
      double sum = 0;
      for (int v = 0; v < taps; ++v) {
        const float* const row = from.row(mirror(y * factor + v - before, from.height));
        for (int u = 0; u < taps; ++u) {
          const float product = row[mirror(x * factor + u - before, from.width)] * weight(v, u);
          sum += product;
        }
      }
      out[x] = static_cast<float>(sum);
    }
  }
}

}  // namespace

float box_weight(int factor) {
  return 1.0F / static_cast<float>(factor * factor);
}

void decimate_box(ConstFloatView from, int factor, FloatView to) {
  const float each = box_weight(factor);
  decimate(
      from, factor, factor, [each](int, int) { return each; }, to);
}

void halve(ConstFloatView from, FloatView to) {
  decimate(
      from, 2, kHalvingTaps, [](int v, int u) { return kHalving[v][u]; }, to);
}

const float (&halving_kernel())[kHalvingTaps][kHalvingTaps] {
  return kHalving;
}

}  // namespace sidecore::metrics
