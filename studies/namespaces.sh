# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced: network namespaces of a script's own.

# make_spaces LOG SPACE...: makes them, with no frames in them but the script's. Ends the script with 77 where that
# cannot be; why is in LOG, too. Who calls it removes them.
make_spaces() {
  local log=$1 space
  shift
  for space in "$@"; do
    if ! ip netns add "$space" 2>"$log"; then
      echo "skipped: network namespaces cannot be made here: $(head -1 "$log")"
      exit 77
    fi
    ip netns exec "$space" sh -c 'for f in all default; do
      echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6; done' 2>/dev/null || true
  done
}
