#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pgsartor_test.sh DIRECTORY PROVIDER FILE MODE: FILE's statements must give the same output with the stock
# interpreter and with PROVIDER in that mode: "eager", or "measure", where variants are requested at once.
set -euo pipefail
directory=$1 provider=$2 file=$(realpath "$3") mode=$4
here=$(dirname "$(realpath "$0")")
run() { # NAME PROVIDER: prints the output and errors
  "$here/../cluster.sh" "$directory/$1" "$2" psql -X -a -f "$file" 2>&1 | sed "s|^psql:.*$(basename "$file"):|psql:|"
}
expected=$(PGSARTOR_SETTINGS="jit = off" run stock stock)
[ "$(grep -c '^psql.*ERROR' <<<"$expected")" -gt 0 ] || { echo "$expected"; echo "no error was tested"; exit 1; }
settings="sartor_jit.mode = $mode
sartor_jit.compiler = 'out-of-process'
sartor_jit.heat = 1"
found=$(PGSARTOR_SETTINGS=$settings run "$mode" "$provider") || true
diff <(echo "$expected") <(echo "$found") || { tail -n 20 "$directory/$mode/server.log"; exit 1; }
ls "$directory/$mode"/data/sartor_jit.cache/*.sartor >"$directory/variants" || { echo "no variant was compiled"; exit 1; }
