# Functions that the scripts share: messages, foreign text, the package list, installing. Scripts source this file.
# shellcheck shell=bash

set -euo pipefail

SIDECORE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly SIDECORE_ROOT
readonly EXIT_USAGE=2 EXIT_ENVIRONMENT=3

# fail STATUS MESSAGE...: prints one line to stderr, then exits with STATUS.
fail() {
  local status=$1
  shift
  echo "${0##*/}: $*" >&2
  exit "$status"
}

# printable: copies standard input without control characters, except tabs and line ends. In UTF-8 the characters
# U+0080 to U+009F control a terminal too; each becomes a question mark, so that the bytes around it form no new one.
printable() { LC_ALL=C tr -d '\000-\010\013-\037\177' | LC_ALL=C sed 's/\xc2[\x80-\x9f]/?/g'; }

# quietly COMMAND...: runs COMMAND, and shows its output on stderr only if it fails.
quietly() {
  local output
  output=$("$@" 2>&1 </dev/null) || { local status=$? && echo "$output" >&2 && return "$status"; }
}

# packages_of GROUP...: prints the packages of these groups of scripts/packages for this machine's release and
# architecture, one per line, without repeats.
packages_of() {
  local group here list=$SIDECORE_ROOT/scripts/packages
  here="$(. /etc/os-release && echo "${VERSION_CODENAME-}") $(dpkg --print-architecture)"
  for group in "$@"; do
    grep -qxF "[$group]" "$list" || fail $EXIT_USAGE "scripts/packages has no group '$group'"
  done
  awk -v wanted=" $* " -v here=" $here " '
    { sub(/#.*/, "") }
    /^\[.*\]/ { gsub(/[][ \t]+/, ""); take = index(wanted, " " $0 " ") > 0; next }
    match($0, /\[only [a-z0-9]+\]/) {
      if (!index(here, " " substr($0, RSTART + 6, RLENGTH - 7) " ")) next
      $0 = substr($0, 1, RSTART - 1)
    }
    { gsub(/[ \t]+/, "") }
    take && $0 != "" && !seen[$0]++' "$list"
}

# missing_of PACKAGE...: prints the packages that are not installed, one per line.
missing_of() {
  # `|| true` is needed because dpkg-query fails for unknown package names, which count as missing.
  { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
    awk -v wanted="$*" '$1 == "installed" { have[$2] }
      END { n = split(wanted, names, " ")
            for (i = 1; i <= n; i++) if (!(names[i] in have)) print names[i] }'
}

# install_groups GROUP...: names the missing packages of these groups, then installs them. If none is missing,
# it is quick and needs neither network nor root rights.
install_groups() {
  local -a packages missing as_root=()
  mapfile -t packages < <(packages_of "$@")
  mapfile -t missing < <(missing_of "${packages[@]}")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      fail $EXIT_ENVIRONMENT "not root and no sudo; as root: apt-get install ${missing[*]}"
    fi
    as_root=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  quietly "${as_root[@]}" apt-get update -q ||
    fail $EXIT_ENVIRONMENT "apt-get update failed; needed: ${missing[*]}"
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=120 "${missing[@]}" ||
    fail $EXIT_ENVIRONMENT "apt-get could not install: ${missing[*]}"
}
