#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# program_test.sh NF OUTPUT: the program NF between files of packets, which needs no privileges. Packets pass from one
# file to the other, byte for byte; the configuration is read again on request and kept if the new one is invalid;
# invalid options are refused with a message.
set -euo pipefail
program=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
cd "$2"

fail() { # MESSAGE
  echo "$1" >&2
  [[ ! -e log ]] || cat log >&2
  exit 1
}
await() { # TEXT: waits until the log contains it
  for _ in {1..3000}; do
    grep -qF "$1" log && return
    sleep 0.1
  done
  fail "it never says \"$1\""
}
# Writes a file of packets in the format of libpcap; each packet is given in hexadecimal digits.
write_packets() { # FILE PACKET...
  python3 - "$@" <<'PYTHON'
import struct, sys
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for packet in map(bytes.fromhex, sys.argv[2:]):
        file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
PYTHON
}
# Prints the packets of such a file, without the times.
packets_in() { # FILE
  python3 - "$1" <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()[24:]
while data:
    size = struct.unpack("<IIII", data[:16])[2]
    print(data[16:16 + size].hex())
    data = data[16 + size:]
PYTHON
}
# Ethernet, IPv4 from 198.51.100.1 with the right checksum, UDP, 32 zero bytes.
ether=0200000000010200000000020800
to_first=${ether}4500003c000000004011467cc63364010a000001
to_second=${ether}4500003c000000004011467bc63364010a000002
udp=9c4001bb00280000$(printf '00%.0s' {1..32})
broken=${ether}4500003c0000000040110000c63364010a000001$udp
arp=ffffffffffff0200000000020806$(printf '00%.0s' {1..46})

write_packets external.pcap "$to_first$udp" "$to_first$udp" "$to_second$udp" "$broken" "$arp"
write_packets internal.pcap "$to_first$udp" "$arp"
cat >config.toml <<'TOML'
[[policer.class]]
destinations = "10.0.0.1"
rate = 1
burst = 60
TOML
arguments=(--function policer --config config.toml --statistics statistics.json
  --external net_pcap0,rx_pcap=external.pcap,tx_pcap=external_out.pcap
  --internal net_pcap1,rx_pcap=internal.pcap,tx_pcap=internal_out.pcap)
"$program" "${arguments[@]}" >log 2>&1 &
process=$!
trap 'kill -9 $process 2>/dev/null || true' EXIT
await 'policer is running'

sed -i 's/rate = 1/rate = -1/' config.toml
kill -HUP $process
await 'the configuration stays as it is: policer.class[0].rate (line 3): must be a whole number from 1 to'
sed -i 's/rate = -1/rate = 2/' config.toml
kill -HUP $process
await 'configured anew'
kill -TERM $process
wait $process || fail "it ends with $?"

[[ $(packets_in internal_out.pcap) == $(printf '%s\n' "$to_first$udp" "$to_second$udp" "$arp") ]] ||
  fail "other packets have gone in: $(packets_in internal_out.pcap)"
[[ $(packets_in external_out.pcap) == $(packets_in internal.pcap) ]] ||
  fail "other packets have gone out: $(packets_in external_out.pcap)"
for count in '"passed": 1' '"outbound": 1' '"unpoliced": 1' '"exceeded": 1' '"other": 2' '"broken": 1' '"external": 5' '"internal": 2'; do
  grep -qF "$count" statistics.json || fail "not counted: $count; $(cat statistics.json)"
done

refused() { # MESSAGE ARGUMENT...
  if "$program" "${@:2}" >log 2>&1; then fail "it takes ${*:2}"; fi
  grep -qF -- "$1" log || fail "it does not say \"$1\""
}
refused 'nf: router: there is no function of that name' "${arguments[@]/policer/router}"
refused 'nf: nowhere.toml' "${arguments[@]/config.toml/nowhere.toml}"
refused '--internal is required' "${arguments[@]:0:8}"
echo '[[policer.class]' >config.toml
refused 'nf: config.toml (line 1)' "${arguments[@]}"
echo '[bridge]' >config.toml
refused 'nf: policer: there is no table of that name' "${arguments[@]}"
echo '[policer]' >config.toml
refused 'DPDK does not start' "${arguments[@]/net_pcap0/net_nothing0}"
