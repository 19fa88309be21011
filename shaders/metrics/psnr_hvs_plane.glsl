// Which plane a row of blocks belongs to, and samples of a picture.

layout(constant_id = 0) const uint kSampleBytes = 1u;
const uint kSamplesAWord = 4u / kSampleBytes;
const uint kSampleBits = 8u * kSampleBytes;

uint plane_of_row(uint row) {
  return (row >= push.planes[1].first_row ? 1u : 0u) + (row >= push.planes[2].first_row ? 1u : 0u);
}
