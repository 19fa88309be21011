# A board for tests: an sshd on a free loopback port, whose sessions run in $work/home. Tests source this file.
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
  # The processes of runs are ended here, because they are detached and a failed test may have left them.
  for pid in "$work"/home/sidecore-board/runs/*/pid; do
    [[ ! -r $pid || -e ${pid%pid}status ]] || kill -- -"$(<"$pid")" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap leave EXIT

# until_true SECONDS COMMAND...: repeats COMMAND until it succeeds; fails after SECONDS.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}
answers() {
  kill -0 "$sshd" 2>/dev/null || launch_sshd # starts sshd again if it ended before it listened
  "${client[@]}" -p "$port" -o ConnectTimeout=5 loopback true 2>/dev/null
}
# The first port follows from the process number, so that simultaneous tests try different ports. Ports are below the
# range that the system gives to connections. A restarted board keeps its port.
launch_sshd() {
  [[ -n ${keep_port:-} ]] || port=$((${port:-$((10000 + $$ % 20000))} + 1))
  "$sshd_program" -D -e -f "$work/sshd_config" -o "ListenAddress=127.0.0.1:$port" 2>>"$work/sshd.log" &
  sshd=$!
}
start_sshd() {
  launch_sshd
  until_true 60 answers || { cat "$work/sshd.log" >&2 && die "sshd does not start"; }
}

sshd_program=$(PATH=$PATH:/usr/sbin command -v sshd) || die "no sshd: scripts/setup test"
((EUID != 0)) || mkdir -p /run/sshd # sshd needs this folder if it runs as root
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
