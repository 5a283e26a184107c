#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# measured.sh VIEW: run within cluster.sh. Repeats a query until its expressions are measured, and asks the view of VIEW,
# the extension's SQL; then restarts the server: another backend must find the gain and use the variant at once, so
# must parallel workers. Half of the queries end with an error within a batch that is measured, or within the variant.
set -euo pipefail
ask() { psql -X -q -At "$@" 2>&1; }
fail() { echo "$@"; ask -c "TABLE sartor_jit_activity"; exit 1; }
ask -f "$1"
ask -c "CREATE TABLE t AS SELECT g AS a, g % 100 AS b, g / 3.0::float8 AS f, g % 7 AS c FROM generate_series(1, 100000) g" -c "VACUUM ANALYZE t"
where="FROM t WHERE b < 50 AND f > 10 AND c <> 3 AND a + b > 7"
query="SELECT count(*), sum(a) $where AND a * 2 < 1000000"
fails="SELECT count(*), sum(a) $where AND a * 30000 < 1000000" # the same shape: constants are not in it
rows=$(ask -c "SET jit = off" -c "$query")
expected=$rows$'\nERROR:  integer out of range'
check() { # RUNS: in a session of its own
  local found
  found=$( (echo "SET max_parallel_workers_per_gather = 0;"; for _ in $(seq "$1"); do echo "$query; $fails;"; done) | ask | LC_ALL=C sort -u)
  [ "$found" = "$expected" ] || fail "$found in place of $expected"
}
active="SELECT count(*) FROM sartor_jit_activity WHERE status = 'active' AND gain_low > 1 AND gain >= gain_low AND gain_high >= gain AND saved_ns > 0"
for round in $(seq 60); do
  check 20
  [ "$(ask -c "$active")" = 0 ] || break
done
[ "$(ask -c "$active")" -gt 0 ] || fail "nothing is active after $round rounds"
# A shape of which too many steps are known is refused, with the reason.
ask -c "SELECT $(seq -s ' + a + ' 120) + a FROM t LIMIT 1" >/dev/null
[ "$(ask -c "SELECT count(*) FROM sartor_jit_activity WHERE status = 'excluded' AND why LIKE 'more than % steps'")" = 1 ] || fail "nothing is refused"

# The table has no holes: a full disk must not end the server.
(($(stat -c '%b * %B' "$PGDATA/sartor_jit.rows") >= $(stat -c %s "$PGDATA/sartor_jit.rows"))) || fail "the table has holes"

# A table of another layout is neither read nor changed, and an error gives the remedy; results stay right.
own=$PGDATA/sartor_jit.rows
mv "$own" "$own.own"
for other in version none; do
  cp "$own.own" "$own"
  if [ "$other" = version ]; then printf '\377' | dd of="$own" bs=1 seek=8 conv=notrunc status=none
  else dd if=/dev/zero of="$own" bs=16 count=1 conv=notrunc status=none; fi
  sum=$(sha256sum <"$own")
  check 1
  found=$(ask -v VERBOSITY=verbose -c "TABLE sartor_jit_activity") || true
  [[ $found == *55000*"another layout"*HINT*Rename* ]] || fail "read as if it were its own: $found"
  [ "$(sha256sum <"$own")" = "$sum" ] || fail "a table of another layout was changed"
done
mv "$own.own" "$own"

# Other shapes may still be measured.
shapes=$(ask -c "SELECT string_agg(quote_literal(shape), ', ') FROM sartor_jit_shapes() WHERE status = 'active'")
measured="SELECT shape, pairs FROM sartor_jit_shapes() WHERE shape IN ($shapes) ORDER BY shape"
before=$(ask -c "$measured")
pg_ctl -D "$PGDATA" -m fast -w restart -l "$PGDATA/../server.log" >/dev/null
[ "$(ask -c "$active")" -gt 0 ] || fail "the table was lost"
check 10
[ "$(ask -c "$measured")" = "$before" ] || fail "measured again: $before pairs before"

# The verdict of others remains where nothing can be compiled.
PGOPTIONS="-c sartor_jit.compiler=none" check 10
found=$(ask -c "SELECT count(*) FROM sartor_jit_shapes() WHERE status = 'active' AND shape IN ($shapes)")
[ "$found" = "$(ask -c "SELECT count(*) FROM sartor_jit_shapes() WHERE shape IN ($shapes)")" ] || fail "only $found shapes are active"

# The value of a setting becomes part of Sartor's options: no other option can be given with it, such as a file that
# the server writes to.
injected=$PGDATA/injected
for _ in $(seq 10); do echo "$query;"; done | PGOPTIONS="-c sartor_jit.compiler=out-of-process\",\"event_log\":\"$injected" ask >/dev/null
[ ! -e "$injected" ] || fail "a setting gives other options"

# Parallel workers, and a column whose type changes under the plan of a prepared statement.
found=$(ask <<SQL
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $query;
EXECUTE q;
ALTER TABLE t ALTER COLUMN b TYPE int8;
EXECUTE q;
ALTER TABLE t ALTER COLUMN c TYPE int2, ALTER COLUMN b TYPE float8;
EXECUTE q;
EXPLAIN EXECUTE q;
SQL
)
[ "$(grep -cxF "$rows" <<<"$found")" = 3 ] || fail "$found in place of $rows, three times"
grep -q 'Workers Planned' <<<"$found" || fail "no plan is parallel: $found"
