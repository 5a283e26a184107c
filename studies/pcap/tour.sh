#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tour.sh PCAPS SARTOR: runs the commands of docs/guides/adopting.md with the command SARTOR on the
# programs built in PCAPS.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$1" "$work/pcap"
PATH=$1/tcpdump:$(dirname "$2"):$PATH
cd "$work"

LD_LIBRARY_PATH=pcap/sartor PCAP_SARTOR=heat=1,wait SARTOR_RECORD_REQUESTS=requests \
  tcpdump -r pcap/all.pcap -w ours.pcap 'tcp dst port 80'
sartor explain pcap/sartor/libpcap.so --request requests/*.request --size

LD_LIBRARY_PATH=pcap/gcc tcpdump -r pcap/all.pcap -w stock.pcap 'tcp dst port 80'
cmp ours.pcap stock.pcap
