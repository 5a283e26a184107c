#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# huge_pages.sh SARTOR_LD PROBES: segments packed by `concat` are on huge pages, if the system has them for files; so
# is a program at fixed addresses. Exits with 77 if the system has none.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2

forget() { # drops files from the page cache
  for file; do
    dd if="$file" iflag=nocache count=0 status=none
  done
}
head -c 16M /dev/urandom >"$work/file"
sync "$work/file"
has_huge_pages() { # true if there are enough for the programs
  forget "$work/file"
  [ "$("$probes/huge_pages" "$work/file")" -ge 8192 ]
}
if ! has_huge_pages; then
  echo "there are no huge pages for files in $work"
  exit 77
fi

# Three starts: just after planning, from the page cache, and from the disk. False if one has less than LEAST.
starts_once() { # PROGRAM LEAST
  for _ in 1 2 3; do
    expect 0 "$ld" --strict --passes=bind,concat "$probes/$1"
    amount=$(cat "$work/out")
    [ "$amount" -ge "$2" ] || return 1
    forget "$work"/cache/sartor/ld/*
  done
}
starts() { # PROGRAM LEAST
  for _ in 1 2 3 4 5; do # others may have all huge pages for a while
    ! starts_once "$@" || return 0
    has_huge_pages || exit 77 # there are none any more
    rm -rf "$work/cache"
  done
  fail "$1 has $amount KiB on huge pages, not $2"
}
starts huge_pages 6144
starts huge_pages_fixed 6144

# Without `concat`, there are none.
expect 0 "$ld" --strict --passes=bind "$probes/huge_pages_fixed"
[ "$(cat "$work/out")" = 0 ] || fail "$(cat "$work/out") KiB are on huge pages"
