// The five moments of SSIM's windows, by number: 0 a, 1 b, 2 a*a, 3 b*b, 4 a*b.
const uint kMoments = 5u;

float term_of(uint moment, float a, float b) {
  precise const float product = (moment == 3u ? b : a) * (moment == 2u ? a : b);
  return moment == 0u ? a : (moment == 1u ? b : product);
}
