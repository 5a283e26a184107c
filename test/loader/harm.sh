#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# harm.sh BUILD: all long tests of faults and damage to the loader. Later tests run even if earlier ones fail.
set -uo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
own=(--ld "$build/bin/sartor-ld" --probes "$build/loader_probes")
failed=()
try() { # NAME COMMAND...
  echo "== $1"
  "${@:2}" || failed+=("$1")
}
try damage "$here/damage.py" "${own[@]}" --sartor "$build/bin/sartor"
try faults "$here/faults.py" "${own[@]}" --faults "$build/loader_probes/loader_faults"
try jobs "$here/job_control.py" --ld "$build/bin/sartor-ld"
try races "$here/races.py" "${own[@]}" --at-length
try interrupts "$here/interrupts.py" "${own[@]}" --rounds 1000
((${#failed[@]} == 0)) || {
  echo "FAILED: ${failed[*]}" >&2
  exit 1
}
