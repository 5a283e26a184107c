#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# new_project.sh LANGUAGE STAGE WORK [PYTHON...]: writes a project with the `sartor` in STAGE, executes the commands that
# it prints, in a directory whose name has a space, and checks what the project's program prints. PYTHON is a command
# that starts a Python in which the package is installed.
set -euo pipefail
language=$1 stage=$(realpath "$2") work=$3 here=$(realpath "$(dirname "$0")")
shift 3
rm -rf "$work"
mkdir -p "$work/a folder/bin"
cd "$work/a folder"
export PATH="$stage/bin:$PATH"
unset LD_LIBRARY_PATH
case $language in
python)
  [[ $# -gt 0 ]]
  "$@" -c 'import sartor' || { status=$?; echo "no Python with the package"; exit $status; }
  # PYTHON may have a working directory of its own.
  printf '#!/bin/sh\nexec %s "$(realpath "$1")"\n' "$*" >bin/python3
  chmod +x bin/python3
  PATH="$PWD/bin:$PATH"
  ;;
rust)
  # shellcheck source=../rust/cargo.sh
  . "$here/../rust/cargo.sh" "$here/../.." "$stage"
  unset SARTOR_LIBRARIES LD_LIBRARY_PATH CARGO_TARGET_DIR
  ;;
esac
said=$(sartor new hello-1 --lang "$language")
echo "$said"
commands=${said#*build and run it:}
[[ $commands != "$said" ]] || { echo "prints no commands"; exit 1; }
if ! output=$(sh -e -c "$commands" 2>log); then
  cat log
  echo "$output"
  exit 1
fi
echo "$output" | tail -n 3
[[ $output == *$'generic: 4321\nspecialized: 4321\nguarded: 54321' ]] || { cat log; echo "is not as expected"; exit 1; }
if sartor new hello-1 --lang "$language" 2>again; then
  echo "overwrites a project"
  exit 1
fi
grep -q 'file_error: "hello-1": exists and is not empty' again
