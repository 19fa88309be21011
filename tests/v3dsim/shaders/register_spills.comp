// Keeps more values alive at once than there are registers, so that the compiler must spill in any schedule.
// run: --groups 2,1,1 --buffer 0.0:16384:61 --buffer 0.1:512
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

#define EACH(DO) DO(a0) DO(a1) DO(a2) DO(a3) DO(a4) DO(a5) DO(a6) DO(a7) DO(a8) DO(a9) DO(a10) \
  DO(a11) DO(a12) DO(a13) DO(a14) DO(a15) DO(a16) DO(a17) DO(a18) DO(a19) DO(a20) DO(a21) DO(a22) \
  DO(a23) DO(a24) DO(a25) DO(a26) DO(a27) DO(a28) DO(a29) DO(a30) DO(a31) DO(a32) DO(a33) DO(a34) \
  DO(a35) DO(a36) DO(a37) DO(a38) DO(a39) DO(a40) DO(a41) DO(a42) DO(a43) DO(a44) DO(a45) DO(a46) \
  DO(a47) DO(a48) DO(a49) DO(a50) DO(a51) DO(a52) DO(a53) DO(a54) DO(a55) DO(a56) DO(a57) DO(a58) \
  DO(a59) DO(a60) DO(a61) DO(a62) DO(a63) DO(a64) DO(a65) DO(a66) DO(a67) DO(a68) DO(a69) DO(a70) \
  DO(a71)
#define READ(a) uint a = values[(next += 5u) & 4095u];
#define MIX(a) mix_of_all = (mix_of_all << 5 | mix_of_all >> 27) ^ a;
#define STIR(a) before = a = (a ^ mix_of_all) + before;

void main() {
  uint next = gl_GlobalInvocationID.x * 17u;
  uint mix_of_all = 0u, before = 1u;
  EACH(READ)
  // Every round uses all values of the previous round, so that all are alive at once.
  EACH(MIX) EACH(STIR)
  EACH(MIX) EACH(STIR)
  EACH(MIX)
  results[gl_GlobalInvocationID.x] = mix_of_all;
}
