#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT [ORDERS] [ROUNDS] [WARM]: makes the tables in two private servers, one stock and one with the
# provider, measures the queries and pgbench with both, and draws a plot into OUTPUT. Takes a quarter of an hour.
set -euo pipefail
provider=$(realpath "$1/postgres/provider/sartor_jit.so") output=$(realpath -m "$2") orders=${3:-1500000} rounds=${4:-5} warm=${5:-4}
here=$(dirname "$(realpath "$0")")
mkdir -p "$output"
chmod 777 "$output"
export PGSARTOR_SETTINGS="shared_buffers = 1GB
work_mem = 256MB
autovacuum = off
max_wal_size = 4GB
"
measure() {
  psql -X -q -v orders="$1" -f "$2/data.sql" >/dev/null
  for host in "$3" "$PGHOST"; do pgbench -h "$host" -i -q -s 2 >"$4/pgbench.log" 2>&1; done
  python3 "$2/measure.py" "$4" "$3" "$PGHOST" "$5" "$7" "$2"/queries/*.sql | tee "$4/tables.md"
  psql -X -f "$6" >"$4/view.log"
  psql -X -c "SELECT * FROM sartor_jit_activity WHERE status <> 'counted' ORDER BY evaluations DESC LIMIT 30" | tee "$4/activity.txt"
  for round in $(seq 5); do
    for host in "$3" "$PGHOST"; do
      for kind in -S -N; do
        echo "$(basename "$host") $kind $(pgbench -h "$host" $kind -n -T 4 -c 1 | sed -n 's/^tps = \([0-9.]*\).*/\1/p')"
      done
    done
  done >"$4/pgbench.txt"
  sort "$4/pgbench.txt"
}
export -f measure
sed "s|MODULE_PATHNAME|${provider%.so}|" "$here/sartor_jit--1.0.sql" >"$output/view.sql"
"$here/cluster.sh" "$output/stock" stock bash -c "
  psql -X -q -v orders=$orders -f '$here/data.sql' >/dev/null
  export PGSARTOR_SETTINGS=\"\$PGSARTOR_SETTINGS
jit_above_cost = 1000\"
  '$here/cluster.sh' '$output/sartor' '$provider' bash -c \"measure $orders '$here' '$output/stock' '$output' $rounds '$output/view.sql' $warm\""
gnuplot -e "folder='$output'" "$here/plot.gp"
