#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# doctor.sh STAGE WORK: `sartor doctor` finds nothing wrong with the installation in STAGE, and what is wrong with broken
# copies of it.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
stage=$(realpath "$1") work=$2
rm -rf "$work"
mkdir -p "$work"
work=$(realpath "$work")
unset LD_LIBRARY_PATH SARTOR
export SARTOR_STATE_DIR=$work/state # without variants that other tests have quarantined

# Copies the installation and removes files from the copy, whose path is in $broken.
break_by_removing() {
  broken=$work/copy
  rm -rf "$broken"
  cp -al "$stage" "$broken"
  for pattern in "$@"; do
    # shellcheck disable=SC2086 # a pattern
    rm "$broken"/$pattern
  done
}

# expect STATUS TEXT... -- COMMAND...: the command ends with the status and prints each text.
expect() {
  local wanted=$1 texts=() status=0
  shift
  while [[ $1 != -- ]]; do texts+=("$1") && shift; done
  shift
  "$@" >"$work/output" 2>&1 || status=$?
  for text in "${texts[@]}"; do
    grep -qF -- "$text" "$work/output" || { cat "$work/output"; echo "does not say: $text"; exit 1; }
  done
  [[ $status == "$wanted" ]] || { cat "$work/output"; echo "ends with $status"; exit 1; }
}

# The machine may restrict something, which is a note or a warning.
expect 0 "LLVM $llvm." "specialized and run in" "0 errors" -- "$stage/bin/sartor" doctor
expect 0 "programs run native code only" "fix: unset SARTOR" "specialized and run in" -- \
  env SARTOR=off "$stage/bin/sartor" doctor
"$stage/bin/sartor" doctor --json >"$work/json"
python3 - "$work/json" <<'PYTHON'
import json, sys
checks = json.load(open(sys.argv[1]))
assert {"compiler library", "sample program", "code memory"} <= {check["subject"] for check in checks}
assert not [check for check in checks if check["state"] == "error"], checks
PYTHON

break_by_removing 'lib/libsartor-compiler.so*'
expect 1 "error  compiler library" "fix: the generic code goes on; install the one of this build" \
  "not tried because of the errors above" "1 error" -- "$broken/bin/sartor" doctor

break_by_removing lib/sartor/SartorPlugin.so
expect 1 "lib/sartor/SartorPlugin.so is missing" "fix: install Sartor as a whole" -- "$broken/bin/sartor" doctor
echo damaged >"$broken/lib/sartor/SartorPlugin.so"
expect 1 "clang-$llvm cannot load it: unable to load plugin" "fix: use the clang" -- "$broken/bin/sartor" doctor

break_by_removing include/sartor/sartor.hpp
expect 1 "include/sartor/sartor.hpp is missing" -- "$broken/bin/sartor" doctor

break_by_removing lib/libsartor.so
expect 1 "error  sample program" "sartor-cc does not build it" -- "$broken/bin/sartor" doctor

# No clang, and one of another version under its name.
mkdir "$work/bin"
for tool in env ldd; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
expect 1 "clang-$llvm is not in PATH" "fix: apt-get install clang-$llvm" "not tried without clang" -- \
  env PATH="$work/bin" "$stage/bin/sartor" doctor
printf '#!/bin/sh\necho "clang version 14.0.6"\n' >"$work/bin/clang-$llvm"
chmod +x "$work/bin/clang-$llvm"
expect 1 "clang-$llvm says \"clang version 14.0.6\"; needed is clang $llvm" -- \
  env PATH="$work/bin:$PATH" "$stage/bin/sartor" doctor

# A process that may not make memory executable (Linux 6.3 and later), which programs that it starts inherit.
expect_refused() {
  python3 - "$@" <<'PYTHON'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
if libc.prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
    print("not tried: this kernel has no PR_SET_MDWE")
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
PYTHON
}
status=0
expect_refused "$stage/bin/sartor" doctor >"$work/output" 2>&1 || status=$?
if [[ $status == 77 ]]; then
  cat "$work/output"
else
  grep -q "this process may not make new code executable" "$work/output" || { cat "$work/output"; exit 1; }
  [[ $status == 1 ]]
fi
