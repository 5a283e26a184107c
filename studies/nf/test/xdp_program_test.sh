#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# xdp_program_test.sh BUILD: two hosts communicate through nf_xdp as a bridge between them; it reads its configuration
# again, refuses an invalid one, and detaches its programs at the end. Runs in separate namespaces. Exits with 77
# without the necessary privileges.
set -euo pipefail
build=$(realpath "$1")

if [[ ${SARTOR_NF_INSIDE-} != yes ]]; then
  ((EUID == 0)) || { echo "skipped: only root may load programs into the kernel"; exit 77; }
  for tool in ip ethtool python3; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
  done
  unshare --mount --net --pid --fork true 2>/dev/null || { echo "skipped: namespaces cannot be had"; exit 77; }
  SARTOR_NF_INSIDE=yes exec unshare --mount --net --pid --fork --kill-child --mount-proc "$0" "$build"
fi

mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
mount -t tmpfs tmpfs /mnt
fail() { # MESSAGE
  echo "$1" >&2
  cat /mnt/log >&2
  exit 1
}
wait_for() { # LINE: waits for it in the log, at most five minutes
  for _ in {1..3000}; do
    ! grep -q "$1" /mnt/log || return 0
    sleep 0.1
  done
  fail "nf_xdp does not say \"$1\""
}
host() { # NAME ADDRESS
  ip netns add "$1"
  ip link add "at_$1" type veth peer name eth0 netns "$1"
  ip link set "at_$1" up
  ip -n "$1" address add "$2" dev eth0
  ip -n "$1" link set eth0 up
  # Programs see packets as on a wire; and the kernel redirects only to an interface that is polled.
  ip netns exec "$1" ethtool -K eth0 tx off gro on >/dev/null
}
host outside 10.0.0.1/24
host inside 10.0.0.2/24
ip netns exec inside python3 -c '
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("10.0.0.2", 7))
while True:
    server.sendto(*server.recvfrom(100))' &
goes() { # [PACKETS]: succeeds if one of so many packets is answered.
  ip netns exec outside python3 -c '
import socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(0.3)
for attempt in range(int(sys.argv[1])):
    client.sendto(b"?", ("10.0.0.2", 7))
    try:
        sys.exit(client.recv(100) != b"?")
    except TimeoutError:
        pass
sys.exit(1)' "${1:-5}"
}

cd /mnt
printf '[bridge]\n' >configuration.toml
"$build/bin/nf_xdp" bridge configuration.toml at_outside at_inside >log 2>&1 &
program=$!
wait_for attached
wait_for "from_internal"
goes 500 || fail "nothing goes through the bridge"
printf '[[bridge.filter]]\ntype = 0x0800\naction = "discard"\n' >configuration.toml
kill -HUP $program
wait_for '^configured'
! goes || fail "the filter discards nothing"
printf '[bridge]\nmtu = 1\n' >configuration.toml
kill -HUP $program
wait_for 'not configured: bridge.mtu'
! goes || fail "a refused configuration has changed something"
kill -TERM $program
wait $program || fail "nf_xdp fails"
for outcome in learnt forwarded discarded; do
  grep -q "^$outcome [1-9]" log || fail "it does not count what it has $outcome"
done
! ip link show at_outside | grep -q xdp || fail "a program is left"
status=0
"$build/bin/nf_xdp" bridge configuration.toml at_outside nowhere >log 2>&1 || status=$?
((status == 1)) && grep -q 'bridge.mtu' log || fail "a wrong configuration is taken"
printf '[bridge]\n' >configuration.toml
! "$build/bin/nf_xdp" bridge configuration.toml at_outside nowhere >log 2>&1 || fail "it begins without an interface"
grep -q 'there is no interface "nowhere"' log || fail "it does not say what is wrong"
