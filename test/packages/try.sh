#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# try.sh PACKAGES WORK [SUITE...]: tries the Debian packages in the folder PACKAGES/SUITE, or PACKAGES if there is none, in
# a fresh root file system of each SUITE (bookworm, trixie), which debootstrap makes in WORK: installs them, builds and
# runs examples/hello with them, has sartor doctor check them, writes and builds a new project, runs the hello that was
# built in the other root file systems, installs the packages again over themselves, purges them, and compares the files
# before and after. Prints a table, one line for each step. As root.
set -euo pipefail
shopt -s nullglob
packages=$(realpath "$1") work=$(realpath -m "$2")
suites=("${@:3}")
((${#suites[@]})) || suites=(bookworm trixie)
source=$(realpath "$(dirname "$0")/../..")
((EUID == 0)) && command -v debootstrap >/dev/null || { echo "SKIPPED: needs root and debootstrap"; exit 77; }
mkdir -p "$work"

# The mirrors of this machine.
mapfile -t mirrors < <(sed -nE 's/^URIs: *([^ ]+).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null; sed -nE 's/^deb (\[[^]]*\] )?([^ ]+).*/\2/p' /etc/apt/sources.list 2>/dev/null)
main=${mirrors[0]:?no mirror of Debian is known} security=${mirrors[-1]}
root=
within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
clean_up() { ! mountpoint -q "$root/proc" || umount "$root/proc"; }
trap clean_up EXIT

# All files but the state of apt and dpkg, logs and caches.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./root -o -path ./var/lib/apt -o -path ./var/cache \
    -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./packages -o -path ./etc/ld.so.cache -o -path ./run \) -prune -o -print) | sort
}

status=0
step() { # SUITE WHAT COMMAND...
  local begin=$SECONDS result=fine
  "${@:3}" >"$work/log" 2>&1 || { result=FAILED status=1; }
  printf '| %s | %s | %s | %d s |\n' "$1" "$2" "$result" "$((SECONDS - begin))"
  [[ $result == fine ]] || tail -n 20 "$work/log"
  cat "$work/log" >>"$work/$1.log"
}

install_them() { within sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'; }
hello() {
  rm -rf "$root/tmp/hello"
  cp -r "$source/examples/hello" "$root/tmp/hello"
  within sh -ec 'cd /tmp/hello; cmake -S . -B build; cmake --build build; build/hello' | tee "$work/hello"
  is_specialized "$work/hello"
  cp "$root/tmp/hello/build/hello" "$work/hello.$suite"
}
is_specialized() { grep -q '^active: polynomial{terms=4}' "$1" && grep -q '^specialized: 4321' "$1"; }
# A program that needs a newer glibc than there is cannot run, which is no fault.
hello_of() { # SUITE
  cp "$work/hello.$1" "$root/tmp/other"
  within /tmp/other >"$work/other" 2>&1 || { grep 'GLIBC_.* not found' "$work/other" && return; }
  cat "$work/other"
  is_specialized "$work/other"
}
new_project() {
  within sh -ec 'cd /tmp; rm -rf new; sartor new new --lang c++; cd new; cmake -S . -B build; cmake --build build; build/new'
}
look() {
  within sh -ec 'sartor --version; sartor-ld /bin/true; sartor space /tmp/hello/build/hello; python3 -c "import sartor; print(sartor.Runtime)"
    test -s /usr/share/man/man1/sartor.1.gz; test -s /usr/share/bash-completion/completions/sartor
    sartor-server --version; getent passwd sartor-server || true'
}
# A service's program is planned again when an update has replaced its libraries.
update() {
  within sh -ec 'env -i PATH="$PATH" sartor-ld --strict /usr/bin/sort --version >/dev/null
    touch /lib/x86_64-linux-gnu/libc.so.6
    dpkg-trigger --no-await --by-package=base-files /usr/lib
    dpkg --triggers-only --pending
    env -i PATH="$PATH" sartor ld replan' | tee "$work/replan"
  grep -q '^1 current, 0 planned again' "$work/replan"
}
same_files() { files >"$work/after"; diff "$work/before" "$work/after"; }

echo '| root | step | result | time |'
echo '|---|---|---|---|'
for suite in "${suites[@]}"; do
  root=$work/$suite
  rm -f "$work/$suite.log"
  if [[ ! -e $work/$suite.tar ]]; then
    step "$suite" "make the root file system" debootstrap --variant=minbase "$suite" "$root" "$main"
    printf 'deb %s %s main\ndeb %s %s-updates main\ndeb %s %s-security main\n' "$main" "$suite" "$main" "$suite" "$security" "$suite" \
      >"$root/etc/apt/sources.list"
    cp /etc/resolv.conf "$root/etc/"
    cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
    step "$suite" "install cmake, make and g++" within sh -c 'apt-get update && apt-get install -y --no-install-recommends cmake make g++'
    tar -C "$root" -cf "$work/$suite.tar" .
  else
    rm -rf "$root"
    mkdir "$root"
    tar -C "$root" -xf "$work/$suite.tar"
  fi
  mkdir -p "$root/packages"
  from=$packages
  [[ ! -d $packages/$suite ]] || from=$packages/$suite
  cp "$from"/*.deb "$root/packages/"
  mount -t proc proc "$root/proc"
  # What the packages depend on stays installed when they are purged, so it is installed before.
  step "$suite" "install the packages" install_them
  step "$suite" "build and run hello" hello
  step "$suite" "commands, manual, Python" look
  step "$suite" "sartor doctor" within sartor doctor
  step "$suite" "sartor new" new_project
  for other in "$work"/hello.*; do
    [[ $other == "$work/hello.$suite" ]] || step "$suite" "run hello of ${other##*.}" hello_of "${other##*.}"
  done
  step "$suite" "an update plans again" update
  step "$suite" "install again" within sh -c 'apt-get install -y --reinstall --no-install-recommends /packages/*.deb'
  names=$(cd "$from" && for file in *.deb; do echo "${file%%_*}"; done)
  # shellcheck disable=SC2086 # one word each
  step "$suite" "purge" within apt-get purge -y $names
  files >"$work/before"
  step "$suite" "install once more" install_them
  # shellcheck disable=SC2086
  step "$suite" "purge once more" within apt-get purge -y $names
  step "$suite" "nothing is left" same_files
  step "$suite" "no file of Sartor is left" sh -c "! find '$root/usr' '$root/etc' '$root/var/lib' -path '$root/var/lib/dpkg' -prune -o -iname '*sartor*' -print | grep ."
  umount "$root/proc"
done
exit $status
