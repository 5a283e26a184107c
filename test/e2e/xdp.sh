#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# xdp.sh SOURCE STAGE BUILD: runs the program of example_xdp in BUILD on an interface, on an interface that does not
# exist, and without rights; also the same program built by make with the package in STAGE. Exits with 77 if this
# process may load no programs into the kernel.
set -euo pipefail
source=$1 stage=$(realpath "$2") build=$3
((UID == 0)) || { echo "skipped: only root may load programs into the kernel"; exit 77; }
unshare --net true || { echo "skipped: no namespace for a network can be had"; exit 77; }
complain() {
  echo "$*"
  exit 1
}
# expect STATUS PATTERN COMMAND...: the command is run up to three times, because packets may arrive too late on a busy
# machine.
expect() {
  local wanted=$1 pattern=$2 status output
  shift 2
  for _ in 1 2 3; do
    status=0
    output=$("$@" 2>&1) || status=$?
    if [[ $status == "$wanted" && $output =~ $pattern ]]; then return; fi
  done
  complain "$*: status $status: $output"
}

expect 0 $'active: filter._words_5_.*\nrecompiled' unshare --net "$build/xdp" lo
expect 1 '^bad_attachment: "nowhere": is no network interface here' unshare --net "$build/xdp" nowhere
if command -v setpriv >/dev/null; then
  expect 77 '^not_permitted: "filter": .*run as root' setpriv --inh-caps=-all --bounding-set=-all "$build/xdp"
fi

for tool in make pkg-config c++; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
rm -rf "$build.make"
cp -r "$source" "$build.make"
PATH=$stage/bin:$PATH PKG_CONFIG_PATH=$stage/lib/pkgconfig make -C "$build.make" xdp >"$build.make/log" 2>&1 ||
  complain "$(tail -n 20 "$build.make/log")"
expect 0 'refreshed: 10 and 10 of 10 packets' "$build.make/xdp"
