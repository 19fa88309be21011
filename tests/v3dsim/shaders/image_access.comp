// acceptance: 2
// Loads from an image, which uses the texture unit.
// refused: --groups 1,1,1 --image 0.1:64x64 --buffer 0.0:16384
// message: texture
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer Data { uint words[]; };
layout(set = 0, binding = 1, r32ui) uniform readonly uimage2D picture;

void main() {
  words[gl_GlobalInvocationID.x] = imageLoad(picture, ivec2(gl_GlobalInvocationID.xx)).x;
}
