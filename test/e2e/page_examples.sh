#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# page_examples.sh SOURCE: a fenced block of a page in SOURCE/docs that names a file (```cpp examples/hello/main.cpp)
# must be a literal part of that file. Every page on a kind of point, or on a related feature, must begin with such a
# block, taken from an example that a test builds; for Python, from one that a test of the Python package runs.
set -euo pipefail
cd "$1"
failed=0
complain() {
  echo "$*"
  failed=1
}

for page in docs/*.md docs/*/*.md; do
  file='' block='' line=0 start=0
  while IFS= read -r text; do
    line=$((line + 1))
    if [[ -n $file && $text == '```' ]]; then
      if [[ ! -f $file ]]; then
        complain "$page:$start: there is no $file"
      elif contents=$(<"$file")$'\n' && [[ $contents != *"$block"* ]]; then
        complain "$page:$start: is not in $file"
      elif [[ $file != examples/@(building|rust)/* && ! -s ${file%/*}/CMakeLists.txt ]]; then # tested by building.sh and test/rust
        complain "$page:$start: nothing builds $file"
      elif [[ $file == *.py ]] && ! grep -Fqr "$(basename "$file" .py)" bindings/python/tests; then
        complain "$page:$start: no test runs $file"
      fi
      file=''
    elif [[ -n $file ]]; then
      block+=$text$'\n'
    elif [[ $text =~ ^'```'[a-z]+' '([^ ]+/[^ ]+)$ ]]; then
      file=${BASH_REMATCH[1]} block='' start=$line
    fi
  done <"$page"
  [[ -z $file ]] || complain "$page:$start: has no end"
done

for topic in points constraints fast_paths bindings invariants quasi_invariants profiles custom_points exploring objectives \
             call_mode python rust fleets strategies declarations c kernel_handlers; do
  # The part before the first heading below the title.
  sed '/^## /q' "docs/guides/$topic.md" | grep -E '^```(c|cpp|python|rust|toml) (examples|test)/' >/dev/null ||
    complain "docs/guides/$topic.md: does not begin with a compiled example"
done
exit "$failed"
