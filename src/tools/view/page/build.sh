#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh NODE NPM REFERENCE WORK OUTPUT: bundles the page in the directory WORK; see build.mjs. The source directory is
# only read. If npm cannot fetch its packages, says so and leaves OUTPUT out: the rest of Sartor does not need it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
node=$1 npm=$2 reference=$3 work=$4 output=$5
mkdir -p "$work" "$(dirname "$output")"
rm -rf "$work/src"
cp -r "$here/src" "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here/tsconfig.json" "$here/build.mjs" "$work"
cd "$work"
if ! cmp -s package-lock.json node_modules/fetched.json; then
  if ! "$npm" ci --ignore-scripts --no-audit --no-fund --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >npm.log 2>&1; then
    tail -n 5 npm.log >&2
    echo "warning: the page of \`sartor report\` is left out: npm cannot fetch its packages; see SARTOR_PAGE" >&2
    rm -f "$output"
    exit 0
  fi
  cp package-lock.json node_modules/fetched.json
fi
"$node" build.mjs "$reference" "$output"
