# Counts the instructions that ARM programs execute under qemu-aarch64. Scripts source this file after lib.sh.
# shellcheck shell=bash

# start_timing: does what start_counting does, but $plugin is the plugin that computes times with the model of
# bench/armsim.
start_timing() {
  start_counting
  c++ -std=c++20 -O3 -fPIC -shared -Isrc -Ibench bench/tools/arm_timing_plugin.cpp bench/armsim/{pipeline,instruction,cache}.cpp \
    -o "$plugin"
}

# start_counting: prepares for counting. Sets $work, a directory that is deleted at exit, $qemu, the emulator, and
# $plugin, its plugin.
start_counting() {
  local tool
  qemu=${QEMU_AARCH64:-qemu-aarch64}
  for tool in c++ aarch64-linux-gnu-g++-12 "$qemu"; do
    command -v "$tool" >/dev/null || fail $EXIT_ENVIRONMENT "$tool is not installed: scripts/setup cross"
  done
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  plugin=$work/plugin.so
  c++ -std=c++20 -O2 -fPIC -shared -Ibench bench/tools/instruction_count_plugin.cpp -o "$plugin"
}

# Option of build_aarch64 for a program with line numbers, which assign instructions to stages.
readonly WITH_LINES='-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG -g1'

# build_aarch64 TARGET|-DOPTION...: builds the targets in build/aarch64, with the libraries of the sysroot.
build_aarch64() {
  local -a options=() targets=()
  local word
  for word; do if [[ $word == -D* ]]; then options+=("$word"); else targets+=("$word"); fi; done
  scripts/sysroot >&2
  { cmake --preset aarch64 -Wno-dev "${options[@]}" &&
    cmake --build --preset aarch64 --parallel "$(nproc)" --target "${targets[@]}"; } \
    >"$work/build.log" 2>&1 </dev/null || { cat "$work/build.log" >&2; fail 1 "the build in build/aarch64 failed: see the messages above"; }
}
