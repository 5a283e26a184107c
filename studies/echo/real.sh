#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# real.sh PROGRAMS OUTPUT RATE SECONDS BATCHES...: runs the server of the folder PROGRAMS in a
# network namespace, a thousand clients over the kernel's TCP in another, and a veth pair between
# them. For each of BATCHES (such as 16/64/64: rx, queues, qman), writes the clients' results to
# OUTPUT/real-16-64-64.json and the server's counters to OUTPUT/server-16-64-64.json. Exits with 77
# if namespaces cannot be made, with 1 if an answer is wrong, missing, or not counted.
set -euo pipefail
source "$(dirname "$0")/../namespaces.sh"
usage="usage: real.sh PROGRAMS OUTPUT RATE SECONDS BATCHES..."
programs=$(realpath "${1:?$usage}")
output=${2:?$usage} rate=${3:?$usage} seconds=${4:?$usage}
shift 4
mkdir -p "$output"

id=$$
server_space=sartor-echo-$id
clients_space=sartor-clients-$id
server=
stop() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  [[ -z $server ]] || wait "$server" || true
  server=
}
end() {
  stop
  ip netns del "$server_space" 2>/dev/null || true # also removes the interfaces
  ip netns del "$clients_space" 2>/dev/null || true
}
trap end EXIT

make_spaces "$output/netns.log" "$server_space" "$clients_space"
ip link add e0 netns "$server_space" type veth peer name c0 netns "$clients_space"
ip -n "$clients_space" addr add 10.1.0.2/16 dev c0
ip -n "$server_space" link set e0 up
ip -n "$clients_space" link set c0 up
# Segments with complete checksums and without segmentation offload, since the server's stack is not
# the kernel's.
ip netns exec "$clients_space" ethtool -K c0 tx off gso off tso off >/dev/null

for batches in "$@"; do
  IFS=/ read -r rx queues qman <<<"$batches"
  name=${batches//\//-}
  ip netns exec "$server_space" "$programs/echo_server" --interface e0 --address 10.1.0.1 \
    --rx-batch "$rx" --queues-batch "$queues" --qman-batch "$qman" >"$output/server-$name.log" 2>&1 &
  server=$!
  for ((i = 0; i < 600; ++i)); do
    grep -qs '^listening' "$output/server-$name.log" && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  ip netns exec "$clients_space" sh -c 'ulimit -n 4096; exec "$@"' clients "$programs/echo_client" --address 10.1.0.1 \
    --connections 1000 --rate "$rate" --seconds "$seconds" --report "$output/real-$name.json" >"$output/client-$name.log" 2>&1 ||
    { cat "$output/client-$name.log" "$output/server-$name.log"; exit 1; }
  stop
  sed 1d "$output/server-$name.log" >"$output/server-$name.json"
done

python3 - "$output" "$@" <<'PY'
import json, sys
output, rows = sys.argv[1], sys.argv[2:]
print(f"{'batches':>10} {'offered':>10} {'answers/s':>10} {'median us':>10} {'p99 us':>10} {'p99.9 us':>10}")
for batches in rows:
    name = batches.replace("/", "-")
    seen, server = (json.load(open(f"{output}/{kind}-{name}.json")) for kind in ("real", "server"))
    print(f"{batches:>10} {seen['offered']:10.0f} {seen['answers_per_second']:10.0f}"
          f" {seen['median_us']:10.1f} {seen['p99_us']:10.1f} {seen['p999_us']:10.1f}")
    if seen["answered"] != server["answers"]:
        sys.exit(f"the server has given {server['answers']} answers, clients got {seen['answered']}")
PY
