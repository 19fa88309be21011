# Builds dav1d for ARM from the sources of Debian's packages. Scripts source this file after lib.sh and
# foreign_packages.sh.
# shellcheck shell=bash

# Checksums of the archives in Debian's pool.
declare -Ar DAV1D_SUMS=(
  [1.0.0]=51737db7e4897e599684f873a4725176dd3c779e639411d7c4fce134bb5ebb82 # Debian 12
  [1.5.1]=401813f1f89fa8fd4295805aa5284d9aed9bc7fc1fdbe554af4292f64cbabe21 # Debian 13
)

# unpack_dav1d VERSION DIRECTORY: downloads the sources, unless DIRECTORY has the archive, and unpacks them into
# DIRECTORY/dav1d-VERSION.
unpack_dav1d() {
  local version=$1 archive=$2/dav1d_$1.orig.tar.xz uri
  command -v meson >/dev/null || fail $EXIT_ENVIRONMENT "meson is not installed: scripts/setup models"
  mkdir -p "$2"
  if ! sha256sum --status -c <<<"${DAV1D_SUMS[$version]}  $archive" 2>/dev/null; then
    read -r uri _ < <(configured_mirror) || fail $EXIT_ENVIRONMENT "apt has no Debian archive among its sources"
    curl --fail --silent --show-error --location -o "$archive" "$uri/pool/main/d/dav1d/dav1d_$version.orig.tar.xz" ||
      fail $EXIT_ENVIRONMENT "dav1d $version could not be downloaded from $uri"
    sha256sum --status -c <<<"${DAV1D_SUMS[$version]}  $archive" ||
      fail 1 "$archive has another checksum than ${DAV1D_SUMS[$version]}"
  fi
  rm -rf "$2/dav1d-$version"
  tar -C "$2" -xf "$archive"
}

# build_dav1d TREE TARGET: builds a target of the unpacked sources in TREE/build, for ARM.
build_dav1d() {
  local tree=$1 target=$2
  cat >"$tree/cross" <<TEXT
[binaries]
c = 'aarch64-linux-gnu-gcc-12'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
TEXT
  local -a options=(--cross-file "$tree/cross" --buildtype release --default-library static -Denable_tools=false
    -Denable_examples=false)
  ! grep -q trim_dsp "$tree/meson_options.txt" || options+=(-Dtrim_dsp=false)
  { meson setup "$tree/build" "$tree" "${options[@]}" && ninja -C "$tree/build" "$target"; } >"$tree/build.log" 2>&1 ||
    { tail -n 20 "$tree/build.log" >&2 && fail 1 "$target of $(basename "$tree") does not build"; }
}
