#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read_fuse_test.sh READ_FUSE MKE2FS: programs read and write through a mount, generic and specialized; it is unmounted
# on request, and when its server is killed.
set -euo pipefail
server=$1 mke2fs=$2

[[ -r /dev/fuse && -w /dev/fuse ]] || { echo "skipped: /dev/fuse cannot be opened"; exit 77; }
work=$(mktemp -d)
mount=$work/mount
pid=
finish() {
  [[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null || true
  for _ in {1..600}; do is_mounted || break; sleep 0.1; done
  rm -rf --one-file-system "$work"
}
trap finish EXIT

# mountpoint(1) cannot examine a mount whose server has ended.
is_mounted() { grep -qF " $mount " /proc/self/mountinfo; }
wait_until() { # WHAT COMMAND...: waits at most five minutes
  for _ in {1..3000}; do "${@:2}" && return; sleep 0.1; done
  echo "$1" >&2
  exit 1
}
unmounted() { ! is_mounted; }
serve() {
  "$server" "$work/image" "$mount" "$1" 2>"$work/log" &
  pid=$!
  for _ in {1..3000}; do
    is_mounted && return
    kill -0 "$pid" 2>/dev/null || { echo "skipped: nothing can be mounted here: $(cat "$work/log")"; exit 77; }
    sleep 0.1
  done
}

mkdir "$mount" "$work/content"
head -c 3000000 /dev/urandom >"$work/content/file"
echo "a few words" >"$work/content/small"
for kind in generic specialized; do
  "$mke2fs" -q -F -t ext2 -d "$work/content" "$work/image" 16M >/dev/null
  serve "$kind"
  [[ $(ls "$mount") == *small* ]]
  cmp "$mount/file" "$work/content/file"
  [[ $(sha256sum <"$mount/file") == "$(sha256sum <"$work/content/file")" ]]
  dd if="$mount/file" bs=1 count=5000 status=none | cmp - <(head -c 5000 "$work/content/file")
  echo "other words" >"$mount/small"
  [[ $(cat "$mount/small") == "other words" ]]
  kill -TERM "$pid"
  wait "$pid" || true
  wait_until "it stays mounted when its server is to end" unmounted

  serve "$kind" # all data was written back
  [[ $(cat "$mount/small") == "other words" ]]
  # libfuse's helper does not unmount if it looks before all threads of the server have ended.
  for try in {1..5}; do
    kill -KILL "$pid"
    wait "$pid" || true
    for _ in {1..100}; do is_mounted || break; sleep 0.1; done
    is_mounted || break
    ((try < 5)) || { echo "it stays mounted when its server is killed"; exit 1; }
    umount --lazy "$mount"
    serve "$kind"
  done
  pid=
done
