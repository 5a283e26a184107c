#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# observe_page.sh BUILD OUTPUT: measures the page of a report of 100,000 events and 1,000 variants in Chromium, and writes
# the figures to OUTPUT/observe_page.json in the form of the other benchmarks. Says so if a browser is missing (77).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
mkdir -p "$2"
"$here/../test/view/browser.sh" bench.mjs "$build/bin/sartor" "$build/test/view/bench" "$(realpath "$2")/observe_page.json"
