#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# quickjs_test.sh BUILT SCRIPT...: a script's output and exit status must be the same with stock QuickJS and with
# QuickJS with Sartor: with all functions specialized at their first call, with few, with hot ones, and with none.
# Programs of studies/quickjs run in their harness, three times.
set -uo pipefail
built=$(realpath "$1")
for kind in gcc sartor; do [ -x "$built/$kind/qjs" ] || { echo "there is no $built/$kind/qjs" >&2; exit 1; }; done
harness=$(realpath "$(dirname "$0")/../harness.js")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # KIND OUTPUT
  (cd "$(dirname "$script")" && exec -a qjs "$built/$1/qjs" --std "${words[@]}") >"$2" 2>&1 </dev/null
  echo "ended with $?" >>"$2"
}
failed=0
for script in "${@:2}"; do
  words=("$(basename "$script")")
  [[ $script != */programs/* ]] || words=("$harness" "${words[@]}" 3)
  run gcc "$work/stock"
  for how in QUICKJS_SARTOR=heat=0,wait QUICKJS_SARTOR=heat=0,wait,functions=3 QUICKJS_SARTOR=heat=3 QUICKJS_SARTOR=off SARTOR=off; do
    (export "${how?}"; run sartor "$work/ours")
    cmp -s "$work/stock" "$work/ours" && continue
    failed=1
    echo "$script differs with $how:"
    diff "$work/stock" "$work/ours" | head -n 20
  done
done
said=$(QUICKJS_SARTOR=heat=0,wait,report,functions=0 "$built/sartor/qjs" -e 'function f() {} f()' 2>&1)
[ -z "$said" ] || { echo "with functions=0: $said"; failed=1; }
exit $failed
