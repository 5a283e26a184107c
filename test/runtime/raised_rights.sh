#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# raised_rights.sh PROGRAM: starts a set-user-ID copy of the program with environment variables that ask it to write and
# run files; it must ignore them. A plain copy obeys, which shows that the traps are set.
set -euo pipefail
program=${1:?}
nobody=65534
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root can make a program set-user-ID root"
command -v setpriv >/dev/null || skip "setpriv is not there"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
case $(findmnt -no OPTIONS -T "$folder") in *nosuid*) skip "$folder is mounted nosuid" ;; esac
others() { setpriv --reuid=$nobody --regid=$nobody --clear-groups "$@"; }
library=$(ldd "$program" | sed -n 's/.*=> \(.*libsartor\.so[^ ]*\) .*/\1/p')
others test -r "$library" || skip "no other user may read $library"
install -m 755 "$program" "$folder/plain"
install -m 4755 "$program" "$folder/raised"
mkdir "$folder/bin"
for name in clang "clang-${SARTOR_LLVM:-22}"; do
  printf '#!/bin/sh\n: >"$CAUGHT/%s"\nexit 1\n' "$name" >"$folder/bin/$name"
done
chmod 755 "$folder"/bin/*

# run COPY VARIABLE=VALUE...: runs with a separate directory, $caught, which contains all traps.
run() {
  caught=$(mktemp -d -p "$folder")
  chmod 777 "$caught"
  (umask 0; cd "$caught"; setpriv --reuid=$nobody --regid=$nobody --clear-groups \
     env CAUGHT="$caught" HOME="$caught" XDG_RUNTIME_DIR="$caught" TMPDIR="$caught" JITDUMPDIR="$caught" CPATH="$caught" \
     CCC_OVERRIDE_OPTIONS="+-o +$caught/object" "${@:2}" "$folder/$1") >"$folder/out" 2>&1
}
# trapped COPY VARIABLE=VALUE...
trapped() {
  run "$1" SARTOR=off SARTOR_EVENT_LOG=log SARTOR_PERF=dump SARTOR_CACHE_DIR=cache \
    SARTOR_CONTROL=on SARTOR_METRICS_FILE=metrics \
    SARTOR_SHARED_CACHE=unix:/nonexistent SARTOR_SHARED_CACHE_KEY=key \
    SARTOR_CLANG="$folder/bin/clang" PATH="$folder/bin:$PATH" "${@:2}"
}
fail() { echo "$1"; cat "$folder/out"; exit 1; }

trapped plain SARTOR=on || true
for made in log cache clang metrics sartor; do
  [ -e "$caught/$made" ] || fail "a plain program made no $made"
done
run plain || true
[ -e "$caught/object" ] || fail "clang was told nothing"

trapped raised || fail "the program failed:"
grep -q lookup "$folder/out" || fail "nothing was specialized:"
left=$(find "$caught" -mindepth 1)
[ -z "$left" ] || fail "was made by the raised program: $left"

# The perf map has a fixed path, which contains the process ID.
(exec 3>"$folder/pid"; sh -c 'echo $$ >&3; exec "$@"' sh setpriv --reuid=$nobody --regid=$nobody \
   --clear-groups env SARTOR_PERF=map "$folder/raised" >"$folder/out" 2>&1)
map=/tmp/perf-$(cat "$folder/pid").map
[ ! -e "$map" ] || { rm -f "$map"; fail "was made by the raised program: $map"; }
