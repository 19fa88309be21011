# A board for tests: an sshd on a free loopback port, whose sessions live in $work/home. Sourced.
# shellcheck shell=bash
set -euo pipefail

die() {
  echo "FAILED: $*" >&2
  exit 1
}
expect() {  # TEXT FILE
  grep -qF -- "$1" "$2" || { cat "$2" >&2 && die "no '$1' in $2"; }
}

work=$(mktemp -d)
sshd=''
cut_connections() { pkill -P "$sshd" 2>/dev/null || true; }
stop_sshd() {
  [[ -n $sshd ]] || return 0
  cut_connections
  kill "$sshd" 2>/dev/null || true
  wait "$sshd" 2>/dev/null || true
  sshd=''
}
leave() {
  stop_sshd
  # The run is detached on purpose: what a failed test left of it must not stay.
  for pid in "$work"/home/sidecore-board/runs/*/pid; do
    [[ ! -r $pid ]] || kill -- -"$(<"$pid")" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap leave EXIT

start_sshd() {
  local server attempt
  server=$(PATH=$PATH:/usr/sbin command -v sshd) || die "no sshd: scripts/setup test"
  ((EUID != 0)) || mkdir -p /run/sshd  # an sshd of root's wants it
  for attempt in {1..20}; do
    [[ -n ${port:-} ]] || port=$((20000 + RANDOM % 20000))
    "$server" -D -e -f "$work/sshd_config" -o "ListenAddress=127.0.0.1:$port" 2>>"$work/sshd.log" &
    sshd=$!
    for _ in {1..50}; do
      kill -0 "$sshd" 2>/dev/null || break
      "${client[@]}" -p "$port" loopback true 2>/dev/null && return
      sleep 0.1
    done
    kill "$sshd" 2>/dev/null || true
    [[ -n ${keep_port:-} ]] || port=''
  done
  cat "$work/sshd.log" >&2
  die "sshd does not start"
}

mkdir -p "$work/home"
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
cp "$work/key.pub" "$work/authorized"
cat >"$work/session" <<TEXT
#!/bin/sh
cd "$work/home" && HOME=$work/home exec sh -c "\$SSH_ORIGINAL_COMMAND"
TEXT
chmod 700 "$work/session"
cat >"$work/sshd_config" <<TEXT
HostKey $work/host_key
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
ForceCommand $work/session
TEXT
client=(ssh -F /dev/null -i "$work/key" -o IdentitiesOnly=yes -o StrictHostKeyChecking=no
  -o "UserKnownHostsFile=$work/known" -o LogLevel=ERROR -o HostName=127.0.0.1)
start_sshd
keep_port=1
