// acceptance: 2
// A store far outside its buffer; with robustBufferAccess it does no harm.
// refused: --groups 1,1,1 --buffer 0.0:256:171
// message: outside every buffer
// accepted: --robust --groups 1,1,1 --buffer 0.0:256:171
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Data { uint words[]; };

void main() { words[gl_GlobalInvocationID.x + 4000000u] = 1u; }
