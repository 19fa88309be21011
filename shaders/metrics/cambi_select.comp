// Selects the contrasts that are added up, if more than that number differ from 0, and adds them. All sums
// are independent of their order, so it is enough to know the smallest contrast that is added up. Its
// digits are found one by one, from histograms that earlier dispatches computed.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/cambi.interface.h"

const uint kInvocations = 256u;
const uint kSum64Invocations = kInvocations;
#include "sum64.glsl"
#include "metrics/cambi_fixed.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Tables { CambiTables tables; };
layout(set = 0, binding = 1, std430) readonly buffer Contrasts { uint contrasts[]; };
layout(set = 0, binding = 2, std430) buffer Histograms { uint histograms[]; };
layout(set = 0, binding = 3, std430) buffer Sums { CambiSums sums[]; };
layout(push_constant, std430) uniform Push { CambiSelectPush push; };

// Numbers of contrasts from a pair of bins to the last bin; later the histogram of this workgroup.
shared uint bins[kCambiBins];
shared uint low_bits;
shared uvec2 found;  // a digit, and the number of contrasts with that digit that are added up

uint first_bin(uint scale, uint digit) { return (scale * kCambiDigits + digit) * kCambiBins; }

// Returns, as `found`, the digit of the contrast that is the `wanted`th largest.
uvec2 find_digit(uint histogram, uint wanted) {
  const uint self = gl_LocalInvocationIndex;
  const uvec2 own = uvec2(histograms[histogram + 2u * self], histograms[histogram + 2u * self + 1u]);
  bins[self] = own.x + own.y;
  // bins[self] becomes the sum of itself and all later bins.
  for (uint distance = 1u; distance < kInvocations; distance <<= 1) {
    barrier();
    const uint behind = self + distance < kInvocations ? bins[self + distance] : 0u;
    barrier();
    bins[self] += behind;
  }
  barrier();
  const uint behind = bins[self] - own.x - own.y;
  if (behind < wanted && bins[self] >= wanted) {
    const bool upper = behind + own.y >= wanted;
    found = upper ? uvec2(2u * self + 1u, wanted - behind) : uvec2(2u * self, wanted - behind - own.y);
  }
  barrier();
  return found;
}

void main() {
  const uint self = gl_LocalInvocationIndex;
  const uint number = gl_WorkGroupID.y;
  const CambiScale scale = tables.scales[number];
  const uint size = scale.width * scale.height;
  const uint first = gl_WorkGroupID.x * kCambiSelected;
  // If at most scale.largest contrasts differ from 0, the sum of all is already known.
  if (first >= size || sums[number].contrasts <= scale.largest) return;
  const uint end = min(first + kCambiSelected, size);

  uint least = 0u;  // bits of the smallest added contrast, as found so far
  uint wanted = scale.largest;
  for (uint digit = 0u; digit < push.digit; ++digit) {
    const uvec2 next = find_digit(first_bin(number, digit), wanted);
    least = least << kCambiDigitBits | next.x;
    wanted = next.y;
    barrier();
  }

  if (push.digit == kCambiDigits) {
    uvec2 sum = uvec2(0u);
    uint own_low_bits = 0u;
    if (self == 0u) low_bits = 0u;
    barrier();
    for (uint i = first + self; i < end; i += kInvocations) {
      const uint bits = contrasts[scale.contrasts + i];
      if (bits > least + kCambiLeastContrast) {
        const uvec2 units = contrast_units(bits);
        sum = add64(sum, units);
        own_low_bits |= units.x;
      }
    }
    if (own_low_bits != 0u) atomicOr(low_bits, own_low_bits);
    sum = workgroup_sum64(sum);
    if (self == 0u) {
      atomicAdd(sums[number].above[0], sum.x & 0xffffu);
      atomicAdd(sums[number].above[1], sum.x >> 16);
      atomicAdd(sums[number].above[2], sum.y & 0xffffu);
      atomicAdd(sums[number].above[3], sum.y >> 16);
      atomicOr(sums[number].above_low_bits, low_bits);
      if (first == 0u) {
        sums[number].least = least + kCambiLeastContrast;
        sums[number].times = wanted;
      }
    }
    return;
  }

  for (uint i = self; i < kCambiBins; i += kInvocations) bins[i] = 0u;
  barrier();
  const uint shift = (kCambiDigits - 1u - push.digit) * kCambiDigitBits;
  for (uint i = first + self; i < end; i += kInvocations) {
    const uint bits = contrasts[scale.contrasts + i];
    if (bits < kCambiLeastContrast) continue;
    const uint digits = bits - kCambiLeastContrast >> shift;
    if (digits >> kCambiDigitBits == least) atomicAdd(bins[digits & (kCambiBins - 1u)], 1u);
  }
  barrier();
  const uint histogram = first_bin(number, push.digit);
  for (uint i = self; i < kCambiBins; i += kInvocations) {
    if (bins[i] != 0u) atomicAdd(histograms[histogram + i], bins[i]);
  }
}
