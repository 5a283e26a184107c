#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# real.sh BUILD OUTPUT [SECONDS]: runs network functions on DPDK between two hosts, with packets of
# the kernel and of tools. The hosts are namespaces, the cables veth pairs; the functions are
# connected by DPDK's af_packet. TCP with iperf3 for SECONDS through the firewall, NAT and the
# policer, while their configuration is read again; curl to forbidden destinations; single packets
# with Scapy; floods with trafgen, at the external port and then at the internal one. Everything
# runs in its own namespaces, including process namespaces, so nothing is left however this script
# ends. Logs are in OUTPUT. Exits with 77 without the necessary rights, with 1 on any error.
set -euo pipefail
build=$(realpath "${1:?usage: real.sh BUILD OUTPUT [SECONDS]}")
output=${2:?usage: real.sh BUILD OUTPUT [SECONDS]}
seconds=${3:-5}
PATH=$PATH:/usr/sbin
source "$(dirname "$0")/../namespaces.sh"
need ip ethtool iperf3 curl trafgen /usr/bin/python3
be_alone "$output" "$build" "$output" "$seconds"
output=$(realpath "$output")
rm -f "$output"/*.log "$output"/*.json "$output"/*.jsonl # event logs are appended to

outside_mac=02:00:00:00:01:01
inside_mac=02:00:00:00:02:01
function_mac=02:00:00:00:00:01

# outside o0 - e0 function i0 - c0 inside. Packets look as on a real wire: with complete checksums,
# and no longer than the MTU.
make_spaces "$output/netns.log" outside function inside
ip link add o0 address "$outside_mac" netns outside type veth peer name e0 netns function
ip link add c0 address "$inside_mac" netns inside type veth peer name i0 netns function
for end in outside:o0 function:e0 function:i0 inside:c0; do
  within "${end%:*}" ethtool -K "${end#*:}" tx off tso off gso off gro off >/dev/null
  ip -n "${end%:*}" link set "${end#*:}" up
done
for end in function:e0 function:i0; do
  wait_until "${end#*:} is up" sh -c "ip -n ${end%:*} link show ${end#*:} | grep -q 'state UP'"
done

addresses() { # OUTSIDE INSIDE: both in one network
  ip -n outside address flush dev o0 scope global
  ip -n inside address flush dev c0 scope global
  ip -n outside address add "$1" dev o0
  ip -n inside address add "$2" dev c0
}
start() { # FUNCTION [EXTERNAL INTERNAL]: with OUTPUT/FUNCTION.toml, on these devices
  rm -f "$output/$1.log" "$output/$1.jsonl" # an earlier one's would be taken for this one's
  ip netns exec function "$build/bin/nf" --function "$1" --config "$output/$1.toml" \
    --external "${2-net_af_packet0,iface=e0}" --internal "${3-net_af_packet1,iface=i0}" \
    --statistics "$output/$1.json" --event-log "$output/$1.jsonl" >"$output/$1.log" 2>&1 &
  process=$!
  wait_until "$1 is running: see $output/$1.log" grep -q 'is running$' "$output/$1.log"
}
end() { # FUNCTION
  kill "$process"
  wait "$process" || fail "$1 has failed: see $output/$1.log"
}
configure_anew() { # FUNCTION
  local before
  before=$(grep -c '^configured anew' "$output/$1.log" || true)
  kill -HUP "$process"
  wait_until "$1 is configured anew: see $output/$1.log" \
    sh -c "[ \$(grep -c '^configured anew' '$output/$1.log') -gt $before ]"
}
count() { # FUNCTION OUTCOME
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["outcomes"][sys.argv[2]])' "$output/$1.json" "$2"
}
listen() { # NAMESPACE: iperf3
  ip netns exec "$1" iperf3 -s >"$output/listen.log" 2>&1 &
  listener=$!
  wait_until "iperf3 listens" within "$1" sh -c 'ss -ltn | grep -q :5201'
}
silence() {
  kill "$listener"
  wait "$listener" || true
}
# measure NAME NAMESPACE ADDRESS [OPTION...]: measures Mbit/s with iperf3; stores it in `rate`
measure() {
  within "$2" iperf3 -c "$3" -t "$seconds" -J "${@:4}" >"$output/iperf3-$1.json" || true
  ! grep -q '"error"' "$output/iperf3-$1.json" || fail "iperf3 has failed: see $output/iperf3-$1.json"
  rate=$(python3 -c 'import json, sys
print(round(json.load(open(sys.argv[1]))["end"]["sum_received"]["bits_per_second"] / 1e6, 1))' "$output/iperf3-$1.json")
}
refused() { # NAMESPACE ADDRESS: nothing answers there
  ! within "$1" curl -s -m 2 "http://$2:5201/" || fail "somebody answers at $2"
}

# The firewall: flows from inside pass, and flows from outside pass if a rule allows them.
cat >"$output/firewall.toml" <<'TOML'
[firewall]
[[firewall.rule]]
from = "internal"
action = "allow"
TOML
addresses 10.1.0.1/24 10.1.0.2/24
start firewall
listen outside
measure firewall inside 10.1.0.1
silence
echo "firewall: $rate Mbit/s from inside"
listen inside
refused outside 10.1.0.2
cat >>"$output/firewall.toml" <<'TOML'
[[firewall.rule]]
from = "external"
protocol = "tcp"
first_port = 5201
action = "allow"
TOML
measure firewall-opened outside 10.1.0.2 &
measuring=$!
sleep 0.3
configure_anew firewall # meanwhile the first packets are lost
wait "$measuring"
silence
end firewall
(($(count firewall denied) > 0)) || fail "the firewall has not counted what it denied"
echo "firewall: opened while it runs; $(count firewall known) packets of known flows, $(count firewall denied) denied"

# NAT: inside addresses are unknown outside, except for a forwarded port.
cat >"$output/nat.toml" <<TOML
[nat]
inside = "10.2.0.0/24"
external_to = "$outside_mac"
external_from = "$function_mac"
internal_to = "$inside_mac"
internal_from = "$function_mac"
[[nat.address]]
address = "192.0.2.1"
[[nat.forward]]
protocol = "tcp"
outside_address = "192.0.2.1"
outside_port = 8080
inside_address = "10.2.0.2"
inside_port = 5201
TOML
addresses 203.0.113.1/24 10.2.0.2/24
ip -n inside route add default via 10.2.0.1
ip -n inside neighbour replace 10.2.0.1 lladdr "$function_mac" dev c0
ip -n outside route add 192.0.2.0/24 dev o0
ip -n outside neighbour replace 192.0.2.1 lladdr "$function_mac" dev o0
start nat
listen outside
measure nat inside 203.0.113.1 &
measuring=$!
sleep 1
sed -i 's/outside_port = 8080/outside_port = 8081/' "$output/nat.toml"
configure_anew nat # connections go on
wait "$measuring"
measure nat-back inside 203.0.113.1 -R
silence
echo "NAT: $rate Mbit/s to inside, through configurations that change"
listen inside
measure nat-forward outside 192.0.2.1 -p 8081
refused outside 192.0.2.1
silence
# An error about a flow is translated, both in its header and in the quoted packet.
/usr/bin/python3 - "$outside_mac" "$function_mac" >"$output/scapy.log" 2>&1 <<'PYTHON' || fail "no error comes through NAT: see $output/scapy.log"
import ctypes, sys
def enter(name):
    with open(f"/run/netns/{name}") as space:
        assert ctypes.CDLL(None).setns(space.fileno(), 0) == 0
from scapy.all import AsyncSniffer, Ether, ICMP, IP, IPerror, UDP, UDPerror, conf, sendp
enter("outside")
there = conf.L2socket(iface="o0")
enter("inside")
here = conf.L2socket(iface="c0")
def exchange(to_send, by, seen_by, wanted):
    sniffer = AsyncSniffer(opened_socket=seen_by, lfilter=wanted, count=1, timeout=10, started_callback=lambda: by.send(to_send))
    sniffer.start()
    sniffer.join()
    assert sniffer.results, "nothing has come"
    return sniffer.results[0]
out = exchange(Ether(dst=sys.argv[2]) / IP(src="10.2.0.2", dst="203.0.113.1") / UDP(sport=4000, dport=9) / "hello", here, there,
               lambda p: UDP in p and p[UDP].dport == 9)
assert out[IP].src == "192.0.2.1", out.show(dump=True)
error = exchange(Ether(src=sys.argv[1], dst=sys.argv[2]) / IP(src="203.0.113.1", dst="192.0.2.1") / ICMP(type=3, code=1) / out[IP], there, here,
                 lambda p: ICMP in p and p[ICMP].type == 3)
inner = error[IPerror]
assert (error[IP].dst, inner.src, inner[UDPerror].sport) == ("10.2.0.2", "10.2.0.2", 4000), error.show(dump=True)
PYTHON
end nat
(($(count nat error_translated) > 0)) || fail "NAT has not counted the error that it translated"
echo "NAT: $rate Mbit/s to a forwarded port; an ICMP error is translated"

# The policer: limits the rate of a host inside.
policed() { # BYTES_PER_SECOND
  cat >"$output/policer.toml" <<TOML
[[policer.class]]
destinations = "10.3.0.0/24"
rate = $1
burst = 500_000
TOML
}
policed 2_500_000
addresses 10.3.0.1/24 10.3.0.2/24
start policer
listen outside
measure policer inside 10.3.0.1 -R
slow=$rate
policed 100_000_000
configure_anew policer
measure policer-faster inside 10.3.0.1 -R
silence
end policer
python3 -c "import sys; sys.exit(not (1 < $slow < 24 and $rate > 2 * $slow))" || fail "the policer lets $slow Mbit/s through, and then $rate"
echo "policer: $slow Mbit/s of 20, then $rate of 800; $(count policer exceeded) packets exceeded"

# The bridge, on DPDK's tap devices, whose other ends belong to the hosts.
echo "[bridge]" >"$output/bridge.toml"
start bridge net_tap0,iface=t0 net_tap1,iface=t1
for end in outside:t0:10.4.0.1 inside:t1:10.4.0.2; do
  IFS=: read -r space tap address <<<"$end"
  ip -n function link set "$tap" netns "$space"
  ip -n "$space" address add "$address/24" dev "$tap"
  ip -n "$space" link set "$tap" up
done
listen outside
measure bridge inside 10.4.0.1
silence
end bridge
(($(count bridge forwarded) > 0)) || fail "the bridge has not counted what it forwarded"
echo "bridge: $rate Mbit/s through taps, $(count bridge forwarded) packets to where their station is"

# Floods: at the external port, then at the internal one.
flood() { # NAMESPACE INTERFACE SOURCE DESTINATION
  cat >"$output/flood.cfg" <<CFG
{ eth(da=$function_mac, sa=02:00:00:00:00:02), ipv4(saddr=$3, daddr=$4), udp(sport=40000, dport=443), fill(0, 18) }
CFG
  within "$1" timeout -s INT "$((2 * seconds))" trafgen --dev "$2" --conf "$output/flood.cfg" --cpus 1 \
    --no-sock-mem >"$output/trafgen.log" 2>&1 || (($? == 124)) || fail "trafgen has failed: see $output/trafgen.log"
}
policed 1_000_000_000
start policer
flood outside o0 198.51.100.1 10.3.0.2
flood inside c0 10.3.0.2 198.51.100.1
end policer
python3 - "$output/policer.json" "$output/policer.jsonl" <<'PYTHON'
import json, sys
counts = json.load(open(sys.argv[1]))
for side in ("external", "internal"):
    assert counts[side] > 1000, f"no flood has come by the {side} port"
print(f"policer, flooded: {counts['external']} packets by the external port, then {counts['internal']} by the internal one")
events = [json.loads(line) for line in open(sys.argv[2])]
decided = [event for event in events if event["event"] == "decide"]
for event in decided:
    print(f"  the explorer, after {event['t']:.1f} s: {event['text']} ({event['verdict']})")
if not decided:
    print("  the explorer, which may cost a twentieth of the packets, has not decided in that time; give more SECONDS")
PYTHON
