# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by the scripts of this folder.

# line COMMENT: the number of the handler's line with this comment.
line() {
  grep -n "// $1\$" "$(dirname "${BASH_SOURCE[0]}")/stepped_handler.cpp" | cut -d: -f1
}

# expect PATTERN: fails unless the debugger has said it (as grep -E), in the file `said`.
expect() {
  grep -Eq -- "$1" "$said" && return
  echo "nothing matches: $1"
  cat "$said"
  exit 1
}

# begin_waiting PROGRAM: starts the program, and returns once its variant is active.
begin_waiting() {
  : >"$scratch/ready"
  "$1" wait >"$scratch/ready" &
  program=$!
  trap 'kill $program 2>/dev/null || true; rm -rf "$scratch"' EXIT
  until grep -q ready "$scratch/ready"; do
    kill -0 $program || exit 1
    sleep 0.1
  done
}
