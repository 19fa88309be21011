// A tree reduction in shared memory with one barrier per level, and a prefix sum over the workgroup.
// run: --both --groups 5,1,1 --buffer 0.0:5120:3 --buffer 0.1:64 --buffer 0.2:5120
// The driver sizes shared memory of an indirect dispatch for one workgroup. Only an operating-system kernel that
// reads the grid itself knows that a job is indirect. If the driver reads it, this shader leaves its buffer.
// with: CPU_QUEUE=1
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { uint sums[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Prefixes { uint prefixes[]; };
shared uint partial[256];

void main() {
  const uint self = gl_LocalInvocationIndex;
  const uint value = values[gl_GlobalInvocationID.x];
  partial[self] = value;
  for (uint half_width = 128u; half_width > 0u; half_width >>= 1) {
    barrier();
    if (self < half_width) partial[self] += partial[self + half_width];
  }
  barrier();
  if (self == 0u) sums[gl_WorkGroupID.x] = partial[0];
  barrier();
  partial[self] = value;
  barrier();
  for (uint distance = 1u; distance < 256u; distance <<= 1) {
    const uint other = self >= distance ? partial[self - distance] : 0u;
    barrier();
    partial[self] += other;
    barrier();
  }
  prefixes[gl_GlobalInvocationID.x] = partial[self];
}
