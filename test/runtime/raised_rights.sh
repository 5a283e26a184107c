#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# raised_rights.sh PROGRAM: a set-user-ID copy of the program, started by somebody who would have it
# write and run things by its environment, does none of it. A plain copy does, which shows that the
# traps are set.
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
install -m 755 "$program" "$folder/plain"
install -m 4755 "$program" "$folder/raised"
mkdir "$folder/bin"
traps=$folder/traps
for name in clang clang-22; do
  printf '#!/bin/sh\n: >%s/%s\nexit 1\n' "$traps" "$name" >"$folder/bin/$name"
done
chmod 755 "$folder"/bin/*

# run COPY VARIABLE=VALUE...
run() {
  rm -rf "$traps"
  install -d -m 777 "$traps"
  (umask 0; cd "$traps"; setpriv --reuid=$nobody --regid=$nobody --clear-groups \
     env HOME="$traps" TMPDIR="$traps" JITDUMPDIR="$traps" "${@:2}" "$folder/$1") >"$folder/out" 2>&1
}
set_traps=(SARTOR=off SARTOR_EVENT_LOG="$traps/log" SARTOR_PERF=dump SARTOR_CACHE_DIR="$traps/cache"
  SARTOR_SHARED_CACHE=unix:"$traps/redis" SARTOR_SHARED_CACHE_KEY="$traps/key"
  SARTOR_CLANG="$folder/bin/clang" PATH="$folder/bin:$PATH"
  CCC_OVERRIDE_OPTIONS="+-o +$traps/object" CPATH="$traps" TMPDIR="$traps")

run plain "${set_traps[@]}" SARTOR=on || true
for made in log cache clang; do
  [ -e "$traps/$made" ] || { echo "a plain program made no $made"; cat "$folder/out"; exit 1; }
done
run plain CCC_OVERRIDE_OPTIONS="+-o +$traps/object" || true
[ -e "$traps/object" ] || { echo "clang was told nothing"; cat "$folder/out"; exit 1; }

run raised "${set_traps[@]}" || { echo "the program failed:"; cat "$folder/out"; exit 1; }
grep -q lookup "$folder/out" || { echo "nothing was specialized:"; cat "$folder/out"; exit 1; }
left=$(find "$traps" -mindepth 1)
[ -z "$left" ] || { echo "was made by the raised program: $left"; exit 1; }

# perf's map has a fixed place, by the process's number.
(exec 3>"$folder/pid"; sh -c 'echo $$ >&3; exec "$@"' sh setpriv --reuid=$nobody --regid=$nobody \
   --clear-groups env SARTOR_PERF=map "$folder/raised" >"$folder/out" 2>&1)
map=/tmp/perf-$(cat "$folder/pid").map
[ ! -e "$map" ] || { echo "was made by the raised program: $map"; rm -f "$map"; exit 1; }
