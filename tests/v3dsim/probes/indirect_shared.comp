// probes: indirect jobs with shared memory
// Runs many workgroups in an indirect dispatch, although the driver allocates shared memory for only one.
// run: --groups 96,1,1 --indirect --buffer 0.0:98304:303 --buffer 0.1:98304
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };
shared uint mirror[256];

void main() {
  mirror[gl_LocalInvocationIndex] = values[gl_GlobalInvocationID.x];
  barrier();
  results[gl_GlobalInvocationID.x] = mirror[255u - gl_LocalInvocationIndex];
}
