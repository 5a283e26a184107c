#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# under_systemd.sh BUILD CLIENT: boots systemd in separate namespaces, on a copy-on-write view of this system in which
# BUILD is installed. systemd runs the server by its unit, and systemd_checks.sh against it. CLIENT is the tests'
# server_program. Exits with 77 and prints the reason if this is not possible. Changes are kept in memory: no file is
# left behind.
set -euo pipefail

skip() {
  echo "skipped: $1"
  exit 77
}

# prepare ROOT: installs into ROOT, a view of this system, and makes the checks its only target.
prepare() {
  DESTDIR=$1 cmake --install "$build" >/dev/null
  mkdir -p "$1/checks" "$1/old_root" "$1$build"
  mount --bind "$work/checks" "$1/checks"
  mount --bind "$build" "$1$build"
  rm -rf "$1"/etc/systemd/system/*.wants
  : >"$1/etc/machine-id"
  for unit in systemd-udevd systemd-udev-trigger systemd-networkd systemd-resolved systemd-timesyncd; do
    ln -sf /dev/null "$1/etc/systemd/system/$unit.service"
  done
  cat >"$1/etc/systemd/system/checks.service" <<UNIT
[Unit]
Requires=basic.target
After=basic.target
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart=bash /checks/systemd_checks.sh $prefix $client
StandardOutput=file:/checks/output
StandardError=inherit
UNIT
}

# boot ROOT: replaces this process, the first of its namespaces, by systemd.
boot() {
  ip link set lo up
  mount -t proc proc "$1/proc"
  mount -t sysfs sysfs "$1/sys"
  mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup" || skip "there are no control groups of version 2"
  mount -t tmpfs tmpfs "$1/run"
  mount -t tmpfs tmpfs "$1/tmp"
  mount --rbind /dev "$1/dev"
  cd "$1"
  pivot_root . old_root
  cd /
  umount -l /old_root
  mount --make-rshared /
  exec env -i container=sartor PATH="$PATH" /lib/systemd/systemd --system --log-target=console --unit=checks.service
}

if [ "$1" = --inside ]; then
  work=$2 build=$3 client=$4
  prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
  mount --make-rprivate /
  mount -t tmpfs -o size=1G tmpfs "$work/view"
  mkdir "$work"/view/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$work/view/upper,workdir=$work/view/work" "$work/view/root" ||
    skip "the root file system cannot be the lower layer of an overlay"
  prepare "$work/view/root"
  boot "$work/view/root"
fi

[ "$(id -u)" = 0 ] || skip "systemd in namespaces takes root"
[ -x /lib/systemd/systemd ] || skip "systemd is not installed"
[ "$(systemctl --version | awk 'NR == 1 { print $2 }')" -ge 250 ] || skip "systemd is older than 250"
namespaces=(unshare --mount --pid --fork --kill-child --cgroup --uts --ipc --net)
"${namespaces[@]}" true 2>/dev/null || skip "namespaces take CAP_SYS_ADMIN"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work"/{view,checks}
cp "$(dirname "$0")/systemd_checks.sh" "$work/checks"
timeout --kill-after=5 500 "${namespaces[@]}" \
  bash "$0" --inside "$work" "$(realpath "$1")" "$(realpath "$2")" >"$work/log" 2>&1 </dev/null || true
if grep '^skipped: ' "$work/log"; then exit 77; fi
if [ ! -e "$work/checks/output" ]; then
  tail -n 20 "$work/log"
  skip "systemd does not come up in these namespaces"
fi
cat "$work/checks/output"
grep -q '^all checks passed$' "$work/checks/output"
