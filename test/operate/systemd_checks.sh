#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# systemd_checks.sh PREFIX CLIENT: runs as a systemd service, see under_systemd.sh. Installs the server as its
# documentation describes, and uses it like clients and operators.
set -euo pipefail
prefix=$1 client=$2
PATH=$prefix/bin:$PATH

fail() {
  echo "failed: $1"
  journalctl --unit sartor-server --output cat --no-pager | tail -n 30
  exit 1
}

# has PATH "USER:GROUP MODE"
has() {
  [ "$(stat -Lc '%U:%G %a' "$1")" = "$2" ] || fail "$1 is $(stat -Lc '%U:%G %a' "$1"), not $2"
}

# compiles WHAT VARIABLE=VALUE...: checks that the server compiles the client's handlers.
compiles() {
  env SARTOR_COMPILER_SERVER_KEY=/etc/sartor/server.pub "${@:2}" "$client" as_the_environment_says ||
    fail "a client $1 is not served"
}

# waits_for FAILURE COMMAND...: waits until the command succeeds, for at most some minutes.
waits_for() {
  for _ in $(seq 600); do
    if "${@:2}"; then return; fi
    sleep 0.2
  done
  fail "$1"
}

# logs TEXT: succeeds if the server has logged the text. Reads all of the log, so that journalctl
# does not fail.
logs() {
  journalctl --unit sartor-server --output cat --no-pager | grep "$1" >/dev/null
}

# Succeeds if the server has another pid than before, and is ready.
runs_again() {
  local now
  now=$(systemctl show --property MainPID --value sartor-server)
  [ "$now" != 0 ] && [ "$now" != "$pid" ] && [ "$(systemctl is-active sartor-server)" = active ]
}

systemd-sysusers "$prefix/lib/sysusers.d/sartor.conf"
mkdir -p /etc/sartor/clients /etc/sartor/devices /etc/sartor/operators
sartor key --output /etc/sartor/server >/dev/null
sartor key --output /checks/one >/dev/null
cp /checks/one.pub /etc/sartor/clients/one.pub
[ -e /usr/local/lib/systemd/system/sartor-server.service ] ||
  systemctl link "$prefix/lib/systemd/system/sartor-server.service"
systemctl daemon-reload
systemctl start sartor-server || fail "the unit does not start"
pid=$(systemctl show --property MainPID --value sartor-server)
[ "$(systemctl is-active sartor-server)" = active ] || fail "the unit is not active"
echo "started, with the pid $pid"

has /run/sartor-server "sartor-server:sartor 750"
has /run/sartor-server/socket "sartor-server:sartor 660"
has /var/cache/sartor-server "sartor-server:sartor 700"
[ "$(stat -c %U "/proc/$pid")" = sartor-server ] || fail "the server has root's rights"
grep -q '^CapEff:\s*0000000000000000$' "/proc/$pid/status" || fail "the server has capabilities"
grep -q '^NoNewPrivs:\s*1$' "/proc/$pid/status" || fail "the server may gain privileges"
grep -q '^Seccomp:\s*2$' "/proc/$pid/status" || fail "the server has no filter of system calls"
if runuser -u nobody -- test -w /run/sartor-server/socket; then fail "any user may use the socket"; fi
echo "confined as the unit says"

compiles "on the socket" SARTOR_COMPILER=unix:/run/sartor-server/socket
compiles "over TCP" SARTOR_COMPILER=tcp://127.0.0.1:7433 SARTOR_COMPILER_KEY=/checks/one.key
sartor server status | grep -q 'connections' || fail "an operator sees no status"
echo "serves clients and operators"

rm /etc/sartor/clients/one.pub
systemctl reload sartor-server
waits_for "the server does not read its keys again" logs "has read its keys"
if SARTOR_COMPILER_SERVER_KEY=/etc/sartor/server.pub SARTOR_COMPILER=tcp://127.0.0.1:7433 \
  SARTOR_COMPILER_KEY=/checks/one.key "$client" as_the_environment_says >/dev/null 2>&1; then
  fail "a client whose key was removed is served"
fi
waits_for "the refusal is not logged" logs unknown_key
[ "$pid" = "$(systemctl show --property MainPID --value sartor-server)" ] || fail "a reload restarts the server"
echo "reads its keys again"

kill -KILL "$pid"
waits_for "the unit is not started again" runs_again
compiles "after a crash" SARTOR_COMPILER=unix:/run/sartor-server/socket
echo "is started again after a crash"

systemctl stop sartor-server || fail "the unit does not stop"
[ "$(systemctl show --property Result --value sartor-server)" = success ] || fail "the unit ends as failed"
[ ! -e /run/sartor-server ] || fail "the socket is left behind"
[ -d /var/cache/private/sartor-server ] || fail "the cache is gone"
echo "stops"
echo "all checks passed"
