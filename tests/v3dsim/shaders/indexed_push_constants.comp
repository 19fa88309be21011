// acceptance: 3
// Push constants indexed by a variable, different in each dispatch. The driver copies them to its own
// buffer, which it lists only for the first job of a command buffer.
// run: --groups 1,1,1 --dispatches 3 --push 17 5 7 11 13 19 23 29 --push-step 3 --buffer 0.0:256:161
// with: BOUNDS=live
// refused: BOUNDS=job --groups 1,1,1 --dispatches 2 --push 17 5 7 11 13 19 23 29 --push-step 3 --buffer 0.0:256:161
// message: that the driver did not list for the job
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer State { uint state[64]; };
layout(push_constant, std430) uniform Push { uint table[8]; } push;

void main() {
  const uint at = gl_GlobalInvocationID.x;
  state[at] = state[at] * 31u + push.table[state[at] & 7u];
}
