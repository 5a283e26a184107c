# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced: network namespaces of a script's own, and what scripts do in them.

fail() { # MESSAGE
  echo "$1" >&2
  exit 1
}
wait_until() { # WHAT COMMAND...: twenty seconds at most
  for _ in {1..200}; do "${@:2}" >/dev/null 2>&1 && return; sleep 0.1; done
  fail "it does not come about that $1"
}
within() { ip netns exec "$@"; }

# need TOOL...: exits with 77 if the user is not root, or a tool is missing.
need() {
  local tool
  ((EUID == 0)) || { echo "skipped: only root may make network namespaces and use interfaces"; exit 77; }
  for tool; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
  done
}

# be_alone OUTPUT ARGUMENT...: continues the script with these arguments in its own mount and
# process namespaces, with no network namespace visible, so that nothing is left however it ends.
# Exits with 77 if that is not possible.
be_alone() {
  local output=$1
  shift
  if [[ ${SARTOR_ALONE-} != yes ]]; then
    mkdir -p "$output"
    unshare --mount --pid --fork true 2>"$output/unshare.log" ||
      { echo "skipped: namespaces cannot be had: $(head -1 "$output/unshare.log")"; exit 77; }
    SARTOR_ALONE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$(realpath "$0")" "$@"
  fi
  mkdir -p /run/netns
  mount -t tmpfs tmpfs /run/netns
  trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
}

# make_spaces LOG SPACE...: makes network namespaces that carry only the script's own frames. Exits
# with 77 if that is not possible; the reason is also in LOG. The caller removes them, unless it
# runs alone.
make_spaces() {
  local log=$1 space
  shift
  for space; do
    if ! ip netns add "$space" 2>"$log"; then
      echo "skipped: network namespaces cannot be made here: $(head -1 "$log")"
      exit 77
    fi
    ip -n "$space" link set lo up
    within "$space" sh -c 'for f in all default; do
      echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6; done' 2>/dev/null || true
  done
}
