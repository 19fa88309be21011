// Loads and stores of 2, 3 and 4 words at once, and of structures.
// run: --both --groups 4,1,1 --buffer 0.0:16384:161 --buffer 0.1:16384
#version 450
layout(local_size_x = 64) in;
struct Item { uvec4 four; uvec3 three; uint one; uvec2 two; uint tail[6]; };
layout(set = 0, binding = 0, std430) readonly buffer Input { Item source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { Item target[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const Item item = source[at];
  target[at].four = item.four.wzyx + item.one;
  target[at].three = item.three.zxy;
  target[at].one = item.two.x ^ item.two.y;
  target[at].two = item.two.yx;
  for (uint i = 0u; i < 6u; ++i) target[at].tail[i] = item.tail[5u - i];
}
