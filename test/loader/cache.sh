#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cache.sh SARTOR_LD SARTOR: the directory of images. A problem there is reported once, programs still run, and the
# loader plans again when that may help.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 sartor=$2
cc=${CC:-cc}
cd "$work"
printf '#include <stdio.h>\nint main(void) { return puts("runs") < 0; }\n' >program.c
$cc program.c -o program
images() { find "$work/cache" -name '*.image' | wc -l; }
runs() { # COMMAND...
  expect 0 timeout 200 "$@"
  [ "$(cat "$work/out")" = runs ] || fail "$*: another output: $(cat "$work/out")"
}
told() { # TEXT COMMAND...: the loader reports the text
  tells 0 "$1" timeout 200 "${@:2}"
  [ "$(cat "$work/out")" = runs ] || fail "${*:2}: another output: $(cat "$work/out")"
}
quietly() { # COMMAND...
  runs "$@"
  [ ! -s "$work/err" ] || fail "$*: there is something to say: $(cat "$work/err")"
}

# One image for all names of the program, working directories and unrelated settings.
quietly "$ld" --strict "$work/program"
quietly "$ld" --strict ./program
mkdir -p a/b
ln -s a/b link
(cd a/b && quietly "$ld" --strict ../../program)
(cd link && quietly "$ld" --strict ../../program)
quietly env LD_DEBUG_OUTPUT=/tmp/x LD_ANYTHING=1 "$ld" --strict ./program
[ "$(images)" = 1 ] || fail "$(images) images of one program"

# Configurations of the same name in different directories are different.
printf 'passes = ["bind"]\n' >a/c.toml
printf 'passes = ["none-such"]\nstrict = true\n' >a/b/c.toml
(cd a && quietly "$ld" --config=c.toml ../program)
(cd a/b && expect 126 "$ld" --config=c.toml ../../program)

# Files that are not valid images.
image=$(find cache -name '*.image' | head -n 1)
for what in pipe directory link device; do
  find cache -name '*.image' -exec rm {} +
  quietly "$ld" ./program
  settled
  image=$(find cache -name '*.image')
  rm "$image"
  case $what in
  pipe) mkfifo "$image" ;;
  directory) mkdir "$image" ;;
  link) ln -s /dev/zero "$image" ;;
  device) mknod "$image" c 1 5 2>/dev/null || continue ;;
  esac
  if [ $what = directory ]; then
    told "$image" "$ld" ./program
    rmdir "$image"
  else
    runs "$ld" ./program
    settled
    quietly "$ld" ./program
    [ -f "$image" ] || fail "$what: there is no image again"
  fi
done

# Damage that a start does not notice is found by `sartor ld check`.
find cache -name '*.image' -exec rm {} +
quietly "$ld" --strict ./program
image=$(find cache -name '*.image')
expect 0 "$sartor" ld check
says out "1 sound, 0 damaged"
cp "$image" copy # the file system may forbid writing to it
python3 - copy <<'P'
import sys
with open(sys.argv[1], 'r+b') as file:
    file.seek(-5000, 2)
    byte = file.read(1)
    size = file.seek(0, 2)
    file.seek(2 << 20)
    at = file.tell() + 1000
    file.seek(at)
    byte = file.read(1)
    file.seek(at)
    file.write(bytes([byte[0] ^ 1]))
P
mv copy "$image"
expect 1 "$sartor" ld check
says out "$image"
[ ! -e "$image" ] || fail "it is still there"
quietly "$ld" --strict ./program
expect 0 "$sartor" ld check "$work/nowhere"
# Files of other names, and what is no file, are left.
mkdir -p others/00000000000000dd.image others/x.image
printf 'a disk\n' | tee others/debian.image >others/0123456789abcdef.image
expect 1 "$sartor" ld check others
says out "0 sound, 1 damaged"
[ "$(find others -mindepth 1 | sort | xargs -n 1 basename | tr '\n' ' ')" = "00000000000000dd.image debian.image x.image " ] ||
  fail "these are left: $(ls others)"

# With fs-verity, images are sealed; where the kernel lacks it, nothing is reported.
mkdir sealed
truncate -s 64M sealed.image
if mkfs.ext4 -q -O verity sealed.image 2>/dev/null && mount -o loop sealed.image sealed 2>/dev/null; then
  trap 'umount "$work/sealed"; rm -rf "$work"' EXIT
  for i in 1 2; do
    quietly env XDG_CACHE_HOME="$work/sealed" "$ld" --strict ./program
  done
  expect 0 "$sartor" ld check sealed/sartor/ld
  says out "1 sound, 0 damaged"
  if [ -e /sys/fs/ext4/features/verity ]; then
    says out "; 1 sealed by the file system"
    ! sh -c ': >>"$1"' - sealed/sartor/ld/*.image 2>/dev/null || fail "it can be written"
  else
    echo "skipped: the kernel has no fs-verity"
  fi
  umount sealed
  trap 'rm -rf "$work"' EXIT
else
  echo "skipped: no file system with fs-verity can be mounted"
fi

# Unrelated files in the directory stay; remains of unfinished images are removed.
touch -d '2 days ago' cache/sartor/ld/{notes,0123.image,0123456789abcdef.txt,0123456789abcdef.image.77,00112233aabbccdd.image.new}
rm "$image"
quietly "$ld" --strict ./program
[ "$(find cache/sartor/ld -type f -mtime +1 | sort | xargs -n 1 basename | tr '\n' ' ')" = "0123.image 0123456789abcdef.txt notes " ] ||
  fail "$(ls cache/sartor/ld)"
rm cache/sartor/ld/{notes,0123.image,0123456789abcdef.txt}

# Images that other users can write or own.
chmod go+w "$image"
quietly "$ld" --strict ./program
[ "$(stat -c %a "$image")" = 600 ] || fail "it is not made anew"
if [ "$(id -u)" = 0 ]; then
  chown 65534 "$image"
  quietly "$ld" --strict ./program
  [ "$(stat -c %u "$image")" = 0 ] || fail "it is not made anew"
  # A service without a home directory.
  mkdir -p var
  if unshare -m sh -c 'mount --bind "$0" /var/cache' "$work/var" 2>/dev/null; then
    quietly unshare -m sh -c 'mount --bind "$0" /var/cache && exec "$@"' "$work/var" \
      env -u HOME -u XDG_CACHE_HOME "$ld" --strict ./program
    [ "$(find var -name '*.image' | wc -l)" = 1 ] || fail "it has no image"
  fi
  # A directory in which this user may not write.
  chmod 755 "$work"
  mkdir -m 755 roots
  if setpriv --reuid=65534 --clear-groups test -x "$ld"; then
    told "images cannot be kept there" \
      setpriv --reuid=65534 --clear-groups env XDG_CACHE_HOME="$work/roots" "$ld" ./program
    expect 126 setpriv --reuid=65534 --clear-groups env XDG_CACHE_HOME="$work/roots" "$ld" --strict ./program
  else
    echo "skipped: no other user may run what is in $(dirname "$ld")"
  fi
fi

# A full disk that later has room; a disk from which nothing may be executed.
mkdir disk
if mount -t tmpfs -o size=200k none disk 2>/dev/null; then
  export XDG_CACHE_HOME=$work/disk
  told "see whether it may be written and the disk has room" "$ld" ./program
  quietly "$ld" ./program
  expect 126 "$ld" --strict ./program
  mount -o remount,size=100m none disk
  quietly "$ld" ./program
  [ "$(find disk -name '*.image' -size +100k | wc -l)" = 0 ] || fail "it is tried at once"
  # Until then, the failure is remembered.
  python3 - "$(find disk -name '*.image')" <<'P'
import struct, sys, time
with open(sys.argv[1], 'rb') as file:
    file.seek(4096)
    header = struct.unpack('<9Q', file.read(72))
until = header[6]
if not time.time() < until < time.time() + 3600:
    sys.exit(f'until {until}')
P
  find disk -name '*.image' -exec rm {} +
  quietly "$ld" --strict ./program
  umount disk
  mount -t tmpfs -o size=8k none disk
  told "sartor-ld: " "$ld" ./program
  umount disk
  export XDG_CACHE_HOME=$work/cache
fi

# A failure that was not shown is reported at the next start, and only once.
odd /lib64/ld-linux-x86-64.so.2 other.so
$cc program.c -o other -Wl,--dynamic-linker="$work/other.so"
"$ld" ./other >out 2>/dev/null
settled
image=$(ls -t cache/sartor/ld/*.image | head -n 1)
chmod u+x "$image"
runs "$ld" ./other
says err "the stock loader starts it"
quietly "$ld" ./other
echo "cache: as it should be"
