// acceptance: 2
// The tree reduction of shared_reduction.comp without the barrier between its levels.
// refused: RACES=1 --groups 5,1,1 --buffer 0.0:5120:3 --buffer 0.1:64
// message: race
// refused: RACES=1 ORDER=random SEED=5 --groups 5,1,1 --buffer 0.0:5120:3 --buffer 0.1:64
// message: race
// refused: RACES=ordered-lanes --groups 5,1,1 --buffer 0.0:5120:3 --buffer 0.1:64
// message: race
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { uint sums[]; };
shared uint partial[256];

void main() {
  const uint self = gl_LocalInvocationIndex;
  partial[self] = values[gl_GlobalInvocationID.x];
  barrier();
  for (uint half_width = 128u; half_width > 0u; half_width >>= 1) {
    if (self < half_width) partial[self] += partial[self + half_width];
    memoryBarrierShared();
  }
  barrier();
  if (self == 0u) sums[gl_WorkGroupID.x] = partial[0];
}
