#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# library_handlers.sh SOURCE STAGE BUILD OWN: a program without any Sartor code, whose library has a handler
# (examples/library), gives the same result with and without the pass `handlers`, and runs the variant that the
# configuration names. OWN: a program with handlers of its own.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
source=$1 stage=$2 build=$3 own=$4
. "$(dirname "$0")/../loader/common.sh"
rm -rf "$build"
mkdir -p "$(dirname "$build")"
compilers=()
if ! command -v cc >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm)
fi
if ! { cmake -G Ninja -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$stage" "${compilers[@]}" &&
  cmake --build "$build" -j1; } >"$build.log" 2>&1; then
  cat "$build.log"
  exit 1
fi
program=$build/library
run() { # STATUS OPTIONS...: runs the program; its event log is in $work/events
  local status=$1
  shift
  rm -f "$work/events"
  SARTOR_EVENT_LOG=$work/events expect "$status" "$stage/bin/sartor" run "$@" -- "$program" 2000
}
configure() { # WISH
  printf '[pass.handlers]\n"libfir.so" = %s\n' "$1" >"$work/ld.toml"
}

expect 0 "$program" 2000
generic=$(cat "$work/out")
same() {
  [ "$(cat "$work/out")" = "$generic" ] || fail "$* gives $(cat "$work/out"), not $generic"
}

# With the example's own configuration, and with each set of passes.
run 0 --strict --config "$source/ld.toml"
same "the example"
says events '"event":"switch","handler":"fir","configuration":{"order":16}'
for passes in handlers handlers,bind handlers,concat handlers,settle; do
  for wish in '{"order": 16}' '{"order": 4}' '{"order": [8, 16]}' '{}'; do
    configure "'$wish'"
    run 0 --strict --passes $passes --config "$work/ld.toml"
    same "$passes with $wish"
  done
done
configure '"tune fir"'
# A thread of its own begins to tune. On a busy machine, the program may have ended by then.
for _ in {1..10}; do
  run 0 --strict --passes handlers,bind,concat,settle --config "$work/ld.toml"
  same tuning
  ! grep -qsF '"event":"explore_start"' "$work/events" || break
done
says events '"event":"explore_start"'

# Without a configuration of the library, its handlers are found and stay generic.
printf '' >"$work/ld.toml"
run 0 --strict --passes handlers --config "$work/ld.toml"
[ -e "$work/events" ] && fail "a runtime was opened that nobody has asked for"
expect 0 "$stage/bin/sartor" ld plan --passes handlers "$program"
says out 'fir: nothing is said of "libfir.so"'

# With wrong configurations the program starts without variants; with --strict it does not start.
wrong() { # WISH TEXT
  configure "$1"
  tells 0 "$2" "$stage/bin/sartor" run --passes handlers,bind --config "$work/ld.toml" -- "$program" 2000
  same "$1"
  run 126 --strict --passes handlers,bind --config "$work/ld.toml"
  says err "$2"
}
wrong "'{\"order\": 5}'" "value_outside_choices: \"order\""
wrong "'{\"taps\": 5}'" "unknown_label: \"taps\""
wrong "'order = 16'" "bad_json"
wrong '"tune iir"' "unknown_handler: \"iir\""
printf '[pass.handlers]\n"libc.so.6" = "{}"\n' >"$work/ld.toml"
run 126 --strict --passes handlers --config "$work/ld.toml"
says err 'no_handler_module: "/lib/x86_64-linux-gnu/libc.so.6"'

# A configuration may apply to many programs; handlers in the program itself are not affected.
printf '[pass.handlers]\n"libiir.so" = "{}"\n' >"$work/ld.toml"
run 0 --strict --passes handlers --config "$work/ld.toml"
same "another library's configuration"
expect 0 "$stage/bin/sartor" ld plan --passes handlers --config "$work/ld.toml" "$own"
says out 'the program does not start with "libiir.so"'
says out "$own: "
says out 'it calls them through a runtime of its own'

# The agent does not show in the program's environment, nor in that of its children.
configure "'{\"order\": 16}'"
LD_PRELOAD=$build/libfir.so expect 0 "$stage/bin/sartor" run --strict --passes handlers,bind \
  --config "$work/ld.toml" -- /usr/bin/env
says out "LD_PRELOAD=$build/libfir.so"
grep -q SARTOR_HANDLERS "$work/out" && fail "the program sees SARTOR_HANDLERS"

# With SARTOR=off, the library's own code runs.
SARTOR=off run 0 --strict --config "$source/ld.toml"
same "SARTOR=off"
echo "handlers: as they should be"
