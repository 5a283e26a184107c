#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# deps.sh SCRIPT WORK: with stand-ins for dpkg-query, apt-get and sudo, SCRIPT installs exactly what is missing, after
# an update, and does nothing if nothing is missing.
set -euo pipefail
script=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
export PATH=$work:$PATH LOG=$work/log

stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
}
stand_in apt-get 'echo "apt-get $*" >>"$LOG"'
stand_in sudo '"$@"'
# Reports every requested package as installed, except those in $ABSENT.
stand_in dpkg-query '
for package in "$@"; do
  case " $ABSENT " in *" $package "*) ;; *) echo "ii  $package" ;; esac
done'

ABSENT="" "$script" >"$work/out"
if [[ -s $work/out || -e $LOG ]]; then
  echo "something was done although nothing is missing"
  exit 1
fi

ABSENT="ninja-build gdb" "$script" >"$work/out"
grep -q 'gdb .*backtraces' "$work/out"
diff - "$LOG" <<'EXPECTED'
apt-get update -q
apt-get install -y --no-install-recommends gdb ninja-build
EXPECTED
