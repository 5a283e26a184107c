#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lint.sh BUILD [BUILD...]: checks file sizes, the language of pages, layout (.clang-format) and code
# (.clang-tidy) against the compile databases of configured and built trees. Prints errors; fails if
# there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${1:?usage: scripts/lint.sh BUILD_DIRECTORY...}"

scripts/sizes.sh
scripts/language.py
scripts/sources.sh | grep -zE '^(\./)?(bench|bindings|examples|include|loader|src|studies|test)/' | xargs -0 scripts/language.py
scripts/sources.sh | xargs -0 clang-format-22 --dry-run -Werror

for build in "$@"; do
  if [[ -f $build/compile_commands.json ]]; then
    scripts/tidy.py "$build"
  else
    echo "lint: $build is not built; the sources that only it compiles are left out"
  fi
done
echo "lint: clean"
