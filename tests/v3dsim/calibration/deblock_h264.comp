// Published shader for H.264's luma deblocking (section 8.7.2.3, boundary strength below 4): one lane per column of a
// horizontal edge of 16, or per row of a vertical one; samples are loaded and stored one by one.
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool kVerticalEdges = false;
layout(set = 0, binding = 0, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec4 edges[]; };
layout(push_constant, std430) uniform Push { uint edge_count; uint stride; };

void main() {
  const uint index = gl_GlobalInvocationID.x >> 4, column = gl_GlobalInvocationID.x & 15u;
  if (index >= edge_count) return;
  const uvec4 edge = edges[index];
  const int alpha = int(edge.y & 255u), beta = int(edge.y >> 8);
  const int tc0 = bitfieldExtract(int(edge.z), int(column >> 2) * 8, 8);
  if (tc0 < 0) return;
  const uint across = kVerticalEdges ? 1u : stride;
  const uint at = edge.x + column * (kVerticalEdges ? stride : 1u);
  const int p2 = int(plane[at - 3u * across]), p1 = int(plane[at - 2u * across]), p0 = int(plane[at - across]);
  const int q0 = int(plane[at]), q1 = int(plane[at + across]), q2 = int(plane[at + 2u * across]);
  if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) return;
  int tc = tc0;
  if (abs(p2 - p0) < beta) {
    plane[at - 2u * across] = uint8_t(p1 + clamp((p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1, -tc0, tc0));
    ++tc;
  }
  if (abs(q2 - q0) < beta) {
    plane[at + across] = uint8_t(q1 + clamp((q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1, -tc0, tc0));
    ++tc;
  }
  const int delta = clamp((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3, -tc, tc);
  plane[at - across] = uint8_t(clamp(p0 + delta, 0, 255));
  plane[at] = uint8_t(clamp(q0 - delta, 0, 255));
}
