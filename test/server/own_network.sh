#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# own_network.sh [--lossy] PROGRAM ARGUMENT...: runs a program with a separate loopback interface, which with --lossy is
# slow and loses packets. Exits with 77 and prints the reason if this is not possible.
set -euo pipefail

skip() {
  echo "skipped: $1"
  exit 77
}

unshare --net true 2>/dev/null || skip "a network namespace takes privileges (CAP_SYS_ADMIN)"
lossy=
if [[ $1 == --lossy ]]; then
  shift
  lossy='tc qdisc add dev lo root netem delay 20ms 5ms loss 10%'
  unshare --net bash -c "ip link set lo up && $lossy" 2>/dev/null || skip "this kernel has no netem"
fi
exec unshare --net bash -c "ip link set lo up && ${lossy:-true} && exec \"\$@\"" - "$@"
