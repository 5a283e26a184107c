#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# limits.sh SARTOR_LD PROBES: where limits or the shape of a program forbid an image, the stock loader starts the
# program and the message names the reason.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1
cp "$2/greet" "$2/libprobe_greet.so" "$work"
cd "$work"

# limited LIMITS TEXT: starts a program under limits, without other open files; the message has a text. A start waits
# for its planner for a second only: so there are several starts until one has the message.
limited() {
  for _ in {1..30}; do
    rm -rf cache
    sh -c "exec 3>&- 4>&-; $1; exec '$ld' ./greet" 2>&1 | cat >out || fail "under \"$1\" it ends with another status"
    says out 42
    ! grep -qE -- "$2" out || return 0
    settled
  done
  fail "under \"$1\" the message is: $(cat out)"
}
limited "ulimit -n 4" "no file descriptor is left \(ulimit -n\)"
limited "ulimit -f 0" "limit of file sizes is too low.*ulimit -f"
limited "ulimit -d 2000" "memory.*ulimit -d"

if unshare -m true 2>/dev/null; then
  rm -rf cache
  # $ORIGIN takes /proc, too
  expect 0 env LD_LIBRARY_PATH=. unshare -m sh -c "umount -l /proc && exec '$ld' ./greet"
  says err "/proc is not mounted"
fi

# In a namespace of processes without a /proc of its own, processes have other numbers there.
if unshare -pf true 2>/dev/null; then
  rm -rf cache
  expect 0 "$ld" --strict ./greet
  expect 0 unshare -pf sh -c "for _ in 1 2 3 4 5 6 7 8; do '$ld' --strict ./greet || exit; done"
  [ ! -s err ] || fail "in another namespace of processes: $(cat err)"
fi

# A loader at another path, as Nix and Guix have it.
rm -rf cache
cp -L /lib64/ld-linux-x86-64.so.2 l
[ "$(printf %s "$work/l" | wc -c)" -le 27 ] || fail "$work is too long for this test"
python3 - greet moved "$work/l" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
stock = b"/lib64/ld-linux-x86-64.so.2\0"
assert data.count(stock) == 1
path = sys.argv[3].encode()
open(sys.argv[2], "wb").write(data.replace(stock, path + bytes(len(stock) - len(path))))
END
chmod +x moved
expect 0 ./moved
cp out stock
expect 0 "$ld" --strict ./moved
cmp -s out stock || fail "with its own loader it prints: $(cat out)"
[ ! -s err ] || fail "with its own loader: $(cat err)"

# A program with writable code.
rm -rf cache
odd greet odd
for passes in "" bind,concat,settle; do
  expect 0 "$ld" --strict --passes=$passes ./odd
  cmp -s out stock || fail "of an odd shape, it prints: $(cat out)"
  [ ! -s err ] || fail "of an odd shape: $(cat err)"
done
expect 0 "$(dirname "$ld")/sartor-ld-plan" --report ./odd
says out "odd: stays as it is: its segments are of an unknown shape: it has writable code"
tells 0 "start it without --in-place" "$ld" --in-place ./odd
echo "limits: as they should be"
