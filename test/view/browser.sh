#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# browser.sh SCRIPT SARTOR WORK [ARGUMENT...]: runs a script of this folder, which drives Chromium, with the arguments
# SARTOR CHROMIUM WORK ARGUMENT... Skips (77) if the page was not built, or what drives a browser is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
script=$1 sartor=$2 work=$3
skip() {
  echo "skipped: $*"
  exit 77
}
[[ -s $(dirname "$sartor")/../share/sartor/page.html ]] || skip "the page was not built: npm is missing, or has no network"
command -v node >/dev/null || skip "node is missing (scripts/deps.sh)"
command -v npm >/dev/null || skip "npm is missing (scripts/deps.sh)"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is missing (scripts/deps.sh)"
mkdir -p "$work"
work=$(realpath "$work")
# Modules are found from the scripts' folder, and the source directory is only read.
cp "$here"/*.mjs "$here"/*.json "$here/.npmrc" "$work"
if ! cmp -s "$work/package-lock.json" "$work/node_modules/fetched.json"; then
  (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000) >"$work/npm.log" 2>&1 ||
    skip "npm cannot fetch playwright-core: $(tail -n 3 "$work/npm.log")"
  cp "$work/package-lock.json" "$work/node_modules/fetched.json"
fi
cd "$work"
# Chromium writes there, and complains of a missing message bus.
export XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
node "$script" "$sartor" "$chromium" "$work" "${@:4}"
