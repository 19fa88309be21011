// acceptance: 2
// Barriers that some invocations of a thread skip: in an if, in each branch of one, after a return.
// refused: --groups 1,1,1 --buffer 0.0:256:191 --constant 0=0
// message: a barrier in divergent flow
// refused: --groups 1,1,1 --buffer 0.0:256:191 --constant 0=1
// message: a barrier in divergent flow
// refused: --groups 1,1,1 --buffer 0.0:256:191 --constant 0=2
// message: a barrier in divergent flow
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kForm = 0u;
layout(set = 0, binding = 0, std430) buffer Data { uint words[]; };
shared uint values[64];

void main() {
  const uint i = gl_LocalInvocationIndex;
  values[i] = words[i];
  const bool odd = (i & 1u) != 0u;
  if (kForm == 0u) {
    if (odd) {
      values[i] += 1u;
      barrier();
    }
  } else if (kForm == 1u) {
    if (odd) {
      values[i] += 1u;
      barrier();
      values[i] *= 3u;
    } else {
      values[i] += 2u;
      barrier();
      values[i] *= 5u;
    }
  } else {
    if (odd) return;
    barrier();
  }
  words[i] = values[63u - i];
}
