#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# language.sh SCRIPT: tests what scripts/language.py rejects and accepts.
set -euo pipefail
script=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

passes() {
  printf "$2" >"$directory/$1"
  "$script" "$directory/$1" >/dev/null || { echo "complained about: $2"; exit 1; }
}
finds() {
  printf "$2" >"$directory/$1"
  if said=$("$script" "$directory/$1"); then
    echo "let pass: $2"
    exit 1
  fi
  [[ $said == *"$3"* ]] || { echo "of '$2' it said: $said"; exit 1; }
}

passes page.md '# What it does\n\nSartor compiles variants. What is a variant?\n'
passes page.md '`nobody` quotes a message.\n\n    nobody: an output\n\n```text\nwhoever\n```\n'
passes page.md '<!-- language: off -->\nNobody is told.\n<!-- language: on -->\n'
finds page.md 'The caller is told.\n' "'told' is retired"
finds page.md 'Memory is promised to stay.\n' "'promised' is retired"
passes page.md 'In fact, a std::promise is a promise_type of nothing.\n'
finds page.md 'It works. What folds is a constant.\n' "begins with 'What'"
finds page.md '| variant | whatever is active |\n' "begins with 'whatever'"
passes code.cpp 'int told; // the number of reports\n'
finds code.cpp '/// Nobody waits.\n' "'Nobody' is retired"
finds code.cpp '// What waits is a thread.\n// It goes on. What ends is a call.\n' "begins with 'What'"
echo "all is well"
