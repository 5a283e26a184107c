#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lua-tests.sh DIRECTORY: fetches the tests of Lua 5.4.4 by its authors to DIRECTORY/lua5.4-tests,
# unless they are there. Debian's source of Lua does not contain them. The source of one Python
# package contains all of Lua's sources with the tests: pip fetches it in one version with a fixed
# checksum. Installs nothing.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/lua-tests.sh DIRECTORY" >&2; exit 2; }
directory=$1
[ ! -d "$directory/lua5.4-tests" ] || exit 0

fail() {
  echo "The tests of Lua 5.4.4 cannot be had: $*" >&2
  echo "Unpack them yourself into $directory/lua5.4-tests" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "lupa==2.0 --hash=sha256:ad3fef486be7adddd349fe9a9c393789061312cf98ebc533b489be34f484cb79" >"$work/wanted"
{ /usr/bin/python3 -m venv "$work/venv" &&
  "$work/venv/bin/python" -m pip download --quiet --no-deps --no-binary :all: --require-hashes -d "$work" \
    -r "$work/wanted"; } \
  >"$work/log" 2>&1 || fail "$(tail -n 3 "$work/log")"
tar -xf "$work/lupa-2.0.tar.gz" -C "$work" lupa-2.0/third-party/lua54
of_lua=$work/lupa-2.0/third-party/lua54
grep -q 'LUA_VERSION_RELEASE.*"4"' "$of_lua/lua.h" || fail "they are of another version"
mkdir -p "$directory"
mv "$of_lua/testes" "$directory/lua5.4-tests"
