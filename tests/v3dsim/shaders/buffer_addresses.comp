// acceptance: 3
// Accesses buffers by their device addresses, which have 32 bits on V3D.
// run: --both --groups 4,1,1 --push-addresses --push 5 --buffer 0.0:1024:151 --buffer 0.1:1024
// The driver does not list such buffers for an indirect job.
// with: BOUNDS=live
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant, std430) uniform Push { Words source; Words target; uint factor; } push;

void main() {
  const uint at = gl_GlobalInvocationID.x;
  push.target.words[at] = push.source.words[at] * push.factor;
}
