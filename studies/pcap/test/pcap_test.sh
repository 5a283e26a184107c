#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pcap_test.sh PCAPS WHAT WORD...: libpcap with Sartor (PCAPS/sartor) must behave like stock libpcap (PCAPS/gcc).
#   counts FILTERS CAPTURES STEP FIRST LAST   which packets of a capture each STEPth filter from FIRST to LAST accepts
#   tcpdump FILTERS                the output of an unmodified tcpdump for them
#   followed FILTERS               none of the filters is interpreted
#   random PROGRAM COUNT           random programs on random packets
#   way PROGRAM WAY TEXT...        an unusual use, with all filters specialized at their first packet, with code that
#                                  is compiled in the background, and with none; the first run prints each TEXT
#   tour SARTOR                    the tour of docs/guides/adopting.md
#   without PROGRAM                messages without Sartor, or without a compiler
set -euo pipefail
pcaps=$1 what=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PCAP_SARTOR=heat=1,wait

fail() {
  echo "$*"
  exit 1
}
same() { # STOCK OURS TEXT
  cmp -s "$1" "$2" && return
  diff "$1" "$2" | head -n 20
  fail "differs: $3"
}
says() { # FILE TEXT
  grep -q -- "$2" "$1" && return
  tail -n 5 "$1"
  fail "nobody said: $2"
}

case $what in
counts)
  filters=$1 captures=$2 step=$3 first=$4 last=$5
  mapfile -t files < <(printf '%s\n' "$captures"/*.pcap*)
  for ((i = first; i <= last; ++i)); do
    sed -n "$((i + 1))~${step}p" "$filters" >"$work/filters"
    some=() # other filters follow
    for ((n = i; n < ${#files[@]}; n += step)); do some+=("${files[n]}"); done
    "$pcaps/gcc/count" "$work/filters" "${some[@]}" >"$work/stock"
    "$pcaps/sartor/count" "$work/filters" "${some[@]}" >"$work/ours" 2>"$work/said"
    same "$work/stock" "$work/ours" "filters $i"
    [[ $(grep -c ': specialized: ' "$work/said") -gt 100 ]] || fail "next to nothing was specialized"
  done
  ;;
tcpdump)
  while IFS= read -r filter; do
    for library in gcc sartor; do
      LD_LIBRARY_PATH=$pcaps/$library "$pcaps/tcpdump/tcpdump" -n -t -r "$pcaps/all.pcap" "$filter" \
        >"$work/$library" 2>"$work/said" || fail "$library: $(<"$work/said")"
    done
    same "$work/gcc" "$work/sartor" "$filter"
    says "$work/said" ': specialized: '
  done <"$1"
  ;;
followed)
  "$pcaps/sartor/count" "$1" "$pcaps/all.pcap" >/dev/null 2>"$work/said"
  specialized=$(grep -c ': specialized: ' "$work/said")
  echo "$specialized specialized, $(grep -o '"code_bytes":[0-9]*' "$work/said" | sort -t: -k2n | tail -n 1)"
  [[ $specialized == $(wc -l <"$1") ]] || fail "not all"
  if grep 'in part\|why_not' "$work/said"; then fail "followed in part"; fi
  ;;
random)
  "$1" 1 "$2" >"$work/out" 2>"$work/said" || fail "$(<"$work/out")"
  [[ $(grep -c ': specialized: ' "$work/said") -gt $(($2 * 3 / 4)) ]] || fail "next to nothing was specialized"
  ;;
way)
  program=$1 way=$2
  shift 2
  for how in heat=1,wait heat=1 heat=999 off; do
    PCAP_SARTOR=$how "$program" "$way" "$pcaps/all.pcap" 2>"$work/said.$how" || fail "$how: $(tail -n 3 "$work/said.$how")"
  done
  for text in "$@"; do says "$work/said.heat=1,wait" "$text"; done
  ;;
without)
  for how in SARTOR=off SARTOR_COMPILER=none SARTOR_COMPILER_LIBRARY=/nowhere; do
    env "$how" "$1" whole "$pcaps/all.pcap" 2>"$work/said" || fail "$how: $(<"$work/said")"
    says "$work/said" 'interpreted: '
    echo "$how: $(<"$work/said")"
  done
  PCAP_SARTOR=heat=1,white "$1" whole "$pcaps/all.pcap" 2>"$work/said"
  says "$work/said" '"white" means nothing'
  ;;
tour)
  "$(dirname "$0")/../tour.sh" "$pcaps" "$1" >"$work/said" 2>&1 || fail "$(<"$work/said")"
  for text in ': specialized: ' 'followed: 16 copies' 'jumps by a pointer  0'; do says "$work/said" "$text"; done
  ;;
*) fail "what is $what?" ;;
esac
