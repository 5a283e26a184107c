#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# isolate.sh SARTOR_LD PROBES: with the pass `isolate`, programs give the same results as without. A program that
# accesses a domain's data from outside is killed, and the report names it.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2
planner=$(dirname "$ld")/sartor-ld-plan
ulimit -c 0

configure() { # DOMAIN...: lines of the pass's options
  printf '[pass.isolate]\n' >"$work/ld.toml"
  printf '%s\n' "$@" >>"$work/ld.toml"
}
isolated() { "$ld" --strict --config="$work/ld.toml" --passes="$passes" "$@"; }
plan() { "$planner" --report --strict --config="$work/ld.toml" --passes=isolate,bind,concat,settle "$@"; }

# All ways to call, in programs with immediate and lazy binding, position-independent or not.
configure 'vault = "libprobe_vault.so"' 'other = "libprobe_vault_other.so"'
for passes in isolate isolate,bind isolate,settle isolate,bind,concat,settle; do
  for program in vault vault_now vault_fixed; do
    expect 0 "$probes/$program"
    cp "$work/out" "$work/stock"
    expect 0 isolated "$probes/$program"
    cmp -s "$work/stock" "$work/out" || fail "another output: $(diff "$work/stock" "$work/out")"
    expect 0 isolated "$probes/$program" with "$probes/libprobe_vault_plugin.so"
    cmp -s "$work/stock" "$work/out" || fail "another output: $(diff "$work/stock" "$work/out")"
  done
done
expect 0 isolated --in-place "$probes/vault"
cmp -s "$work/stock" "$work/out" || fail "another output: $(diff "$work/stock" "$work/out")"
# Libraries that the user preloads are loaded, and the agent is not visible.
export LD_PRELOAD=$probes/libprobe_counter.so
expect 0 isolated "$probes/vault"
unset LD_PRELOAD
says out "LD_PRELOAD $probes/libprobe_counter.so, SARTOR_DOMAINS -"
# No variable of the user disables domains.
expect 139 env SARTOR_DOMAINS= "$ld" --strict --passes=isolate --config="$work/ld.toml" "$probes/vault" touch
says err 'touches the data of the domain "vault"'
configure 'both = "libprobe_vault.so, libprobe_vault_other.so"'
expect 0 isolated "$probes/vault"
cmp -s "$work/stock" "$work/out" || fail "another output: $(diff "$work/stock" "$work/out")"

# Forbidden accesses. SIGSEGV
configure 'vault = "libprobe_vault.so"'
for passes in isolate isolate,bind,concat,settle; do
  expect 0 "$probes/vault" touch
  expect 139 isolated "$probes/vault" touch
  says err "/vault touches the data of the domain \"vault\" ("
  says err "libprobe_vault.so) from outside"
  expect 139 isolated "$probes/vault" pointer
  says err "libprobe_vault.so, of the domain \"vault\", has been called other than through a gate"
  expect 139 isolated "$probes/vault" jump
  says err "/vault touches the data"
  expect 0 isolated "$probes/vault" child
  says out 111
done
# While another thread is inside, access rights are per thread with protection keys, and per process without.
expect 0 plan "$probes/vault"
says out 'isolate: domain "vault": '"$(realpath "$probes")/libprobe_vault.so, "
says out 'libprobe_vault.so: stays as it is: it is in a domain'
if grep -qw ospke /proc/cpuinfo; then
  says out 'domain "vault": by a protection key, for each thread by itself'
  expect 139 isolated "$probes/vault" other
else
  says out 'domain "vault": no protection keys on this CPU: by mprotect(), for the whole process at once'
  expect 0 isolated "$probes/vault" other
fi

# The program's own handler is called, and the sender of a signal is reported.
expect 139 isolated "$probes/vault" raise
grep -q 'touches' "$work/err" && fail "a signal that was sent is none of its business"

# Domains that are not possible.
refused() { # TEXT...: the expected messages
  expect 3 plan "$program"
  for text; do says err "$text"; done
}
program=$probes/copied
configure 'a = "libprobe_copied.so"'
refused 'domain "a": ' "libprobe_copied.so cannot be isolated: $program uses its variable \`"
program=$probes/exceptions
configure 'a = "libprobe_exceptions.so"'
refused 'libprobe_exceptions.so cannot be isolated: it uses `' 'no exception finds its way out'
program=$probes/vault
configure 'a = "libc.so.6"'
refused "libc.so.6 cannot be isolated: nothing runs without it"
configure 'a = "vault"'
refused "vault cannot be isolated: it is the program"
configure 'a = "libprobe_vault.so"' 'b = "libprobe_vault.so"'
refused "libprobe_vault.so is named twice"
program=$probes/vault_open
configure 'a = "libprobe_vault_open.so"'
refused "libprobe_vault_open.so cannot be isolated: the stock loader reads its data"
program=$probes/vault
printf 'passes = ["isolate"]\n' >"$work/ld.toml"
refused "it has no domain"
configure 'a = "libnone.so.1"'
expect 0 plan "$program"
says out "libnone.so.1 is not isolated: the program does not start with it"
# Without strict, the program starts as if the pass were not configured.
configure 'a = "libc.so.6"'
expect 0 "$ld" --config="$work/ld.toml" --passes=isolate,bind "$probes/vault"
cmp -s "$work/stock" "$work/out" || fail "another output: $(diff "$work/stock" "$work/out")"

# Installed programs, as far as they exist, with libraries that can be domains.
same() { # DOMAINS COMMAND...
  local domains=$1
  shift
  command -v "$1" >/dev/null || return 0
  configure "$domains"
  "$@" >"$work/stock" 2>&1 || true
  for passes in isolate isolate,bind,concat,settle; do
    isolated "$@" >"$work/isolated" 2>&1 || true
    cmp -s "$work/stock" "$work/isolated" || fail "$*: $(diff "$work/stock" "$work/isolated")"
  done
}
seq 1000 >"$work/numbers"
if command -v git >/dev/null; then
  git init -q "$work/repository"
  cd "$work/repository"
  cp "$work/numbers" .
  domains='z = "libz.so.1"
    pcre = "libpcre2-8.so.0"'
  git add numbers
  git -c user.name=a -c user.email=a@b commit -q -m one
  same "$domains" git status
  same "$domains" git log --format=%s --stat
  same "$domains" git fsck
  same "$domains" git grep -nP '^9+8?$'
fi
cd "$work"
same 'crypto = "libcrypto.so.3 libssl.so.3"' openssl dgst -sha256 numbers
same 'crypto = "libcrypto.so.3"' openssl enc -aes-256-cbc -k x -S 0102030405060708 -in numbers -a -pbkdf2
same 'z = "libz.so.1"
  xml = "libexpat.so.1"' /usr/bin/python3 -c 'import pyexpat, threading, zlib
def work():
    data = bytes(range(256)) * 4000
    assert zlib.decompress(zlib.compress(data)) == data
threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads: each.start()
for each in threads: each.join()
parser = pyexpat.ParserCreate()
parser.StartElementHandler = print
parser.Parse("<a><b c=\"1\"/></a>", True)
try:
    parser.Parse("</a>", True)
except pyexpat.ExpatError as error:
    print(error)'
same 'z = "libz.so.1"' sqlite3 :memory: 'create table t(a); insert into t values(1), (2); select sum(a) from t'
same 'lzma = "liblzma.so.5"' xz --stdout numbers
echo "isolate: as it should be"
