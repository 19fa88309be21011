# Unpacks Debian packages of another architecture or release into a directory, without root and without touching this
# machine's package state. Scripts source this file after lib.sh.
# shellcheck shell=bash

# qemu emulates a Raspberry Pi 5's processor. qemu's default processor has features that no board has, such as signed
# pointers, which make trixie's programs 17 times as slow.
export QEMU_CPU=${QEMU_CPU-cortex-a76}

# known_suite SUITE: fails unless scripts/package makes packages for this release.
known_suite() {
  [[ $1 == bookworm || $1 == trixie ]] || fail $EXIT_USAGE "the suite must be bookworm or trixie, not '$1'"
}

# sysroot_of SUITE: prints the folder of that release's ARM libraries.
sysroot_of() {
  local directory=$SIDECORE_ROOT/build/sysroot-arm64
  [[ $1 == bookworm ]] && echo "$directory" || echo "$directory-$1"
}

# foreign_apt_get: runs apt-get with private directories only. The lists, the (empty) set of installed packages and the
# cache are below $state, so that apt opens no lock and no file of the system for writing.
foreign_apt_get() {
  local state=$1 architecture=$2
  shift 2
  apt-get -qq \
    -o "Dir::Etc::sourcelist=$state/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null \
    -o "Dir::State=$state" \
    -o "Dir::State::lists=$state/lists" \
    -o "Dir::State::status=$state/status" \
    -o "Dir::Cache=$state/cache" \
    -o "APT::Architecture=$architecture" \
    -o "APT::Architectures=$architecture" \
    -o APT::Sandbox::User= \
    -o APT::Get::List-Cleanup=false \
    -o APT::Install-Recommends=false \
    -o Acquire::Languages=none \
    -o Acquire::Retries=3 \
    "$@"
}

# configured_sources [ETC_APT]: prints "URI SUITE KEYRING" of every enabled binary source with component main below
# /etc/apt, in apt's order. KEYRING is - if the source names none.
configured_sources() {
  local etc=${1:-/etc/apt} file
  for file in "$etc/sources.list" "$etc"/sources.list.d/*.list; do
    [[ -r $file ]] || continue
    # Parses one-line sources: deb [option=value ...] URI SUITE COMPONENT...
    sed -n 's/#.*//; s/^[ \t]*deb[ \t]\+//p' "$file" | awk '{
      keyring = "-"
      if (match($0, /^\[[^]]*\]/)) {
        options = substr($0, 2, RLENGTH - 2); $0 = substr($0, RLENGTH + 1)
        if (match(options, /signed-by=[^ ]+/)) keyring = substr(options, RSTART + 10, RLENGTH - 10)
      }
      for (i = 3; i <= NF; i++) if ($i == "main") print $1, $2, keyring
    }'
  done
  for file in "$etc"/sources.list.d/*.sources; do
    [[ -r $file ]] || continue
    # Parses paragraphs of "Field: values"; a line that starts with a blank continues the field above.
    { cat "$file"; echo; } | awk '
      /^#/ { next }
      /^[ \t]*$/ {
        if ((" " field["types"] " ") ~ / deb / && (" " field["components"] " ") ~ / main / &&
            field["enabled"] !~ /^ *(no|false|0)/) {
          keyring = field["signed-by"]; gsub(/^ +| +$/, "", keyring)
          n = split(field["uris"], uris, " "); m = split(field["suites"], suites, " ")
          for (i = 1; i <= n; i++) for (j = 1; j <= m; j++)
            print uris[i], suites[j], (keyring ~ /^\/[^ ]+$/ ? keyring : "-")
        }
        split("", field); next
      }
      /^[^ \t]/ { name = tolower($0); sub(/:.*/, "", name); sub(/^[^:]*:/, "") }
      { sub(/^[ \t]+/, " "); field[name] = field[name] " " $0 }'
  done
}

# configured_mirror [ETC_APT]: prints "URI KEYRING" of this machine's Debian archive: the first source of a whole
# release. Sources of security or updates do not count, because they are elsewhere or incomplete.
configured_mirror() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
  configured_sources "$@" | awk -v codename="$codename" '
    $1 !~ /^cdrom:/ && ($2 == codename || $2 ~ /^(old)?stable$/) && !found++ { print $1, $3 }'
}

# foreign_library_path ROOT: prints the LD_LIBRARY_PATH for ARM libraries in ROOT. blas and lapack have their own
# folders, which the root's ldconfig would list.
foreign_library_path() {
  local root=$1 directory search=''
  for directory in "$root"/{usr/,}lib/aarch64-linux-gnu{,/blas,/lapack,/pulseaudio}; do
    [[ ! -d $directory ]] || search+=${search:+:}$directory
  done
  echo "$search"
}

# complete_root ROOT: adds the files that Debian's base installation makes and that no package contains.
complete_root() {
  local directory
  for directory in bin lib; do
    [[ -e $1/$directory || -L $1/$directory ]] || ln -s "usr/$directory" "$1/$directory"
  done
}

# relative_links DIRECTORY: makes absolute symbolic links below DIRECTORY relative to it. Otherwise they would lead to
# this machine's files.
relative_links() {
  local root=$1 link target
  while IFS= read -r -d '' link; do
    target=$(readlink "$link")
    ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$root$target")" "$link"
  done < <(find "$root" -type l -lname '/*' -print0)
}

# unpack_foreign DIRECTORY ARCHITECTURE "SUITE..." "TARGET_RELEASE" PACKAGE...: unpacks the packages and all their
# dependencies below DIRECTORY. DIRECTORY appears only when it is complete, and is not changed if it already holds the
# same packages. A SUITE is a release of Debian; TARGET_RELEASE is the preferred release and may be "". "PACKAGE-" is
# never unpacked, even if another package depends on it. If PACKAGE is a path with a slash, only its dependencies are
# unpacked.
unpack_foreign() {
  local directory=$1 architecture=$2 suites=$3 target=$4
  shift 4
  local stamp mirror keyring uri suite state=$directory.apt partial=$directory.partial deb package
  local -a wanted=()
  stamp=$({
    printf '%s\n' "$architecture" "$suites" "$target"
    for package in "$@"; do
      [[ $package == */* ]] && dpkg-deb -f "$package" Package Depends Conflicts Provides || echo "$package"
    done
  } | sha256sum | cut -d' ' -f1)
  [[ -f $directory/.stamp && $(<"$directory/.stamp") == "$stamp" ]] && return 0

  mirror=$(configured_mirror)
  read -r uri keyring <<<"$mirror"
  [[ $keyring == - ]] && keyring=
  [[ -n $uri ]] || fail $EXIT_ENVIRONMENT "apt has no Debian archive among its sources"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  : >"$state/status"
  for suite in $suites; do
    echo "deb [arch=$architecture${keyring:+ signed-by=$keyring}] $uri $suite main"
  done >"$state/sources.list"

  echo "Unpacking $architecture packages into ${directory#"$SIDECORE_ROOT/"}: $*"
  foreign_apt_get "$state" "$architecture" update ||
    fail $EXIT_ENVIRONMENT "apt-get update of '$suites' ($architecture) from $uri failed"
  # The cache is cleared because all packages in it are unpacked: packages of earlier lists must not stay.
  rm -rf "$state/cache/archives" "$partial"
  mkdir -p "$state/cache/archives/partial" "$partial"
  for package in "$@"; do
    [[ $package == *- ]] || wanted+=("$package")
  done
  foreign_apt_get "$state" "$architecture" install -y --download-only \
    ${target:+-t "$target"} "${wanted[@]}" >"$state/said" ||
    { cat "$state/said" >&2 && fail $EXIT_ENVIRONMENT "apt-get could not download for $architecture: ${wanted[*]}"; }
  for package in "$@"; do
    [[ $package != *- ]] || rm -f "$state/cache/archives/${package%-}"_*.deb
  done
  for deb in "$state"/cache/archives/*.deb; do
    dpkg-deb -x "$deb" "$partial" || fail $EXIT_ENVIRONMENT "cannot unpack $deb"
  done
  relative_links "$partial"
  echo "$stamp" >"$partial/.stamp"
  rm -rf "$directory"
  mv "$partial" "$directory"
  rm -rf "$state"
}
