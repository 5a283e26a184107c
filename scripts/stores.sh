#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A private Redis or PostgreSQL for tests and benches, in its own directory, reached by a Unix
# socket in it:
#   stores.sh start redis|redis-tcp|redis-tls|postgres DIRECTORY [OWNER]   prints its address
#   stores.sh stop DIRECTORY
# Data survives stop and start. The server ends when the process OWNER does, and after
# $STORE_LIFETIME seconds (3600) in any case. redis-tcp also listens at a free port of the loopback
# interface, and prints that. redis-tls listens there with TLS alone, as localhost with a
# certificate of its own CA (DIRECTORY/ca.pem), and has the users of test/store/redis_users.acl,
# whose passwords are in DIRECTORY/NAME.password. DIRECTORY must have a short path: names of sockets
# are limited to 107 bytes.
set -euo pipefail

die() {
  echo "stores.sh: $*" >&2
  exit 1
}

# PostgreSQL refuses to run as root.
unprivileged=()
if ((EUID == 0)); then
  unprivileged=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi

# supervise OWNER SERVER...: waits until either has ended, or the time is up.
supervise() {
  local owner=$1 server='' fd end=$((SECONDS + ${STORE_LIFETIME:-3600}))
  shift
  # Closes inherited locks and pipes of the caller.
  for fd in "/proc/$BASHPID/fd/"*; do
    fd=${fd##*/}
    if ((fd > 2 && fd != 255)); then eval "exec $fd>&-"; fi
  done
  trap 'end=0' TERM INT HUP
  "$@" &
  server=$!
  echo "$server" >"$directory/server.pid"
  while ((SECONDS < end)) && kill -0 "$server" 2>/dev/null; do
    if [[ -n $owner ]] && ! kill -0 "$owner" 2>/dev/null; then break; fi
    sleep 0.2
  done
  # Fast but orderly; both servers handle this signal so.
  kill -INT "$server" 2>/dev/null || true
  wait "$server" || true
  rm -f "$directory/supervisor.pid" "$directory/server.pid"
}

# launch OWNER SERVER...
launch() {
  supervise "$@" </dev/null >>"$directory/log" 2>&1 &
  echo $! >"$directory/supervisor.pid"
}

# until_it_answers COMMAND...
until_it_answers() {
  local supervisor
  supervisor=$(<"$directory/supervisor.pid")
  for ((i = 0; i < 1200; ++i)); do
    if "$@" >/dev/null 2>&1; then return; fi
    kill -0 "$supervisor" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$directory/log" >&2
  stop
  return 1
}

# start_redis OWNER OPTION...
start_redis() {
  local owner=$1
  shift
  launch "$owner" redis-server "$@" --bind 127.0.0.1 --unixsocket "$directory/redis.sock" \
    --unixsocketperm 700 --dir "$directory" --appendonly yes --appendfsync no --save '' \
    --daemonize no
  until_it_answers redis-cli -s "$directory/redis.sock" ping
}

# start_redis_at OPTION OWNER MORE...: starts Redis at a free port, which is passed with OPTION.
start_redis_at() {
  local option=$1 owner=$2 port tries
  shift 2
  if [[ -s $directory/port ]]; then # a restarted store uses the same port
    start_redis "$owner" "$option" "$(<"$directory/port")" "$@"
  else
    for ((tries = 0; tries < 10; ++tries)); do
      port=$((20000 + RANDOM % 12000))
      if start_redis "$owner" "$option" "$port" "$@" 2>/dev/null; then break; fi
    done
    ((tries < 10)) || die "found no free port; see $directory/log"
    echo "$port" >"$directory/port"
  fi
}

make_certificates() {
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2)
  [[ ! -s $directory/server.pem ]] || return 0
  openssl req -x509 "${key[@]}" -subj '/CN=a CA for tests' -keyout "$directory/ca.key" \
    -out "$directory/ca.pem" 2>>"$directory/log"
  openssl req -x509 "${key[@]}" -CA "$directory/ca.pem" -CAkey "$directory/ca.key" -subj /CN=localhost \
    -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost \
    -keyout "$directory/server.key" -out "$directory/server.pem" 2>>"$directory/log"
}

start_redis_tls() {
  local owner=$1 name
  make_certificates
  cp "$(dirname "${BASH_SOURCE[0]}")/../test/store/redis_users.acl" "$directory/users.acl"
  for name in admin writer reader operator status sidecar; do
    (umask 077 && echo "$name-password" >"$directory/$name.password")
  done
  start_redis_at --tls-port "$owner" --port 0 --aclfile "$directory/users.acl" --tls-auth-clients no \
    --tls-cert-file "$directory/server.pem" --tls-key-file "$directory/server.key" \
    --tls-ca-cert-file "$directory/ca.pem"
  echo "rediss://localhost:$(<"$directory/port")/0"
}

start_postgres() {
  local owner=$1 bin user=${USER:-$(id -un)}
  bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
  [[ -n $bin ]] || die "there is no PostgreSQL; scripts/deps.sh installs it"
  if ((EUID == 0)); then
    user=postgres
    chown postgres "$directory"
  fi
  if [[ ! -s $directory/data/PG_VERSION ]]; then
    "${unprivileged[@]}" "$bin/initdb" -D "$directory/data" -U "$user" --auth=trust --encoding=UTF8 \
      --locale=C --no-sync >>"$directory/log" 2>&1 || die "initdb failed; see $directory/log"
  fi
  # For tests: data need not survive a crash of the machine.
  launch "$owner" "${unprivileged[@]}" "$bin/postgres" -D "$directory/data" -k "$directory" \
    -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=100
  until_it_answers "$bin/psql" -h "$directory" -U "$user" -d postgres -c 'select 1'
  "$bin/psql" -q -h "$directory" -U "$user" -d postgres -c 'create database sartor' 2>/dev/null || true
  echo "postgresql+psycopg2://$user@/sartor?host=$directory"
}

stop() {
  local supervisor
  [[ -s $directory/supervisor.pid ]] || return 0
  supervisor=$(<"$directory/supervisor.pid")
  kill -TERM "$supervisor" 2>/dev/null || true
  for ((i = 0; i < 1200; ++i)); do # the server removes this at its end, and may remain as a zombie
    [[ -e $directory/supervisor.pid ]] || return 0
    sleep 0.05
  done
  rm -f "$directory/supervisor.pid"
}

case ${1-} in
start)
  kind=${2-} directory=${3-} owner=${4-}
  [[ -n $directory ]] || die "start redis|redis-tcp|redis-tls|postgres DIRECTORY [OWNER]"
  mkdir -p -m 700 "$directory"
  directory=$(realpath "$directory")
  ((${#directory} < 90)) || die "$directory: too long a path for a socket in it"
  case $kind in
  redis)
    start_redis "$owner" --port 0
    echo "unix:$directory/redis.sock"
    ;;
  redis-tcp)
    start_redis_at --port "$owner"
    echo "redis://127.0.0.1:$(<"$directory/port")/0"
    ;;
  redis-tls) start_redis_tls "$owner" ;;
  postgres) start_postgres "$owner" ;;
  *) die "no such store: $kind" ;;
  esac
  ;;
stop)
  directory=${2-}
  [[ -d $directory ]] || exit 0
  directory=$(realpath "$directory")
  stop
  ;;
*) die "start or stop?" ;;
esac
