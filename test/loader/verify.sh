#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# verify.sh SARTOR_LD SARTOR PROBES: with the pass `verify`, a program starts if it and its libraries are signed, and
# does not if a byte of one has changed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 sartor=$2 probes=$3

mkdir "$work/keys" "$work/signatures" "$work/programs"
cp "$probes/greet" "$probes/libprobe_greet.so" "$work/programs"
program=$work/programs/greet library=$work/programs/libprobe_greet.so
stock=$("$program")

configure() { # MORE...: lines of the pass's options
  printf 'passes = ["concat", "verify", "bind"]\n[pass.verify]\n' >"$work/ld.toml"
  printf '%s\n' "$@" >>"$work/ld.toml"
}
run() { "$ld" --strict --config="$work/ld.toml" "$program"; }
starts() {
  expect 0 run
  [ "$(cat "$work/out")" = "$stock" ] || fail "another output: $(cat "$work/out")"
}
refused() { # TEXT...: the expected messages
  expect 126 run
  [ ! -s "$work/out" ] || fail "the program has run: $(cat "$work/out")"
  for text; do says err "$text"; done
}

# Without keys.
configure
refused 'its option `keys`'
configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\""
refused "$work/keys: has no public key"

# Keys.
expect 0 "$sartor" key --output "$work/one"
[ "$(stat -c %a "$work/one.key")" = 600 ] || fail "the key is not private"
expect 1 "$sartor" key --output "$work/one"
says err "$work/one.key"
cp "$work/one.pub" "$work/keys"
refused "$program: is not signed" "sartor ld sign"

# Signatures in a directory of their own.
expect 0 "$sartor" ld sign --key "$work/one.key" --signatures "$work/signatures" "$program"
refused "libprobe_greet.so: is not signed"
expect 0 "$sartor" ld sign --key "$work/one.key" --signatures "$work/signatures" --with-libraries \
  "$program"
says out "greet.sig: unchanged"
says out "libprobe_greet.so.sig: written"
says out "libc.so.6.sig: written"
starts
starts

# One byte changes for a while; nothing else about the file changes.
change() { # FROM TO
  local offset
  offset=$(grep -obUaF -m 1 "$1" "$library" | head -n 1 | cut -d: -f1)
  printf '%s' "$2" | dd of="$library" bs=1 seek="$offset" conv=notrunc status=none
  touch -d "@$modified" "$library"
}
modified=$(stat -c %Y "$library")
change 'good day' 'good dab'
[ "$("$program")" != "$stock" ] || fail "the change makes no difference"
refused "libprobe_greet.so: has been changed, or signed with another key"
change 'good dab' 'good day'
starts

# The stock loader starts it as before, whatever is signed.
[ "$("$ld" --passes=bind "$program")" = "$stock" ] || fail "verify was not asked for"

# A truncated signature, a missing signature, a signature next to the file.
signature=$(find "$work/signatures" -name '*libprobe_greet.so.sig')
cp "$signature" "$work/kept.sig"
truncate -s 100 "$signature"
refused "$signature: is not 128 hexadecimal digits"
rm "$signature"
refused "libprobe_greet.so: is not signed"
expect 0 "$sartor" ld sign --key "$work/one.key" "$library"
[ -f "$library.sig" ] || fail "there is no signature beside the library"
starts

# Another key, which is later added to the accepted ones.
expect 0 "$sartor" key --output "$work/two"
rm "$library.sig"
expect 0 "$sartor" ld sign --key "$work/two.key" "$library"
refused "libprobe_greet.so: has been changed, or signed with another key"
cp "$work/two.pub" "$work/keys"
starts
rm "$work/keys/two.pub"
refused "libprobe_greet.so: has been changed, or signed with another key"
cp "$work/kept.sig" "$signature"
starts

# Keys that others can change are not accepted.
chmod o+w "$work/keys"
refused "$work/keys: can be written by others"
chmod o-w "$work/keys"
chmod g+w "$work/keys/one.pub"
refused "$work/keys/one.pub: can be written by others"
chmod g-w "$work/keys/one.pub"
echo 0123 >"$work/keys/short.pub"
refused "$work/keys/short.pub: is not 64 hexadecimal digits"
rm "$work/keys/short.pub"
starts

# Without --strict, the pass still decides: anything that could prevent the check of a program also prevents its
# start.
judged() { "$ld" --config="$work/ld.toml" "$@"; }
expect 0 judged "$program"
[ "$(cat "$work/out")" = "$stock" ] || fail "another output: $(cat "$work/out")"
unchecked() { # COMMAND...: must not be started
  expect 126 "$@"
  [ ! -s "$work/out" ] || fail "$*: it has run: $(cat "$work/out")"
  [ -s "$work/err" ] || fail "$*: it does not say why"
}
printf '#!/bin/sh\necho script\n' >"$work/script"
chmod +x "$work/script"
unchecked judged "$work/script"
unchecked judged "$probes/static"
unchecked judged "$probes/static_pie"
unchecked env LD_AUDIT=/nowhere.so "$ld" --config="$work/ld.toml" "$program"
unchecked env LD_SHOW_AUXV=1 "$ld" --config="$work/ld.toml" "$program"
unchecked env XDG_CACHE_HOME=/proc/nowhere "$ld" --config="$work/ld.toml" "$program"
unchecked env XDG_CACHE_HOME=relative HOME= "$ld" --config="$work/no-such.toml" --strict "$program"
cp "$ld" "$work/sartor-ld" # without the planner
unchecked env XDG_CACHE_HOME="$work/other" "$work/sartor-ld" --config="$work/ld.toml" "$program"
if command -v strace >/dev/null; then
  unchecked strace -o /dev/null -f "$ld" --config="$work/ld.toml" "$program"
fi
# A program of a shape that cannot be planned, exchanged between check and start. Its libraries are planned.
odd "$program" "$work/programs/odd"
printf '#include <stdio.h>\nint main(void) { return puts("unsigned") < 0; }\n' >"$work/unsigned.c"
${CC:-cc} "$work/unsigned.c" -o "$work/programs/unsigned" -Wl,--no-as-needed -L"$work/programs" -lprobe_greet \
  -Wl,-rpath,'$ORIGIN'
expect 0 "$sartor" ld sign --key "$work/one.key" --signatures "$work/signatures" "$work/programs/odd"
ln -s odd "$work/programs/current"
expect 0 judged "$work/programs/current"
[ "$(cat "$work/out")" = "$stock" ] || fail "another output: $(cat "$work/out")"
python3 - "$ld" "$work" "$stock" <<'END' || fail "an exchanged program has run"
import os
import subprocess
import sys
import time
ld, work, stock = sys.argv[1:]
os.chdir(work + "/programs")


def link(name):
    os.symlink(name, "next")
    os.rename("next", "current")


for i in range(300):
    link("odd")
    start = subprocess.Popen([ld, f"--config={work}/ld.toml", f"{work}/programs/current"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    time.sleep(i % 60 / 20000)
    link("unsigned")
    out, err = start.communicate()
    if (start.returncode, out.strip()) not in ((0, stock), (126, "")):
        sys.exit(f"it ends with {start.returncode}: {out}{err}")
END

# Too little memory, before the passes are known and after.
unchecked sh -c 'ulimit -d 4000; exec "$@"' sh env XDG_CACHE_HOME="$work/other" "$ld" --config="$work/ld.toml" "$program"
says err "memory"
cp "$library" "$work/kept.so"
truncate -s 3G "$library"
unchecked sh -c 'ulimit -v 2500000; exec "$@"' sh "$ld" --config="$work/ld.toml" "$program"
says err "memory"
cp "$work/kept.so" "$library"
configure
unchecked judged "$program"
configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\""

# Without the pass, all of these start.
expect 0 "$ld" --passes=bind "$work/script"

# A library that appears earlier in a search path is checked like the planned one.
mkdir -p "$work/shadow/a" "$work/shadow/b"
cd "$work/shadow"
printf 'int who(void) { return 1; }\n' >one.c
printf '#include <stdio.h>\n__attribute__((constructor)) static void begin(void) { puts("unsigned"); }\nint who(void) { return 2; }\n' >two.c
printf '#include <stdio.h>\nint who(void);\nint main(void) { printf("who %%d\\n", who()); return 0; }\n' >who.c
${CC:-cc} -shared -fPIC one.c -o b/libwho.so
${CC:-cc} who.c -o who -Lb -lwho -Wl,-rpath,'$ORIGIN/a:$ORIGIN/b'
expect 0 "$sartor" ld sign --key "$work/one.key" --signatures "$work/signatures" --with-libraries ./who
for how in "" --strict "--strict --in-place"; do
  rm -f a/libwho.so
  expect 0 "$ld" $how --config="$work/ld.toml" ./who
  says out "who 1"
  ${CC:-cc} -shared -fPIC two.c -o a/libwho.so
  for i in 1 2; do
    unchecked "$ld" $how --config="$work/ld.toml" ./who
    says err "libwho.so: is not signed"
  done
done
rm a/libwho.so
cd "$work"

# Libraries loaded later: either any, or only listed and signed ones.
mkdir -p "$work/plugins"
cd "$work/plugins"
printf 'int number(void) { return 1; }\n' >one.c
printf 'int number(void) { return 2; }\n' >two.c
cat >loads.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(words[i], RTLD_NOW);
    int (*number)(void) = library ? (int (*)(void))dlsym(library, "number") : NULL;
    printf("%s %d\n", library ? "loaded" : "not loaded", number ? number() : 0);
  }
  void *again = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
  puts(again ? "libc" : "no libc");
  return 0;
}
C
mkdir signed
${CC:-cc} -shared -fPIC one.c -o signed/one.so
${CC:-cc} -shared -fPIC two.c -o two.so
${CC:-cc} loads.c -o loads
expect 0 "$sartor" ld sign --key "$work/one.key" --signatures "$work/signatures" --with-libraries ./loads signed/one.so
loads() { # HOW...: the outcome for both libraries, and for the C library
  expect 0 "$ld" "$@" --config="$work/ld.toml" ./loads ./signed/one.so ./two.so
  tr '\n' ' ' <"$work/out"
}
for how in --strict "--strict --in-place"; do
  configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\""
  [ "$(loads $how)" = "loaded 1 loaded 2 libc " ] || fail "$(cat "$work/out")"
  configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\"" 'plugins = ""'
  [ "$(loads $how)" = "not loaded 0 not loaded 0 libc " ] || fail "$(cat "$work/out")"
  for plugins in "$work/plugins/signed" "$work/plugins/signed/one.so:"; do
    configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\"" "plugins = \"$plugins\""
    [ "$(loads $how)" = "loaded 1 not loaded 0 libc " ] || fail "$(cat "$work/out")"
  done
done
configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\"" "plugins = \"$work/plugins/signed:$work/plugins/two.so\""
unchecked "$ld" --config="$work/ld.toml" ./loads
says err "two.so: is not signed"
configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\"" "plugins = \"$work/plugins/signed\""
expect 0 "$ld" --config="$work/ld.toml" ./loads
cp two.so signed/two.so
unchecked "$ld" --config="$work/ld.toml" ./loads
rm signed/two.so
configure "keys = \"$work/keys\"" "signatures = \"$work/signatures\""
cd "$work"

# Settings enforced for the machine cannot be switched off by a user. Tested in a mount namespace with an /etc of its
# own, if that is permitted.
mkdir -p "$work/etc/sartor"
cp /etc/ld.so.cache /etc/passwd /etc/group "$work/etc"
printf 'enforce = ["verify"]\n[pass.verify]\nkeys = "%s"\nsignatures = "%s"\n' "$work/keys" "$work/signatures" \
  >"$work/etc/sartor/ld.toml"
enforced() { # COMMAND...: run with that /etc
  unshare -m sh -c 'mount --bind "$0" /etc && exec "$@"' "$work/etc" "$@"
}
if [ "$(id -u)" = 0 ] && enforced true 2>/dev/null; then
  expect 0 enforced "$ld" "$program"
  mkdir -p "$work/config/sartor"
  for said in 'passes = ["bind"]' 'strict = false' '[pass.verify]
keys = "/nowhere"' "[application.\"$probes/calls_lazy\"]
passes = []" 'passes = [' 'enforce = []'; do
    printf '%s\n' "$said" >"$work/config/sartor/ld.toml"
    unchecked enforced "$ld" "$probes/calls_lazy"
    unchecked enforced "$ld" --passes=bind "$probes/calls_lazy"
    unchecked enforced "$ld" --passes= "$probes/calls_lazy"
    unchecked enforced "$ld" "$work/script"
  done
  rm "$work/config/sartor/ld.toml"
  expect 0 enforced "$ld" --passes=bind "$program"
else
  echo "verify: what a machine enforces cannot be tried here"
fi

# Files to sign must exist, and the key must be private.
expect 1 "$sartor" ld sign --key "$work/one.key" "$work/none"
says err 'file_error: "'"$work/none"
chmod go+r "$work/one.key"
expect 1 "$sartor" ld sign --key "$work/one.key" "$program"
says err "can be read or written by others"
echo "verify: as it should be"
