#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rejects files that git tracks, or would add, that are larger than 1 MiB and not in
# scripts/large_files.txt, since the history keeps them forever. Prints each with its size. With a
# directory as its argument, checks the repository there, for the test.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
most=$((1 << 20))

allowed() {
  local path reason
  while IFS='|' read -r path reason; do
    path=${path%"${path##*[![:space:]]}"}
    [[ $path != "$1" ]] || { [[ -n ${reason//[[:space:]]/} ]] && return 0; }
  done < <(grep -v '^#' scripts/large_files.txt 2>/dev/null || true)
  return 1
}

bad=0
while IFS= read -r -d '' file; do
  [[ -f $file && ! -L $file ]] || continue
  size=$(stat -c %s -- "$file")
  if ((size > most)) && ! allowed "$file"; then
    printf '%s: %d bytes; files above 1 MiB need a reason in scripts/large_files.txt\n' "$file" "$size"
    bad=1
  fi
done < <(git ls-files -z --cached --others --exclude-standard)
exit $bad
