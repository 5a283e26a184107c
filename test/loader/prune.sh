#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# prune.sh SARTOR_LD PROBES: with the pass `prune`, unreachable functions become traps, and programs give the same
# results as without.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2
program=$probes/forgotten library=$probes/libprobe_forgotten.so

address() { # the address of a function of the library
  nm "$library" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
distance=$(($(address forgotten) - $(address known)))

# Calls a function that nothing refers to.
for passes in "" bind,concat; do
  expect 0 "$ld" --strict --passes=$passes "$program" "$distance"
  [ "$(cat "$work/out")" = "$(printf '2 42 81\n38')" ] || fail "another output: $(cat "$work/out")"
done
for passes in prune prune,bind,concat; do
  expect 0 "$ld" --strict --passes=$passes "$program"
  [ "$(cat "$work/out")" = "2 42 81" ] || fail "another output: $(cat "$work/out")"
  expect 133 "$ld" --strict --passes=$passes "$program" "$distance" # SIGTRAP
  [ "$(cat "$work/out")" = "2 42 81" ] || fail "another output: $(cat "$work/out")"
done

# The report.
planner=$(dirname "$ld")/sartor-ld-plan
printf '[pass.prune]\nlist = true\n' >"$work/list.toml"
expect 0 "$planner" --report --passes=prune --config="$work/list.toml" "$program"
says out "libprobe_forgotten.so: 1 of "
says out "libprobe_forgotten.so: $(printf '0x%x' "$(address forgotten)") "
grep -q '/libc.so.6: ' "$work/out" && fail "the C library is none of its business"

# Libraries that would take minutes, or too much memory, are left alone.
expect 0 "$planner" --report --passes=prune "$probes/crowded"
says out "libprobe_crowded.so: left as it is: its tables of distances are too many to be followed"
says out "libprobe_bare.so: left as it is: too much of its code has no unwind information"
expect 0 "$ld" --strict --passes=prune "$probes/crowded"
says out "42 42"

printf '[pass.prune]\nexports = "some"\n' >"$work/wrong.toml"
expect 3 "$planner" --strict --passes=prune --config="$work/wrong.toml" "$program"
says err '`exports` must be'

# Installed programs, as far as they exist.
printf '[pass.prune]\nexports = "used"\n' >"$work/used.toml"
same() { # COMMAND...
  command -v "$1" >/dev/null || return 0
  "$@" >"$work/stock" 2>&1 || true
  for options in "" "--config=$work/used.toml"; do
    "$ld" --strict $options --passes=prune,bind,concat "$@" >"$work/pruned" 2>&1 || true
    cmp -s "$work/stock" "$work/pruned" || fail "$* with $options: $(diff "$work/stock" "$work/pruned")"
  done
}
git init -q "$work/repository"
cd "$work/repository"
seq 1000 >numbers
same git --version
same git add numbers
same git -c user.name=a -c user.email=a@b log --stat
same git status --short
same git hash-object numbers
same git diff --no-index /dev/null numbers
same git grep -nP '^9+8?$'
same sqlite3 :memory: "create table t(a); with recursive n(i) as (select 1 union all select i + 1
  from n where i < 2000) insert into t select i * i from n; select sum(a), avg(a), json_array(count(*))
  from t where a like '%4'; select printf('%.3f', sqrt(2));"
same perl -e 'my %h = map { $_ => $_ ** 2 } 1 .. 500; print join(",", sort { $h{$a} <=> $h{$b} } keys %h);
  print sprintf("%s %.4f\n", "abc" =~ s/b/x/r, atan2(1, 1)); eval { die "caught\n" }; print $@;
  use POSIX; use List::Util "sum"; print sum(1 .. 10), POSIX::floor(2.5), "\n"'
same redis-server --version
same redis-cli --version
same /usr/bin/python3 -c 'import ctypes, hashlib, json, math, re, sqlite3, zlib
print(json.dumps({"a": [1.5, None]}), hashlib.sha256(b"x").hexdigest(), re.sub("b+", "x", "abbc"))
print(zlib.crc32(b"abc"), math.gamma(5.5), sqlite3.connect(":memory:").execute("select 1+1").fetchall())
try:
    raise ValueError("caught")
except ValueError as error:
    print(error)'
same xz --version
same openssl dgst -sha256 numbers
echo "prune: as it should be"
