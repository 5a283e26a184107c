#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# regress.sh SOURCE DIRECTORY PROVIDER [SCHEDULE]: runs PostgreSQL's own regression tests with every expression
# specialized before its first evaluation, and once with the stock interpreter. Fails if a test fails only with the
# provider. All of them, without a schedule of some, take an hour or two.
set -euo pipefail
source=$(realpath "$1") directory=$(realpath -m "$2") provider=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
tests=$source/src/test/regress
schedule=$(realpath "${4:-$tests/parallel_schedule}")
mkdir -p "$directory"
gcc -O2 -fPIC -shared -w -I"$(/usr/lib/postgresql/15/bin/pg_config --includedir-server)" -I"$source/contrib/spi" \
  "$tests/regress.c" -o "$directory/regress.so"
ln -sf /usr/lib/postgresql/15/lib/{autoinc,refint}.so "$directory"
run() { # NAME PROVIDER
  local name=$1
  rm -rf "$directory/$name"
  mkdir -p "$directory/$name.out"
  chmod 777 "$directory/$name.out"
  "$here/../cluster.sh" "$directory/$name" "$2" bash -c "
    mkdir -p '$directory/$name.out/testtablespace'
    /usr/lib/postgresql/15/lib/pgxs/src/test/regress/pg_regress --inputdir='$tests' --outputdir='$directory/$name.out' \
      --dlpath='$directory' --bindir=/usr/lib/postgresql/15/bin --host=\"\$PGHOST\" --user=postgres --max-concurrent-tests=20 \
      --max-connections=2 --schedule='$schedule'" >"$directory/$name.txt" 2>&1 || [ $? != 77 ] || exit 77
  sed -n 's/^ *\(test \)\? *\([a-z0-9_]*\) *\.\.\. FAILED.*/\2/p' "$directory/$name.txt" | sort >"$directory/$name.failed"
}
common="max_prepared_transactions = 2
max_locks_per_transaction = 256"
PGSARTOR_SETTINGS="$common
jit = off" run stock stock
PGSARTOR_SETTINGS="$common
sartor_jit.mode = eager
sartor_jit.compiler = '${PGSARTOR_COMPILER:-out-of-process}'" run eager "$provider"
echo "failed with the stock interpreter: $(wc -l <"$directory/stock.failed"), with variants: $(wc -l <"$directory/eager.failed") of $(grep -c '\.\.\. ' "$directory/eager.txt")"
grep -h 'terminated by signal' "$directory/eager/server.log" && exit 1
variants=$(find "$directory/eager/data/sartor_jit.cache" -name '*.sartor' | wc -l)
echo "variants in the cache: $variants"
[ "$variants" -gt 0 ] # without its library, a server interprets silently
comm -13 "$directory/stock.failed" "$directory/eager.failed" >"$directory/only"
cat "$directory/only"
[ ! -s "$directory/only" ]
