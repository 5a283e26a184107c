#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# real.sh BUILD OUTPUT [SECONDS]: sends real TCP through the handlers, generic and specialized:
# iperf3 from a client through firewall and forwarder to a server, for SECONDS each time, and curl
# from a client through the balancer to two back ends. Everything runs in its own namespaces,
# including process namespaces, so nothing is left however this script ends. Logs are in OUTPUT.
# Exits with 77 without the necessary rights, with 1 on any error.
set -euo pipefail
build=$(realpath "${1:?usage: real.sh BUILD OUTPUT [SECONDS]}")
output=${2:?usage: real.sh BUILD OUTPUT [SECONDS]}
seconds=${3:-5}

source "$(dirname "$0")/../namespaces.sh"
need ip ethtool iperf3 curl python3 bpftool
be_alone "$output" "$build" "$output" "$seconds"
output=$(realpath "$output")
rm -f "$output"/*.log "$output"/*.json
work=$output/work
mkdir -p "$work"
mount -t tmpfs tmpfs "$work"
mkdir "$work/bpf"
mount -t bpf bpf "$work/bpf" 2>"$output/mount.log" ||
  { echo "skipped: no bpffs can be mounted: $(head -1 "$output/mount.log")"; exit 77; }

mac() { ip -n "$1" -br link show "$2" | awk '{ print $3 }'; }
control() { "$build/bin/xdp_control" "$work/bpf/$1" "$@"; }

# join ONE INTERFACE ADDRESS OTHER INTERFACE ADDRESS: connects two namespaces with a cable. Packets
# look as on a real wire, with complete checksums.
join() {
  ip link add "$2" netns "$1" type veth peer name "$5" netns "$4"
  local end
  for end in "$1 $2 $3" "$4 $5 $6"; do
    set -- $end
    ip -n "$1" address add "$3" dev "$2"
    within "$1" ethtool -K "$2" tx off >/dev/null
    ip -n "$1" link set "$2" up
  done
}
routes() { within "$1" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'; } # NAMESPACE: enables routing there
# receive NAMESPACE INTERFACE PROGRAM: attaches a program, since redirected packets are received
# only if the other end of the cable has a program, too.
receive() { within "$1" bpftool net attach xdp pinned "$work/bpf/ends/$3" dev "$2"; }
start_agent() { # OBJECT NAMESPACE OPTION...
  rm -f "$output/$1.log" # an earlier one's would be taken for this one's
  ip netns exec "$2" "$build/bin/xdp_agent" "$1" --pins "$work/bpf/$1" "${@:3}" >"$output/$1.log" 2>&1 &
  agents[$1]=$!
  wait_until "$1 is attached: see $output/$1.log" grep -q '^attached' "$output/$1.log"
}
end_agent() { # OBJECT
  kill "${agents[$1]}"
  wait "${agents[$1]}" || fail "the agent of $1 has failed: see $output/$1.log"
  rm -r "$work/bpf/$1"
}
declare -A agents=()

# client - firewall (and the kernel's routes) - forwarder - server
make_spaces "$output/netns.log" client wall forwarder server lan balancer back1 back2
for router in wall forwarder lan; do routes "$router"; done
join client c0 10.1.0.2/24 wall w0 10.1.0.1/24
join wall w1 10.2.0.1/24 forwarder f0 10.2.0.2/24
join forwarder f1 10.3.0.1/24 server s0 10.3.0.2/24
bpftool prog loadall "$build/xdp/ends.bpf.o" "$work/bpf/ends" 2>"$output/bpftool.log"
receive server s0 pass
ip -n client route add default via 10.1.0.1
ip -n wall route add default via 10.2.0.2
ip -n forwarder route add 10.1.0.0/24 via 10.2.0.1
ip -n server route add default via 10.3.0.1

"$build/bin/router_generator" routes "$work/routes" --gateway 10.3.0.2
{
  echo "hop 1 f0 1500 $(mac wall w1) $(mac forwarder f0)"
  echo "hop 2 f1 1500 $(mac server s0) $(mac forwarder f1)"
  echo "route 10.1.0.0/24 1"
  echo "route 10.2.0.2/32 local"
  echo "route 10.3.0.1/32 local"
  echo "route 10.3.0.0/24 2"
  sed 's/^/route /; s/ via .*/ 2/' "$work/routes"
} >"$output/forward.txt"
{
  for i in {0..119}; do echo "deny outside 203.0.$i.0/24 0.0.0.0/0 tcp"; done
  echo "allow outside 10.3.0.0/24 10.1.0.0/24 icmp"
} >"$output/firewall.txt"

through() { # KIND [FORWARD_OPTION...]: iperf3 in both directions
  local kind=$1 server
  start_agent forward forwarder --attach forward=f0 --attach forward=f1 "${@:2}"
  start_agent firewall wall --attach from_inside=w0 --attach from_outside=w1 ${2:+--specialize '{"untagged": true}'}
  within forwarder "$build/bin/xdp_control" "$work/bpf/forward" forward load "$output/forward.txt"
  control firewall load "$output/firewall.txt"
  ip netns exec server iperf3 -s >"$output/server-$kind.log" 2>&1 &
  server=$!
  wait_until "iperf3 listens" within server sh -c 'ss -ltn | grep -q :5201'
  within client iperf3 -c 10.3.0.2 -t 2 >"$output/before-$kind.log" || true
  [[ -z ${2-} ]] || for each in forward firewall; do
    wait_until "$each is specialized: see $output/$each.log" grep -q '^active' "$output/$each.log"
  done
  within client iperf3 -c 10.3.0.2 -t "$seconds" -J >"$output/iperf3-$kind.json" || true
  ! grep -q '"error"' "$output/iperf3-$kind.json" || fail "iperf3 has failed: see $output/iperf3-$kind.json"
  within server sh -c '! curl -s -m 1 http://10.1.0.2:5201/' || fail "the firewall lets the server in"
  kill "$server"
  wait "$server" || true
  control forward show >"$output/forward-$kind.counts"
  control firewall show >"$output/firewall-$kind.counts"
  local forwarded denied
  forwarded=$(awk '$1 == "forwarded" { print $2 }' "$output/forward-$kind.counts")
  denied=$(awk '$1 == "denied" { print $2 }' "$output/firewall-$kind.counts")
  ((${forwarded:-0} > 1000)) || fail "iperf3 has not gone through the forwarder"
  ((${denied:-0} > 0)) || fail "the firewall has not counted what it denied"
  end_agent forward
  end_agent firewall
  python3 - "$kind" "$output/iperf3-$kind.json" "$forwarded" <<'PYTHON'
import json, sys
kind, path, forwarded = sys.argv[1:]
end = json.load(open(path))["end"]
print(f"{kind}: {end['sum_received']['bits_per_second'] / 1e6:.0f} Mbit/s through firewall and forwarder, "
      f"{end['sum_sent']['retransmits']} retransmits, {forwarded} packets forwarded")
PYTHON
}
through generic
through specialized --specialize '{"route": 64, "untagged": true}'

# client - lan, a router - balancer; lan - two back ends, which answer the client themselves
join lan l0 10.8.2.1/24 balancer b0 10.8.2.2/24
receive lan l0 pass
join lan l1 10.8.1.1/24 client c1 10.8.1.2/24
ip -n lan route add 10.8.100.1/32 via 10.8.2.2
ip -n client route add 10.8.100.1/32 via 10.8.1.1
{
  echo "source 10.8.2.2"
  echo "gateway $(mac lan l0)"
} >"$output/balancer.txt"
for i in 1 2; do
  join lan "k$i" "10.8.$((i + 2)).1/24" "back$i" "e$i" "10.8.$((i + 2)).2/24"
  ip -n "back$i" address add 10.8.100.1/32 dev lo
  ip -n "back$i" route add default via "10.8.$((i + 2)).1" advmss 1400
  receive "back$i" "e$i" decapsulate
  mkdir "$work/site$i"
  echo "$i" >"$work/site$i/who"
  head -c 3000000 /dev/urandom >"$work/site$i/file"
  ip netns exec "back$i" python3 -m http.server -d "$work/site$i" --bind 10.8.100.1 8080 >"$output/back$i.log" 2>&1 &
  wait_until "back end $i listens" within "back$i" sh -c 'ss -ltn | grep -q :8080'
  echo "back_end $i 10.8.$((i + 2)).2" >>"$output/balancer.txt"
done
echo "service 10.8.100.1 tcp 8080 1 2" >>"$output/balancer.txt"

ask() { # HOW_OFTEN: prints the back ends that have answered
  for ((i = 0; i < $1; ++i)); do
    within client curl -sf -m 5 http://10.8.100.1:8080/who || fail "no back end answers"
  done | sort -u | tr -d '\n'
}
balance() { # KIND [OPTION...]
  local kind=$1
  start_agent balancer balancer --attach balance=b0 "${@:2}"
  control balancer load "$output/balancer.txt"
  [[ $(ask 40) == 12 ]] || fail "not both back ends have answered"
  [[ -z ${2-} ]] || wait_until "balancer is specialized: see $output/balancer.log" grep -q '^active' "$output/balancer.log"
  within client curl -sf -m 20 http://10.8.100.1:8080/file >"$work/file"
  cmp -s "$work/file" "$work/site1/file" || cmp -s "$work/file" "$work/site2/file" || fail "a file has come otherwise"
  control balancer remove 2
  [[ $(ask 20) == 1 ]] || fail "a back end that was taken out has answered"
  control balancer remove 1
  within client sh -c '! curl -s -m 1 http://10.8.100.1:8080/who' || fail "somebody answers where nobody is"
  control balancer load "$output/balancer.txt"
  [[ $(ask 40) == 12 ]] || fail "a back end that came back has not answered"
  control balancer show >"$output/balancer-$kind.counts"
  end_agent balancer
  echo "$kind: $(awk '$1 == "balanced" { print $2 }' "$output/balancer-$kind.counts") packets balanced, by both back ends"
}
balance generic
balance specialized --specialize '{"service": 8, "target": 64, "untagged": true}'
