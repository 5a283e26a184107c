#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# planner.sh SARTOR_LD: planning does not affect the program and is not affected by its environment. Signals do not
# spoil a plan, the program sees nothing of it, and no start waits long for it.
set -euo pipefail
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
ld=$1
planner=$(dirname "$ld")/sartor-ld-plan
cc=${CC:-cc}
cd "$work"
images() { find "$work/cache" -name '*.image' | wc -l; }
running() { pgrep -f "sartor-ld-plan --for-front.*$work" || true; }

cat >program.c <<'C'
#include <stdio.h>
int slow(void);
int main(void) { printf("slow %d\n", slow()); return 0; }
C
# A library whose resolver waits while the planner examines it and the file `hold` is there. It makes the file `held`.
cat >slow.c <<C
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
static int one(void) { return 5; }
static int (*resolve(void))(void) {
  char text[2048] = "";
  int file = open("/proc/self/status", O_RDONLY);
  if (read(file, text, sizeof text - 1) > 0 && !strstr(text, "TracerPid:\t0\n"))
    while (access("$work/hold", F_OK) == 0) {
      close(open("$work/held", O_WRONLY | O_CREAT, 0600));
      usleep(20000);
    }
  close(file);
  return one;
}
int slow(void) __attribute__((ifunc("resolve")));
C
$cc -O1 -shared -fPIC slow.c -o libslow.so
$cc program.c -o program -L. -lslow -Wl,-rpath,'$ORIGIN'

hold() { # the planner does not end until the file is removed
  rm -f held
  : >hold
}
is_held() { # waits until the planner has come to the resolver
  for _ in $(seq 3000); do
    [ ! -e held ] || return 0
    sleep 0.1
  done
  fail "it is not planned in the background"
}
none() { # PATTERN: waits until no process has such a command line; false if some stay
  for _ in $(seq 600); do
    pgrep -f "$1" >/dev/null || return 0
    sleep 0.1
  done
  return 1
}

# The first start is not delayed, prints nothing, and does not wait for planning in the background. On a machine that
# is busy, one of several starts is quick.
for _ in 1 2 3 4 5; do
  rm -rf cache
  hold
  begin=$(date +%s%N)
  [ "$(timeout 300 "$ld" ./program | cat)" = "slow 5" ] || fail "another output"
  took=$((($(date +%s%N) - begin) / 1000000))
  is_held
  [ $took -ge 2500 ] || break
  rm hold
  settled
done
[ $took -lt 2500 ] || fail "it took $took ms"
[ "$(ps -o sid= -p "$(running)")" != "$(ps -o sid= -p $$)" ] || fail "it is in this session"
[ "$(ps -o tty= -p "$(running)")" = "?" ] || fail "it has a terminal"
# One start plans, and the others do not wait for it.
for i in 1 2 3 4 5 6; do timeout 300 "$ld" ./program >"out$i" 2>&1 & done
wait
for i in 1 2 3 4 5 6; do [ "$(cat "out$i")" = "slow 5" ] || fail "another output: $(cat "out$i")"; done
for _ in $(seq 600); do # the planners of the others find that one is at work
  [ "$(running | wc -l)" != 1 ] || break
  sleep 0.1
done
[ "$(running | wc -l)" = 1 ] || fail "$(running | wc -l) plan it"
rm hold
settled
[ "$(images)" = 1 ] || fail "there is no image"
expect 0 "$ld" ./program
[ "$(running)" = "" ] || fail "it is planned again"
# Starts that must wait for a plan wait for one planner.
rm -rf cache
hold
for i in 1 2 3; do timeout 300 "$ld" --strict ./program >"out$i" 2>&1 & done
is_held
sleep 1 # the others come to wait
rm hold
wait
for i in 1 2 3; do [ "$(cat "out$i")" = "slow 5" ] || fail "another output: $(cat "out$i")"; done
[ "$(images)" = 1 ] || fail "there is no image"

# A planner that is killed leaves nothing behind, and does not prevent another attempt.
rm -rf cache
hold
expect 0 "$ld" ./program
is_held
kill -KILL "$(running)"
none "^$work/program" || fail "the program that was looked at is left"
settled
[ "$(find cache -type f ! -name '*.lock' | wc -l)" = 0 ] || fail "something is left: $(ls -R cache)"
rm hold

# A planner that crashes is not started again at once.
cat >crashes.c <<'C'
#include <sartor/loader/pass.h>
#include <stdlib.h>
static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  (void)image, (void)operations;
  abort();
}
const struct sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI, .name = "crashes", .run = run};
C
mkdir passes
$cc -shared -fPIC -I "$here/../../include" crashes.c -o passes/crashes.so
printf 'passes = ["crashes"]\ndirectories = ["%s/passes"]\n' "$work" >crashes.toml
ulimit -c 0
tells 0 "has crashed" "$ld" --config=crashes.toml sh -c 'echo runs'
says out runs
settled
expect 0 "$ld" --config=crashes.toml sh -c 'echo runs'
says out runs
[ ! -s err ] || fail "it is told again: $(cat err)"
expect 126 "$ld" --strict --config=crashes.toml sh -c 'echo runs'
rm -rf cache

# A failure in the background is reported at the next start, once.
printf '#include <sartor/loader/pass.h>\nstatic const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) { (void)image, (void)operations; return "fails here"; }\nconst struct sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI, .name = "fails", .run = run};\n' >fails.c
$cc -shared -fPIC -I "$here/../../include" fails.c -o passes/fails.so
printf 'passes = ["fails"]\ndirectories = ["%s/passes"]\n' "$work" >fails.toml
hold
expect 0 "$ld" --config=fails.toml ./program
[ ! -s err ] || fail "it was waited for: $(cat err)"
is_held
rm hold
settled
expect 0 "$ld" --config=fails.toml ./program
says err "fails here"
expect 0 "$ld" --config=fails.toml ./program
[ ! -s err ] || fail "it is told again: $(cat err)"
rm -rf cache

# A library that is replaced while its program is planned: calls lead to the functions of the new one.
mkdir swapped
cat >swaps.c <<C
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int one(void) { return 5; }
static int (*resolve(void))(void) {
  char text[2048] = "";
  int file = open("/proc/self/status", O_RDONLY);
  if (read(file, text, sizeof text - 1) > 0 && !strstr(text, "TracerPid:\t0\n"))
    rename("$work/swapped/new", "$work/swapped/libswapped.so");
  close(file);
  return one;
}
int swaps(void) __attribute__((ifunc("resolve")));
C
$cc -O1 -shared -fPIC swaps.c -o swapped/libswaps.so
printf 'int good(void) { return 1; }\nint bad(void) { return 666; }\n' >good.c
printf 'int bad(void) { return 666; }\nint good(void) { return 2; }\n' >better.c
printf '#include <stdio.h>\nint good(void), swaps(void);\nint main(void) { printf("%%d %%d\\n", good(), swaps()); return 0; }\n' >swapped.c
$cc -O1 -shared -fPIC good.c -o swapped/libswapped.so
$cc -O1 -shared -fPIC better.c -o swapped/new
touch -d '2 days ago' swapped/*
$cc -O1 swapped.c -o swapped/program -Lswapped -lswapped -lswaps -Wl,-rpath,'$ORIGIN'
for _ in 1 2; do
  expect 0 "$ld" --strict ./swapped/program
  [ "$(cat out)" = "2 5" ] || fail "after an update, it prints $(cat out)"
done
[ ! -e swapped/new ] || fail "the library has not been replaced"
rm -rf cache

# A pass of another directory judges, as slowly as it may be: no start goes ahead of it or around it.
cat >judges.c <<'C'
#include <sartor/loader/pass.h>
static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  operations->refuse(image, "no");
  return NULL;
}
const struct sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI, .name = "judges", .run = run, .judges = 1};
C
$cc -shared -fPIC -I "$here/../../include" judges.c -o passes/judges.so
printf 'passes = ["judges"]\ndirectories = ["%s/passes"]\n' "$work" >judges.toml
hold
starts=()
for i in 1 2 3; do
  timeout 300 "$ld" --config=judges.toml ./program >"out$i" 2>&1 &
  starts+=($!)
done
is_held
sleep 2
rm hold
for i in 1 2 3; do
  status=0
  wait "${starts[i - 1]}" || status=$?
  [ $status = 126 ] && ! grep -q slow "out$i" || fail "a refused program ends with $status: $(cat "out$i")"
done
expect 126 env LD_AUDIT="$work/none.so" "$ld" --config=judges.toml ./program
expect 126 "$ld" --config=judges.toml "$here/planner.sh"
[ ! -s out ] || fail "a refused script has run: $(cat out)"
rm -rf cache

# Signals do not spoil a plan.
cat >calls.c <<'C'
#include <stdio.h>
int slow(void);
int one(void), two(void);
int main(void) { printf("%d\n", one() + two() + slow()); return 0; }
C
printf 'int one(void) { return 1; }\nint two(void) { return 2; }\n' >numbers.c
$cc -O1 -shared -fPIC numbers.c -o libnumbers.so
$cc -O1 calls.c -o calls -L. -lslow -lnumbers -Wl,-rpath,'$ORIGIN'
"$planner" --report --passes=bind ./calls >quiet
hold
"$planner" --report --passes=bind ./calls >disturbed &
pid=$!
rounds=0
while kill -0 $pid 2>/dev/null; do
  for number in WINCH CONT TSTP URG USR1 TERM; do pkill -$number -P $pid || true; done
  [ ! -e held ] || rounds=$((rounds + 1))
  [ $rounds -lt 20 ] || rm -f hold
  sleep 0.05
done
wait $pid
cmp -s quiet disturbed || fail "signals make a difference: $(diff quiet disturbed)"

# Environment variables for the stock loader apply to the program only.
printf '#define _GNU_SOURCE\n#include <errno.h>\n#include <stdio.h>\n__attribute__((constructor)) static void begin(void) { fprintf(stderr, "in %%s\\n", program_invocation_short_name); }\n' >noisy.c
$cc -shared -fPIC noisy.c -o noisy.so
mkdir broken
for library in libstdc++.so.6 libgcc_s.so.1 libm.so.6; do printf 'no library\n' >broken/$library; done
printf 'int main(void) { return 0; }\n' >nothing.c
$cc nothing.c -o nothing
expect 0 env LD_PRELOAD="$work/noisy.so" "$ld" --strict ./nothing
[ "$(cat err)" = "in nothing" ] || fail "constructors: $(cat err)"
expect 0 env LD_LIBRARY_PATH="$work/broken" "$ld" --strict ./nothing
mkdir debug
expect 0 env LD_DEBUG=libs LD_DEBUG_OUTPUT="$work/debug/of" "$ld" --strict ./nothing
[ "$(ls debug | wc -l)" = 1 ] || fail "others tell, too: $(ls debug)"

# Resolvers of indirect functions that read the environment run at each start.
cat >choose.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*resolve(void))(void) {
  char text[65536] = "";
  int file = open("/proc/self/environ", O_RDONLY);
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  for (ssize_t i = 0; i < size; i += strlen(text + i) + 1)
    if (!strcmp(text + i, "CHOICE=two"))
      return two;
  return one;
}
int choice(void) __attribute__((ifunc("resolve")));
static int within(void) __attribute__((ifunc("resolve")));
int choice_within(void) { return within(); }
C
cat >chooses.c <<'C'
#include <stdio.h>
int choice(void), choice_within(void);
int main(void) { printf("%d %d\n", choice(), choice_within()); return 0; }
C
$cc -O1 -shared -fPIC choose.c -o libchoose.so
$cc -O1 chooses.c -o chooses -L. -lchoose -Wl,-rpath,'$ORIGIN'
for choice in one two one; do
  expect 0 env CHOICE=$choice ./chooses
  cp out stock
  expect 0 env CHOICE=$choice "$ld" --strict ./chooses
  cmp -s stock out || fail "$choice: $(cat out)"
done
echo "planner: as it should be"
