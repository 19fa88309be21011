// The published loop filter h_8 of VP9 (specification, section 8.8), for vertical edges. One invocation
// filters a row, eight invocations filter an edge. Samples are loaded and stored one by one.
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(push_constant, std430) uniform Push { uint edge_count; uint stride; };

int clamped(int value) { return clamp(value, -128, 127); }

void main() {
  const uint index = gl_GlobalInvocationID.x >> 3;
  if (index >= edge_count) return;
  const uvec2 edge = edges[index];
  const uint at = edge.x + (gl_GlobalInvocationID.x & 7u) * stride;
  const int blimit = int(edge.y & 255u), limit = int((edge.y >> 8) & 255u), thresh = int((edge.y >> 16) & 255u);
  const int p3 = int(plane[at - 4u]), p2 = int(plane[at - 3u]), p1 = int(plane[at - 2u]), p0 = int(plane[at - 1u]);
  const int q0 = int(plane[at]), q1 = int(plane[at + 1u]), q2 = int(plane[at + 2u]), q3 = int(plane[at + 3u]);
  const bool mask = abs(p3 - p2) <= limit && abs(p2 - p1) <= limit && abs(p1 - p0) <= limit &&
                    abs(q1 - q0) <= limit && abs(q2 - q1) <= limit && abs(q3 - q2) <= limit &&
                    abs(p0 - q0) * 2 + (abs(p1 - q1) >> 1) <= blimit;
  if (!mask) return;
  const bool flat_row = abs(p1 - p0) <= 1 && abs(q1 - q0) <= 1 && abs(p2 - p0) <= 1 && abs(q2 - q0) <= 1 &&
                        abs(p3 - p0) <= 1 && abs(q3 - q0) <= 1;
  if (flat_row) {
    plane[at - 3u] = uint8_t((3 * p3 + 2 * p2 + p1 + p0 + q0 + 4) >> 3);
    plane[at - 2u] = uint8_t((2 * p3 + p2 + 2 * p1 + p0 + q0 + q1 + 4) >> 3);
    plane[at - 1u] = uint8_t((p3 + p2 + p1 + 2 * p0 + q0 + q1 + q2 + 4) >> 3);
    plane[at] = uint8_t((p2 + p1 + p0 + 2 * q0 + q1 + q2 + q3 + 4) >> 3);
    plane[at + 1u] = uint8_t((p1 + p0 + q0 + 2 * q1 + q2 + 2 * q3 + 4) >> 3);
    plane[at + 2u] = uint8_t((p0 + q0 + q1 + 2 * q2 + 3 * q3 + 4) >> 3);
    return;
  }
  const bool hev = abs(p1 - p0) > thresh || abs(q1 - q0) > thresh;
  const int base = clamped((hev ? clamped(p1 - q1) : 0) + 3 * (q0 - p0));
  const int filter1 = clamped(base + 4) >> 3, filter2 = clamped(base + 3) >> 3;
  plane[at] = uint8_t(clamped(q0 - 128 - filter1) + 128);
  plane[at - 1u] = uint8_t(clamped(p0 - 128 + filter2) + 128);
  if (!hev) {
    const int inner = (filter1 + 1) >> 1;
    plane[at + 1u] = uint8_t(clamped(q1 - 128 - inner) + 128);
    plane[at - 2u] = uint8_t(clamped(p1 - 128 + inner) + 128);
  }
}
