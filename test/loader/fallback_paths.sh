#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fallback_paths.sh SARTOR_LD PROBES: fallback paths for programs that cannot be started as planned. They run once, as the
# stock loader starts them, without a trace of the loader. If they must start as planned, they exit with 126, whatever
# the reason.
set -euo pipefail
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
ld=$1 probes=$2
cc=${CC:-cc}
cd "$work"

# state: prints the state that a program inherits when it starts.
cp "$probes/state" "$probes/state_static" .
# with HOW COMMAND...: with signals ignored, blocked, or blocked and pending.
cat >with.c <<'C'
#include <signal.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  (void)count;
  const int numbers[] = {SIGTRAP, SIGCHLD, SIGHUP, SIGWINCH};
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 4; ++i) {
    if (!strcmp(words[1], "ignored"))
      signal(numbers[i], SIG_IGN);
    sigaddset(&set, numbers[i]);
  }
  if (!strcmp(words[1], "blocked") || !strcmp(words[1], "waiting"))
    sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 4 && !strcmp(words[1], "waiting"); ++i)
    raise(numbers[i]);
  execv(words[2], words + 2);
  return 1;
}
C
$cc with.c -o with
# without NUMBER COMMAND...: a process that uses this ptrace() request is killed, or gets an error.
cat >without.c <<'C'
#include <stddef.h>
#include <stdlib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
  (void)count;
  const unsigned number = strtoul(words[1], NULL, 0);
  const unsigned how = words[2][0] == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, how),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  execv(words[3], words + 3);
  return 1;
}
C
$cc without.c -o without

same() { # the output is that of the program with the stock loader
  "$@" >stock
  cmp -s stock out || fail "$*: $(diff stock out)"
}

# A planned program finds the same state as without the loader.
expect 0 "$ld" --strict ./state
"$ld" ./state >out
settled
for how in none ignored blocked waiting; do
  expect 0 ./with "$how" "$ld" --strict "$work/state"
  same ./with "$how" "$work/state"
done

# If ptrace() fails or kills the helper, the stock loader starts the program, or with --strict it is not started.
for request in 1 4 7 12 13 17 24 0x4200 0x4206 0x4207 0x420a 0x420b; do
  for how in kill error; do
    expect 0 ./without $request $how "$ld" "$work/state"
    same ./state
    says err "the stock loader starts it"
    expect 126 ./without $request $how "$ld" --strict "$work/state"
    says err "it is refused"
    [ ! -s out ] || fail "it has run: $(cat out)"
  done
done

# The helper makes the program execute system calls, which may be refused there. It sends a signal, which is needed
# only where the end of the helper would be noticed; and it maps the front, in a way in which neither the page that is
# tried before nor a library is mapped.
cat >refuses.c <<'C'
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define WORD(where) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, where))
#define IS(value, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise)
int main(int count, char **words) {
  (void)count;
  const unsigned how = words[1][0] == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1;
  struct sock_filter kill[] = {WORD(nr), IS(SYS_kill, 1), BPF_STMT(BPF_RET | BPF_K, how),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_filter map[] = {WORD(nr), IS(SYS_mmap, 7), WORD(args[2]), IS(PROT_READ | PROT_EXEC, 5),
                              WORD(args[3]), IS(MAP_PRIVATE, 3), WORD(args[1]),
                              BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 4096, 0, 1),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 12),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog of_kill = {sizeof kill / sizeof *kill, kill};
  struct sock_fprog of_map = {sizeof map / sizeof *map, map};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, words[1][0] == 'm' ? &of_map : &of_kill);
  execv(words[2], words + 2);
  return 1;
}
C
$cc refuses.c -o refuses
for refusal in kill error; do
  for how in --strict ""; do
    expect 0 ./refuses $refusal "$ld" $how "$work/state"
    same ./state
    [ ! -s err ] || fail "there is something to say: $(cat err)"
  done
  for signals in blocked waiting; do
    expect 0 timeout 200 ./with $signals ./refuses $refusal "$ld" "$work/state"
    same ./with $signals ./state
    says err "the stock loader starts it"
    expect 126 timeout 200 ./with $signals ./refuses $refusal "$ld" --strict "$work/state"
    says err "it is refused"
  done
done
# A helper that may not be killed must not hang the start of a program that cannot be executed.
cp state written
expect 0 "$ld" ./written
settled
exec 5<>written
expect 126 timeout 200 ./refuses error "$ld" ./written
says err "cannot be executed"
exec 5>&-
expect 0 ./refuses map "$ld" "$work/state"
same ./state
says err "the front cannot be put into it: the stock loader starts it"
expect 126 ./refuses map "$ld" --strict "$work/state"
says err "the front cannot be put into it: it is refused"
[ ! -s out ] || fail "it has run: $(cat out)"

# A program that only the stock loader can start.
odd /lib64/ld-linux-x86-64.so.2 other.so
$cc "$here/probe/state.c" -o other -Wl,--dynamic-linker="$work/other.so"
for i in 1 2; do
  expect 0 "$ld" ./other
  same ./other
  settled
  expect 126 "$ld" --strict ./other
done
says err "it is refused"
[ "$("$ld" ./other 2>&1 >/dev/null)" = "" ] || fail "it is told again and again"

# Files that are not programs for a loader.
mv state_static static
printf '#!/bin/sh\necho script\n' >script
chmod +x script
for program in ./static ./script; do
  expect 0 "$ld" "$program"
  [ ! -s err ] || fail "there is something to say: $(cat err)"
  expect 126 "$ld" --strict "$program"
  says err "it is refused"
done
expect 126 env LD_AUDIT=/nowhere.so "$ld" --strict ./state
expect 127 "$ld" --strict ./nowhere

# A library that appears at an earlier place is planned with at once; nothing runs twice.
mkdir a b
printf 'int who(void) { return %s; }\n' 1 >one.c
printf 'int who(void) { return %s; }\n' 2 >two.c
printf '#include <stdio.h>\nint who(void);\nint main(void) { printf("who %%d\\n", who()); return 0; }\n' >who.c
$cc -shared -fPIC one.c -o b/libwho.so
$cc who.c -o who -Lb -lwho -Wl,-rpath,'$ORIGIN/a:$ORIGIN/b'
for how in --strict "--strict --in-place"; do
  rm -f a/libwho.so
  expect 0 "$ld" $how ./who
  says out "who 1"
  $cc -shared -fPIC two.c -o a/libwho.so
  expect 0 "$ld" $how ./who
  says out "who 2"
  [ ! -s err ] || fail "there is something to say: $(cat err)"
  expect 0 "$ld" $how ./who
  says out "who 2"
done

# An audit library in the program itself is loaded each time: this is reported once, and the program is left alone.
printf 'unsigned la_version(unsigned version) { return version; }\n' >listens.c
$cc -shared -fPIC listens.c -o liblistens.so
printf '#include <stdio.h>\nint main(void) { return puts("runs") < 0; }\n' >heard.c
$cc heard.c -o heard -Wl,--audit="$work/liblistens.so"
# A start that waits for its planner in vain leaves the rest to the next one.
for i in 1 2 3; do
  expect 0 "$ld" ./heard
  same ./heard
  settled
done
expect 0 "$ld" ./heard
[ ! -s err ] || fail "it is told again: $(cat err)"
expect 126 "$ld" --strict ./heard

# Libraries of an unusual form are left alone: a plan ends when all libraries are there, not before, not later, and
# nothing starts again in the middle of it.
printf 'int shape(void) { return 3; }\n' >shape.c
cat >shapes.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int shape(void);
int main(void) {
  puts("begins");
  fflush(stdout);
  printf("%d after dlopen %d\n", shape(), dlopen("libm.so.6", RTLD_NOW) != NULL);
  return 0;
}
C
$cc -fPIC -shared shape.c -o libshape.so -Wl,-z,max-page-size=0x200000
$cc shapes.c -o shapes -L. -lshape -Wl,-rpath,'$ORIGIN'
python3 - <<'P'
import struct
data = bytearray(open('libshape.so', 'rb').read())
table, = struct.unpack_from('<Q', data, 32)
for i in range(struct.unpack_from('<H', data, 56)[0]):
    kind, flags = struct.unpack_from('<II', data, table + 56 * i)
    if kind == 1 and flags & 1:
        struct.pack_into('<I', data, table + 56 * i + 4, flags | 2)
open('libshape.so', 'wb').write(data)
P
for i in 1 2; do
  expect 0 "$ld" --strict ./shapes
  same ./shapes
done

# Program headers far from the file's beginning, as post-link optimizers leave them.
move_headers() {
  python3 - "$1" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
table, = struct.unpack_from('<Q', data, 32)
size, count = struct.unpack_from('<HH', data, 54)
headers = bytes(data[table:table + size * count])
data += bytes(-len(data) % 4096)
struct.pack_into('<Q', data, 32, len(data))
open(sys.argv[1], 'wb').write(data + headers)
P
}
cat >greet.c <<'C'
#include <stdio.h>
int first = 11;
static int *second = &first;
int greet(void) { return printf("greets %d\n", *second); }
C
$cc -fPIC -shared greet.c -o libgreet.so
printf 'int greet(void);\nint main(void) { return greet() != 10; }\n' >greets.c
$cc greets.c -o greets -L. -lgreet -Wl,-rpath,'$ORIGIN'
move_headers libgreet.so
for passes in bind concat bind,concat; do
  expect 0 "$ld" --strict --passes=$passes ./greets
  same ./greets
done
cp greets moved
move_headers moved
expect 126 "$ld" --strict ./moved

# A directory from which nothing may be executed.
mkdir noexec
if mount -t tmpfs -o noexec none noexec 2>/dev/null; then
  export XDG_CACHE_HOME=$work/noexec
  tells 0 "nothing may be executed from there" "$ld" ./state
  same ./state
  expect 0 "$ld" ./state
  [ ! -s err ] || fail "it is told again: $(cat err)"
  expect 126 "$ld" --strict ./state
  umount noexec
  export XDG_CACHE_HOME=$work/cache
fi

# The kernel's data about a program is correct; its addresses are random at each start, or never.
cat >places.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int data = 1;
int main(int count, char **words) {
  (void)words;
  char text[4096] = "";
  FILE *file = fopen("/proc/self/stat", "r");
  if (!file || !fgets(text, sizeof text, file))
    return 1;
  unsigned long at[53] = {0};
  char *rest = strrchr(text, ')') + 2;
  for (int i = 3; i < 53 && rest; ++i, rest = strchr(rest, ' '), rest += rest != NULL)
    at[i] = strtoul(rest, NULL, 10);
  const unsigned long code = (unsigned long)main, own = (unsigned long)&data;
  if (count > 1)
    printf("%p %p\n", (void *)main, (void *)puts);
  else
    printf("code %d data %d\n", at[26] <= code && code < at[27], at[45] <= own && own < at[46]);
  return 0;
}
C
$cc places.c -o places
$cc -no-pie -fno-pie places.c -o places_fixed
for program in ./places ./places_fixed; do
  expect 0 "$ld" --strict $program
  says out "code 1 data 1"
done
addresses() { for i in 1 2 3 4; do "$@" ./places print; done | sort -u | wc -l; }
[ "$(addresses "$ld" --strict)" = 4 ] || fail "the same addresses again"
if setarch -R true 2>/dev/null; then
  [ "$(addresses setarch -R "$ld" --strict)" = 1 ] || fail "other addresses each time"
fi
# If getrandom() fails, the kernel's random bytes for the process are used.
cat >unknowing.c <<'C'
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
  (void)count;
  struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  execv(words[1], words + 1);
  return 1;
}
C
$cc unknowing.c -o unknowing
[ "$(addresses ./unknowing "$ld" --strict)" -gt 1 ] || fail "the same addresses again"
# The first process of a container adopts orphans.
if unshare -pf --mount-proc true 2>/dev/null; then
  for i in 1 2; do
    expect 0 unshare -pf --mount-proc env NEW=$i "$ld" ./state
    same ./state
  done
  rm -rf cache
  expect 0 unshare -pf --mount-proc "$ld" ./state
  same ./state
fi
# With little memory or few descriptors, the program still runs, with either loader.
for room in 4000 6000 8000 12000 20000 100000; do
  status=0
  (ulimit -v $room; ./state >stock 2>&1) || status=$?
  expect $status sh -c "ulimit -v $room; exec '$ld' ./state"
done
for files in 4 5 6 7 8 16; do
  (ulimit -n $files; ./places >stock 2>&1) || continue # with the descriptors that are open here
  expect 0 sh -c "ulimit -n $files; exec '$ld' ./places"
  says out "code 1 data 1"
done

# Fallback paths for files that are not programs to the kernel behave as without the loader.
printf 'echo script\n' >text
chmod +x text
expect 126 "$ld" ./text
expect 0 env -u PATH "$ld" sh -c 'exit 0'
expect 0 "$ld" --help
says out "Usage"
expect 2 "$ld" --strict
long=$(printf 'a%.0s' $(seq 5000))
expect 2 "$ld" --passes=bind --config="/$long" ./state
says err "4 KiB"
echo "by-roads: as they should be"
