#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lint.sh BUILD: checks layout (.clang-format) and code (.clang-tidy) against the compile database
# of a configured and built tree. Prints what is wrong; fails if anything is.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/lint.sh BUILD_DIRECTORY}

scripts/sources.sh | xargs -0 clang-format-22 --dry-run -Werror

# The sources that the build compiles as they are; handler files have flags that only the compiler
# plugin explains, and are seen by the compiler itself.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
python3 - "$build/compile_commands.json" "$database/compile_commands.json" <<'PY'
import json, sys
entries = json.load(open(sys.argv[1]))
seen, kept = set(), []
for entry in entries:
    if "-fpass-plugin" in entry["command"] or entry["file"] in seen or entry["file"].endswith(".S"):
        continue
    seen.add(entry["file"])
    kept.append(entry)
json.dump(kept, open(sys.argv[2], "w"))
PY
run-clang-tidy-22 -quiet -p "$database" -j "$(nproc)" -clang-tidy-binary clang-tidy-22 \
  "^$PWD/(src|loader|plugin|bench|studies|examples|test)/" |
  { grep -v -e '^\[' -e '^clang-tidy-22 ' -e '^$' || true; }
echo "lint: clean"
