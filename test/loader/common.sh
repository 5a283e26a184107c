# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the scripts of this folder share: a directory of their own, and checks.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
umask 022

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect STATUS COMMAND...: runs it; what it writes is in $work/out and $work/err.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" = "$wanted" ] || fail "$* ended with $status, not $wanted: $(cat "$work/out" "$work/err")"
}

# says FILE TEXT: what a command wrote contains a text.
says() {
  grep -qF -- "$2" "$work/$1" || fail "there is no \"$2\" in: $(cat "$work/$1")"
}

# settled: waits until nobody plans anything in the background.
settled() {
  local quiet=0
  while [ $quiet -lt 5 ]; do # one that is about to be executed has another name yet
    quiet=$((quiet + 1))
    ! pgrep -f "sartor-ld-plan --for-front.*$work" >/dev/null || quiet=0
    sleep 0.1
  done
}
