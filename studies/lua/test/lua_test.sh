#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lua_test.sh LUAS SCRIPT...: a script's output and exit status must be the same with stock Lua and with Lua with
# Sartor: with all called functions specialized, with hot ones, with none, and with the handler's native code instead of
# variants. Programs of studies/lua run in their harness, twice.
set -uo pipefail
luas=$(realpath "$1")
for kind in gcc sartor; do [ -x "$luas/$kind/lua" ] || { echo "there is no $luas/$kind/lua" >&2; exit 1; }; done
harness=$(dirname "$0")/../harness.lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # LUA OUTPUT
  (cd "$(dirname "$script")" && exec -a lua "$luas/$1/lua" "${words[@]}") >"$2" 2>&1 </dev/null
  echo "ended with $?" >>"$2"
}
failed=0
for script in "${@:2}"; do
  words=("$(basename "$script")")
  [[ $script != */programs/* ]] || words=("$(realpath "$harness")" "${words[@]}" 2)
  run gcc "$work/stock"
  for how in LUA_SARTOR=heat=1,wait LUA_SARTOR=heat=1,wait,functions=3 LUA_SARTOR= LUA_SARTOR=heat=50,wait LUA_SARTOR=off SARTOR=off LUA_SARTOR=heat=1,native; do
    (export "${how?}"; run sartor "$work/ours")
    cmp -s "$work/stock" "$work/ours" && continue
    failed=1
    echo "$script differs with $how:"
    diff "$work/stock" "$work/ours" | head -n 20
  done
done
exit $failed
