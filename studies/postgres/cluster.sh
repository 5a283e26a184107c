#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cluster.sh DIRECTORY PROVIDER COMMAND...: runs COMMAND with a private PostgreSQL server in DIRECTORY, which is
# removed first, and stops it afterwards. PROVIDER is a JIT provider's file, or "stock". The server listens on a
# Unix socket in a temporary directory, which PGHOST names; settings in PGSARTOR_SETTINGS (lines) are added. As root,
# the server and COMMAND run as the user postgres. Exits with 77 if that user cannot read what it needs.
set -euo pipefail
directory=$(realpath -m "$1") provider=$2
shift 2
[ "$provider" = stock ] || provider=$(realpath -e "$provider") # a server without its provider interprets silently
export PATH=/usr/lib/postgresql/15/bin:$PATH
if [ "$(id -u)" = 0 ]; then
  rm -rf "$directory"
  mkdir -p "$(dirname "$directory")"
  install -d -o postgres "$directory"
  runuser -u postgres -- test -x "$0" -a -w "$directory" ||
    { echo "skipped: the user postgres may not use $directory or $(realpath "$0")" >&2; exit 77; }
  exec runuser -u postgres --preserve-environment -- "$0" "$directory" "$provider" "$@"
fi
export HOME=$directory
mkdir -p "$directory"
cd "$directory"
rm -rf data
initdb -D data -A trust -N --locale=C.UTF-8 -U postgres >initdb.log
sockets=$(mktemp -d /tmp/pgsartor.XXXXXX) # the name of a socket has at most 107 characters
trap 'rm -rf "$sockets"' EXIT
{
  echo "listen_addresses = ''"
  echo "unix_socket_directories = '$sockets'"
  echo "fsync = off"
  if [ "$provider" != stock ]; then
    # The server looks for providers below its library directory.
    echo "jit_provider = '$(realpath --relative-to="$(pg_config --pkglibdir)" "${provider%.so}")'"
    echo "jit_above_cost = 0"
  fi
  echo "${PGSARTOR_SETTINGS-}"
} >>data/postgresql.conf
unset PGOPTIONS
export PGHOST=$sockets PGUSER=postgres PGDATABASE=postgres PGDATA=$directory/data PGSARTOR_PROVIDER=$provider
pg_ctl -D data -l server.log -w start >start.log || { cat start.log server.log >&2; exit 1; }
trap 'pg_ctl -D data -m fast -w stop >stop.log; rm -rf "$sockets"' EXIT
status=0
"$@" || status=$?
exit $status
