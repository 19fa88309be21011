// acceptance: 2
// A histogram without atomics: invocations of different workgroups read and write the same words.
// refused: RACES=1 --groups 4,1,1 --buffer 0.0:1024:201 --buffer 0.1:64
// message: race
// refused: RACES=1 ORDER=random SEED=5 --groups 4,1,1 --buffer 0.0:1024:201 --buffer 0.1:64
// message: race
// refused: RACES=ordered-lanes --groups 4,1,1 --buffer 0.0:1024:201 --buffer 0.1:64
// message: race
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) buffer Output { uint histogram[16]; };

void main() { histogram[values[gl_GlobalInvocationID.x] & 15u] += 1u; }
