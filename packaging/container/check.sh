#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check.sh PACKAGES WORK: builds both images from the Debian packages in PACKAGES (build/packages), without a network, by
# buildah on a root file system that debootstrap makes; then runs them as their configuration says: the server as its
# user, its health check before and after, and a program of the image to try, which the server compiles for. Needs root
# and no container daemon. Prints a table, one line for each step. Exits with 77 if a tool is missing.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
((EUID == 0)) || { echo "SKIPPED: needs root"; exit 77; }
for tool in buildah debootstrap dpkg-scanpackages jq; do
  command -v $tool >/dev/null || { echo "SKIPPED: needs $tool"; exit 77; }
done
# The ports of the server are those of a network of its own.
[[ -n ${SARTOR_CHECK_APART:-} ]] || exec env SARTOR_CHECK_APART=1 unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
packages=$(realpath "$1") work=$(realpath -m "$2")
mkdir -p "$work"
rm -rf --one-file-system "$work/storage" "$work/run"
export BUILDAH_ISOLATION=chroot
buildah=(buildah --root "$work/storage" --runroot "$work/run")

status=0
step() { # WHAT COMMAND...
  local begin=$SECONDS result=fine
  "${@:2}" >"$work/log" 2>&1 || { result=FAILED status=1; }
  printf '| %s | %s | %d s |\n' "$1" "$result" "$((SECONDS - begin))"
  [[ $result == fine ]] || tail -n 30 "$work/log"
  return 0
}

make_base() {
  local mirror root=$work/root
  mirror=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] )?([^ ]+).*/\2/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" "$mirror"
  # As in Debian's slim image.
  printf 'path-exclude /usr/share/%s/*\n' doc man locale >"$root/etc/dpkg/dpkg.cfg.d/slim"
  tar -C "$root" --exclude ./var/cache/apt --exclude './dev/*' -cf "$work/base.tar" .
  rm -rf "$root"
}
import_base() {
  printf 'FROM scratch\nADD base.tar /\nCMD ["bash"]\n' >"$work/base.Containerfile"
  "${buildah[@]}" build --file "$work/base.Containerfile" --tag localhost/bookworm "$work"
}
build() { # NAME
  unshare --net "${buildah[@]}" build --pull-never --format docker --build-arg BASE=localhost/bookworm --file "$here/$1.Containerfile" \
    --tag "localhost/sartor-$1" "$work/context"
}
mount_it() { # NAME
  "${buildah[@]}" from --pull-never --name "$1" "localhost/sartor-$1"
  "${buildah[@]}" mount "$1" >"$work/$1.mount"
  "${buildah[@]}" inspect --type image "localhost/sartor-$1" | jq .Docker.config >"$work/$1.json"
  local root volume
  root=$(<"$work/$1.mount")
  # Read-only except for volumes and /tmp, as with --read-only; the image to try is writable.
  mount --bind "$root" "$root"
  for volume in $(jq -r '.Volumes // {} | keys[]' "$work/$1.json"); do mount --bind "$root$volume" "$root$volume"; done
  [[ $1 == try ]] || mount -t tmpfs tmp "$root/tmp"
  mount --bind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  [[ $1 == try ]] || mount -o remount,bind,ro "$root"
}
# Sets the words before a command that is to run in the image NAME as the user of its configuration, without capabilities.
enter() { # NAME
  local user root
  user=$(jq -r .User "$work/$1.json") root=$(<"$work/$1.mount")
  [[ $user == *:* ]] || user=$(chroot "$root" id -u "$user"):$(chroot "$root" id -g "$user")
  entered=(nsenter --net="/proc/$apart/ns/net" chroot "$root" setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups
    --bounding-set=-all --inh-caps=-all --no-new-privs env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp)
}
within() { enter "$1" && "${entered[@]}" "${@:2}"; } # NAME COMMAND...
health() {
  local words
  mapfile -t words < <(jq -r '.Healthcheck.Test[1:][]' "$work/server.json")
  within server timeout 5 "${words[@]}"
}
is_unhealthy() { ! health; }
is_configured() {
  jq -e '.ExposedPorts == {"7433/tcp": {}} and (.Volumes | keys) == ["/etc/sartor", "/var/cache/sartor-server"] and .User == "7433:7433"' "$work/server.json"
}
is_read_only() { ! within server touch /usr/written && within server touch /etc/sartor/written /var/cache/sartor-server/written /tmp/written; }
is_small() { ! within server sh -c 'command -v clang-22 systemctl cmake'; }
make_keys() {
  within server sh -ec 'cd /etc/sartor; mkdir clients; sartor key --output server; sartor key --output client; cp client.pub clients/'
  install --owner "$(within try id -u)" --mode 600 "$(<"$work/server.mount")"/etc/sartor/{server.pub,client.key} "$(<"$work/try.mount")/home/sartor/"
}
start() {
  local words
  mapfile -t words < <(jq -r '.Cmd[]' "$work/server.json")
  enter server
  # shellcheck disable=SC2086 # no or one word
  "${entered[@]}" "${words[@]}" $weak >"$work/server.log" 2>&1 &
  server=$!
  for _ in {1..300}; do
    ! health || return 0
    sleep 0.1
  done
  cat "$work/server.log"
  return 1
}
try() { within try sh -ec 'cd /home/sartor/examples/hello; sartor --version; cmake -S . -B /tmp/build; cmake --build /tmp/build; /tmp/build/hello' | grep '^active: polynomial{terms=4}'; }
try_driver() { within try sh -ec 'cd /home/sartor/examples/hello; sartor-c++ -std=c++20 -o /tmp/hello main.cpp handlers.cpp; /tmp/hello' | grep '^active: polynomial{terms=4}'; }
compiled_by_server() {
  within try env SARTOR_COMPILER=tcp://127.0.0.1:7433 SARTOR_COMPILER_SERVER_KEY=/home/sartor/server.pub SARTOR_COMPILER_KEY=/home/sartor/client.key \
    /tmp/build/hello | grep '^active: polynomial{terms=4}'
  grep client "$work/server.log"
  find "$(<"$work/server.mount")/var/cache/sartor-server" -type f | grep . # the answer
}
stop() { kill "$server" && wait "$server"; }

# Kernels without Landlock: the system call landlock_create_ruleset() has number 444.
weak=$(python3 -c 'import ctypes; print("" if ctypes.CDLL(None).syscall(444, None, 0, 1) > 0 else "--allow-weak-confinement")')
unshare --net sleep infinity &
apart=$!
sleep 0.2
nsenter --net="/proc/$apart/ns/net" ip link set lo up

echo '| step | result | time |'
echo '|---|---|---|'
[[ -s $work/base.tar ]] || step "make a root file system like bookworm-slim" make_base
step "collect packages" "$here/context.sh" "$packages" "$work/context"
step "import the root file system" import_base
for image in server try; do
  step "build the image $image without a network" build $image
  step "mount the image $image" mount_it $image
done
step "ports, volumes and user" is_configured
step "no compiler or systemd in the server's image" is_small
step "writes only to volumes and /tmp" is_read_only
step "unhealthy before it starts" is_unhealthy
step "make keys" make_keys
step "start; is healthy" start
step "build hello by CMake" try
step "build hello by sartor-c++" try_driver
step "the server compiles for hello" compiled_by_server
step "stops at SIGTERM" stop
kill $apart
exit $status
