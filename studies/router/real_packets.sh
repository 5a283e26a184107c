#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# real_packets.sh PROGRAMS OUTPUT [OPTION...]: routes real packets through the kernel. Makes two
# network namespaces, one for the router and one for all other hosts, and two veth pairs between
# them; starts the router of the folder PROGRAMS; lets the generator send and check (OPTION...:
# those of `router_generator send`); compares their counters. Writes everything to the folder
# OUTPUT. Exits with 77 if namespaces cannot be made, with 1 on any error.
set -euo pipefail
source "$(dirname "$0")/../namespaces.sh"
programs=$(realpath "${1:?usage: real_packets.sh PROGRAMS OUTPUT [OPTION...]}")
output=${2:?usage: real_packets.sh PROGRAMS OUTPUT [OPTION...]}
shift 2
mkdir -p "$output"
rm -f "$output"/{router.log,counters.json,sent.json} # an earlier run's would be taken for this one's

id=$$
router_space=sartor-router-$id
others_space=sartor-others-$id
router=
end() {
  [[ -z $router ]] || kill "$router" 2>/dev/null || true
  ip netns del "$router_space" 2>/dev/null || true # also removes the interfaces
  ip netns del "$others_space" 2>/dev/null || true
}
trap end EXIT

make_spaces "$output/netns.log" "$router_space" "$others_space"
for side in 0 1; do
  ip link add "r$side" netns "$router_space" type veth peer name "g$side" netns "$others_space"
  ip -n "$router_space" link set "r$side" up
  ip -n "$others_space" link set "g$side" up
done
for side in 0 1; do # until then the kernel drops frames
  until ip -n "$router_space" link show "r$side" | grep -q 'state UP' &&
    ip -n "$others_space" link show "g$side" | grep -q 'state UP'; do
    sleep 0.05
  done
done

"$programs/router_generator" routes "$output/routes" \
  --gateway 10.2.0.10 10.2.0.11 10.2.0.12 10.2.0.13 10.1.0.10
ip netns exec "$router_space" "$programs/router" --port r0=10.1.0.1/16 r1=10.2.0.1/16 \
  --routes "$output/routes" --counters "$output/counters.json" \
  --event-log "$output/events.jsonl" >"$output/router.log" 2>&1 &
router=$!
for ((i = 0; i < 600; ++i)); do # earlier frames would not be counted
  grep -qs '^routing' "$output/router.log" && break
  kill -0 "$router" 2>/dev/null || break
  sleep 0.1
done

sent=0
ip netns exec "$others_space" "$programs/router_generator" send \
  --side g0=10.1.0.1/16 g1=10.2.0.1/16 --routes "$output/routes" \
  --report "$output/sent.json" "$@" || sent=$?
kill "$router" 2>/dev/null || true
routed=0
wait "$router" || routed=$?
router=
if ((routed)); then
  echo "the router ended with $routed:"
  cat "$output/router.log"
  exit 1
fi
"$programs/router_generator" compare "$output/sent.json" "$output/counters.json"
exit "$sent"
