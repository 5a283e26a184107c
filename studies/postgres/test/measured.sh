#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# measured.sh VIEW: run within cluster.sh. Repeats a query until its expressions are measured, and asks the view of VIEW,
# the extension's SQL; then restarts the server: another backend must find the gain and use the variant at once.
set -euo pipefail
ask() { psql -X -q -At "$@"; }
ask -f "$1"
ask -c "CREATE TABLE t AS SELECT g AS a, g % 100 AS b, g / 3.0::float8 AS f, g % 7 AS c FROM generate_series(1, 100000) g" -c "VACUUM ANALYZE t"
query="SELECT count(*), sum(a) FROM t WHERE b < 50 AND f > 10 AND c <> 3 AND a + b > 7 AND a * 2 < 1000000"
expected=$(ask -c "SET jit = off" -c "$query")
active="SELECT count(*) FROM sartor_jit_activity WHERE status = 'active' AND gain_low > 1 AND gain >= gain_low AND gain_high >= gain AND saved_ns > 0"
for round in $(seq 60); do
  found=$( (echo "SET max_parallel_workers_per_gather = 0;"; for i in $(seq 40); do echo "$query;"; done) | ask | sort -u)
  [ "$found" = "$expected" ] || { echo "$found in place of $expected"; exit 1; }
  [ "$(ask -c "$active")" = 0 ] || break
done
[ "$(ask -c "$active")" -gt 0 ] || { echo "nothing is active after $round rounds"; ask -c "TABLE sartor_jit_activity"; exit 1; }
# A shape of which too many steps are known is refused, with the reason.
ask -c "SELECT $(seq -s ' + a + ' 120) + a FROM t LIMIT 1" >/dev/null
[ "$(ask -c "SELECT count(*) FROM sartor_jit_activity WHERE status = 'excluded' AND why LIKE 'more than % steps'")" = 1 ]

before=$(ask -c "SELECT sum(pairs) FROM sartor_jit_shapes() WHERE status = 'active'")
pg_ctl -D "$PGDATA" -m fast -w restart -l "$PGDATA/../server.log" >/dev/null
[ "$(ask -c "$active")" -gt 0 ] || { echo "the table was lost"; exit 1; }
found=$( (echo "SET max_parallel_workers_per_gather = 0;"; for i in $(seq 20); do echo "$query;"; done) | ask | sort -u)
[ "$found" = "$expected" ] || { echo "$found in place of $expected after the restart"; exit 1; }
after=$(ask -c "SELECT sum(pairs) FROM sartor_jit_shapes() WHERE status = 'active'")
[ "$before" = "$after" ] || { echo "measured again: $before pairs, then $after"; exit 1; }
