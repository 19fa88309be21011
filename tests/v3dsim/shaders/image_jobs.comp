// acceptance: 2
// Jobs on images, which units other than the QPUs execute: a clear is drawn, a copy is a texture
// formatting job.
// refused: --groups 1,1,1 --image 0.1:64x64 --image-job clear --buffer 0.0:16384
// message: uses a tiled image
// refused: --groups 1,1,1 --image 0.1:64x64 --image-job copy --buffer 0.0:16384
// message: texture formatting job
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer Data { uint words[]; };

void main() { words[gl_GlobalInvocationID.x] += 1u; }
