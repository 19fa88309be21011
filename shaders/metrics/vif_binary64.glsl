// Computes the `kept` information of a window as binary64 does, with all roundings to nearest even. It serves
// the few windows that vif_information.glsl leaves undecided. Include this file after that one; a test
// includes it as C++.

// Number mantissa * 2^exponent; the mantissa has 53 bits.
struct VifBinary64 {
  uint high;
  uint low;
  int exponent;
};

VifBinary64 binary64_of(uint number) {
  const int last = findMSB(number);
  const uint by = uint(52 - last);  // the shift is by at least 21 bits
  VifBinary64 result;
  result.high = by >= 32u ? number << (by - 32u) : number >> (32u - by);
  result.low = by >= 32u ? 0u : number << by;
  result.exponent = last - 52;
  return result;
}

// Converts a number from 1 to below 2^20 with 64 fractional bits. Its bits other than 0 must fit into the
// mantissa.
VifBinary64 binary64_of_fixed(uint whole, uint fraction_high, uint fraction_low) {
  VifBinary64 result = binary64_of(whole);
  const uint by = uint(64 + result.exponent);  // the shift is by 12 to 31 bits
  result.high |= fraction_high >> by;
  result.low = fraction_low >> by | fraction_high << (32u - by);
  return result;
}

VifBinary64 binary64_rounded(VifBinary64 value, bool up) {
  if (up) {
    value.low += 1u;
    if (value.low == 0u) value.high += 1u;
    if (value.high == 0x200000u) {
      value.high = 0x100000u;
      value.exponent += 1;
    }
  }
  return value;
}

VifBinary64 binary64_product(VifBinary64 a, VifBinary64 b) {
  // The product of the mantissas is computed, 105 or 106 bits, in four words.
  const uint cross = a.low * b.high;
  const uint other = a.high * b.low;
  const uint square = a.high * b.high;
  const uint word0 = a.low * b.low;
  uint word1 = vif_high_product(a.low, b.low);
  // The sum of the two products cannot overflow, because each of them has at most 21 bits.
  uint word2 = vif_high_product(a.low, b.high) + vif_high_product(a.high, b.low);
  word1 += cross;
  word2 += word1 < cross ? 1u : 0u;
  word1 += other;
  word2 += word1 < other ? 1u : 0u;
  word2 += square;
  const uint word3 = vif_high_product(a.high, b.high) + (word2 < square ? 1u : 0u);

  const uint by = word3 >= 0x200u ? 21u : 20u;  // the whole shift is by `by` bits and one word
  VifBinary64 result;
  result.low = word1 >> by | word2 << (32u - by);
  result.high = word2 >> by | word3 << (32u - by);
  result.exponent = a.exponent + b.exponent + 32 + int(by);
  const bool half_unit = (word1 >> (by - 1u) & 1u) != 0u;
  const bool more = (word1 & ((1u << (by - 1u)) - 1u)) != 0u || word0 != 0u;
  return binary64_rounded(result, half_unit && (more || (result.low & 1u) != 0u));
}

bool binary64_not_less(uint a_high, uint a_low, uint b_high, uint b_low) {
  return a_high > b_high || (a_high == b_high && a_low >= b_low);
}

// Returns a / b, computed bit by bit.
VifBinary64 binary64_quotient(VifBinary64 a, VifBinary64 b) {
  uint high = a.high;
  uint low = a.low;
  VifBinary64 result;
  result.exponent = a.exponent - b.exponent - 52;
  if (!binary64_not_less(high, low, b.high, b.low)) {
    high = high << 1 | low >> 31;
    low <<= 1;
    result.exponent -= 1;
  }
  // The quotient gets 53 bits plus one bit for rounding.
  uint quotient_high = 0u;
  uint quotient_low = 0u;
  for (int i = 0; i < 54; ++i) {
    quotient_high = quotient_high << 1 | quotient_low >> 31;
    quotient_low <<= 1;
    if (binary64_not_less(high, low, b.high, b.low)) {
      high -= b.high + (low < b.low ? 1u : 0u);
      low -= b.low;
      quotient_low |= 1u;
    }
    high = high << 1 | low >> 31;
    low <<= 1;
  }
  result.high = quotient_high >> 1;
  result.low = quotient_low >> 1 | quotient_high << 31;
  const bool more = (high | low) != 0u;
  return binary64_rounded(result, (quotient_low & 1u) != 0u && (more || (result.low & 1u) != 0u));
}

// Returns the integer part of a number below 2^32 whose exponent is negative.
uint binary64_whole(VifBinary64 value) {
  const uint by = uint(-value.exponent);  // the shift is by more than 20 bits
  return by >= 53u ? 0u : by >= 32u ? value.high >> (by - 32u) : value.low >> by | value.high << (32u - by);
}

// Returns true if the fraction is at most 2^-bits, for 23 <= bits <= 54.
bool binary64_fraction_at_most(VifBinary64 value, uint bits) {
  const uint by = uint(-value.exponent);
  const uint high = by >= 53u ? value.high : by >= 32u ? value.high & ((1u << (by - 32u)) - 1u) : 0u;
  const uint low = by >= 32u ? value.low : value.low & ((1u << by) - 1u);
  if (by < bits) return (high | low) == 0u;
  const uint bound = by - bits;
  if (bound >= 53u) return true;
  return bound >= 32u ? binary64_not_less(1u << (bound - 32u), 0u, high, low)
                      : high == 0u && low <= 1u << bound;
}

// Returns the result of vif_kept() as binary64 computes it, for any window that may be passed to vif_kept().
int vif_kept_as_binary64(uint variance1, uint variance2, uint both, VifLimit limit) {
  const VifBinary64 first = binary64_of(variance1);
  const VifBinary64 covariance = binary64_of(both);

  // Computes variance1 + 65536e-10. The first bits of that constant are 0x1b7cdfd9d7bdbb * 2^-70; 3 to 16
  // bits of the high word are dropped.
  VifBinary64 divisor = first;
  const uint by = uint(first.exponent + 70 - 32);
  divisor.low += ((0x1b7cdfu >> (by - 1u)) + 1u) >> 1;
  if (divisor.low < first.low) divisor.high += 1u;
  const VifBinary64 gain = binary64_quotient(covariance, divisor);

  // variance2 - predicted is the whole number `most` minus the fraction of `predicted`. In binary64 this
  // difference rounds to `most` if the fraction is at most half a unit in the last place below `most`.
  // Otherwise its whole part is most - 1.
  const VifBinary64 predicted = binary64_product(gain, covariance);
  const uint whole = binary64_whole(predicted);
  uint noise = 131072u;
  if (variance2 > whole) {
    const uint most = variance2 - whole;
    const int last = most > 1u ? findMSB(most - 1u) : -1;
    noise += binary64_fraction_at_most(predicted, uint(53 - last)) ? most : most - 1u;
  }

  const VifBinary64 bound = binary64_of_fixed(limit.limit, limit.limit_high, limit.limit_low);
  const bool limited =
      gain.exponent > bound.exponent ||
      (gain.exponent == bound.exponent && binary64_not_less(gain.high, gain.low, bound.high, bound.low));
  VifBinary64 square = binary64_of_fixed(limit.square, limit.square_high, limit.square_low);
  if (!limited) square = binary64_product(gain, gain);
  const uint explained = binary64_whole(binary64_product(square, first));
  return vif_log2(explained + noise) - vif_log2(noise);
}
