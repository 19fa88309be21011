// Reads samples from a picture stored in words.

layout(constant_id = 0) const uint kSampleBytes = 1u;
const uint kSamplesAWord = 4u / kSampleBytes;
const uint kSampleBits = 8u * kSampleBytes;
