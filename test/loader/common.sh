# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by the scripts of this folder: a temporary directory, and checks.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
umask 022

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect STATUS COMMAND...: runs the command; its output is in $work/out and $work/err.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" = "$wanted" ] || fail "$* ended with $status, not $wanted: $(cat "$work/out" "$work/err")"
}

# says FILE TEXT: checks that a command's output contains a text.
says() {
  grep -qF -- "$2" "$work/$1" || fail "there is no \"$2\" in: $(cat "$work/$1")"
}

# planners: prints the processes that plan for this test, or are about to. They have its environment.
planners() {
  local id
  for id in $(pgrep -f sartor-ld); do
    ! grep -qsF -- "$work" "/proc/$id/environ" || echo "$id"
  done
}

# settled: waits until no planner runs in the background.
settled() {
  local quiet=0
  while [ $quiet -lt 5 ]; do # a process that executes another program has no environment for a moment
    quiet=$((quiet + 1))
    [ -z "$(planners)" ] || quiet=0
    sleep 0.1
  done
}

# tells STATUS TEXT COMMAND...: as expect, and the message of the loader contains a text. A start waits for its planner
# for a second, and then leaves the message to the next start. So there are several starts until one tells it.
tells() {
  local wanted=$1 text=$2
  shift 2
  for _ in {1..30}; do
    expect "$wanted" "$@"
    ! grep -qF -- "$text" "$work/err" || return 0
    settled
  done
  fail "no start tells \"$text\": $(cat "$work/err")"
}

# odd FILE COPY: copies a program or library and makes its data executable, a shape that cannot be planned.
odd() {
  python3 - "$1" "$2" <<'END'
import struct
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at, = struct.unpack_from("<Q", data, 32)
for i in range(struct.unpack_from("<H", data, 56)[0]):
    kind, flags = struct.unpack_from("<II", data, at + 56 * i)
    if kind == 1 and flags & 2:
        struct.pack_into("<I", data, at + 56 * i + 4, flags | 1)
open(sys.argv[2], "wb").write(data)
END
  chmod +x "$2"
}
