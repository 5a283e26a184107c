#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lint.sh BUILD: checks file sizes, the language of pages, layout (.clang-format) and code
# (.clang-tidy) against the compile database of a configured and built tree. Prints errors; fails if
# there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/lint.sh BUILD_DIRECTORY}

scripts/sizes.sh
scripts/language.py
scripts/sources.sh | grep -zE '^(\./)?(include|src|loader)/' | xargs -0 scripts/language.py
scripts/sources.sh | xargs -0 clang-format-22 --dry-run -Werror

scripts/tidy.py "$build"
echo "lint: clean"
