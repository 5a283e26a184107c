#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# deps.sh [build|demo|studies|packages|loader|loader-all|keys|linux|web]: installs missing Debian packages that
# Sartor needs: to build and install it (build), to run the demo, too (demo), to test it (no argument),
# to test the studies, too (studies), or to make packages (packages). The other sets are programs to
# test the loader with, a few (loader) or as many as are available (loader-all), a machine with
# protection keys (keys), the kernel of the study linux (linux), and the site of the study web (web). Asks no questions;
# does nothing if all packages are installed. SARTOR_LLVM is the major version of LLVM (default: 22).
set -euo pipefail

LLVM=${SARTOR_LLVM:-22}

# package | what it is for
# To build and install Sartor.
BUILD_PACKAGES="
ca-certificates       | lets apt reach its mirrors over https
cmake                 | configures the build
make                  | runs the targets of the Makefile
ninja-build           | runs the build
pkg-config            | finds libffi and others
python3               | writes manual pages and completions
clang-$LLVM           | compiles Sartor and the handlers
llvm-$LLVM-dev        | the compiler that Sartor calls at run time
libclang-$LLVM-dev     | the libraries of clang, for the compiler plugin
libclang-cpp$LLVM      | the same as one shared library
lld-$LLVM             | links
libc6-dev             | the C library's headers
libstdc++-12-dev      | the C++ standard library
libffi-dev            | calls functions whose results are folded
nlohmann-json3-dev    | reads and writes configurations and event logs
libcli11-dev          | command lines
libncurses-dev        | the terminal view sartor top
systemtap-sdt-dev     | static probes
libasio-dev           | the event loop of the specialization server, and of the matrix server (examples/matrix_server)
libhiredis-dev        | reads and writes the cache of code that replicas share
libseccomp-dev        | confines the compiler process
libssl-dev            | TLS between programs and the specialization server, and to Redis
prometheus-cpp-dev    | the server's metrics
libsodium-dev         | keys, signatures and encryption
libbpf-dev            | loads handlers into the kernel
libzydis-dev          | decodes the code of programs and libraries, for the loader
nodejs                | bundles the page of sartor report
npm                   | fetches what that page is made of
"
# To plot the demo's measurements.
DEMO_PACKAGES="
gnuplot-nox           | plots of the studies
fonts-dejavu-core     | the font of the plots
"
# To test and measure it.
TEST_PACKAGES="
git                   | lists the files that are linted and formatted
ccache                | makes rebuilding fast
llvm-$LLVM-tools      | FileCheck, which tests generated code
libclang-rt-$LLVM-dev | the sanitizers of the asan and tsan presets
clang-format-$LLVM    | make format, make lint
clang-tidy-$LLVM      | make lint
openssl               | certificates of a Redis server with TLS, in tests
redis-server          | the store of that cache and of a fleet's study, in tests and benches
postgresql            | another store of a fleet's study, in tests and benches
libtomlplusplus-dev   | reads configurations of network functions, in fuzzers
gcc                   | compiles what sartor-cc leaves to it, in tests
g++                   | compiles what sartor-cc leaves to it, in tests
autoconf              | builds examples and programs of others with sartor-cc
automake              | builds examples and programs of others with sartor-cc
libtool               | builds examples and programs of others with sartor-cc
meson                 | builds examples and programs of others with sartor-cc
rustc-web             | compiles handlers in Rust
cargo-web             | compiles handlers in Rust
libgtest-dev          | tests
libgmock-dev          | tests
libbenchmark-dev      | small benchmarks
spin                  | looks at all that the models of test/model can do
iproute2              | network namespaces for handlers in the kernel
bpftool               | prints what is in the kernel before and after a test
python3-venv          | the environment of the Python package and of a fleet's sidecar
python3-dev           | Python's headers
qemu-user             | runs programs of other architectures
gcc-aarch64-linux-gnu | compiles them
gcc-arm-linux-gnueabihf | compiles them
gcc-riscv64-linux-gnu | compiles them
libc6-dev-arm64-cross | the C library that those are linked with
libc6-dev-armhf-cross | the C library that those are linked with
libc6-dev-riscv64-cross | the C library that those are linked with
man-db                | checks manual pages
abigail-tools         | compares the binary interface of C with the released one
gdb                   | the tests of names and lines in backtraces
lldb-$LLVM             | the same
linux-perf            | the test of lines in profiles
binutils              | shows the lines of a file
chromium              | the tests of the page of sartor report
bpftrace              | the test of static probes
valgrind              | looks for leaks
csmith                | random programs for the differential tests
libcsmith-dev         | what those include
"
# To build, test and measure the studies.
STUDIES_PACKAGES="
libdpdk-dev           | the ports of router, nf and echo, and what lookups are compared with (lpm)
libnuma-dev           | what DPDK is linked with
libbsd-dev            | what DPDK is linked with
libpcap-dev           | files of packets as ports (nf)
netsniff-ng           | trafgen, which sends packets to nf
python3-scapy         | sends single packets to nf
e2fsprogs             | makes the file system of read
libext2fs-dev         | reads and writes that file system
comerr-dev            | the error messages of libext2fs
libfuse3-dev          | mounts that file system
fuse3                 | mounts that file system
patch                 | changes the sources of Lua, SQLite, libpcap and PCRE2
flex                  | makes the parser of filters (pcap)
bison                 | makes the parser of filters (pcap)
tcl                   | makes one file of the source of SQLite
postgresql-15         | the server and its provider, which postgres is compared with
postgresql-server-dev-15 | compiles a provider for that server
libpq-dev             | sends queries to that server
ethtool               | sets how network namespaces compute checksums
iperf3                | sends TCP through handlers in the kernel (xdp)
curl                  | sends TCP through handlers in the kernel (xdp)
tcpdump               | prints packets (xdp)
libhnswlib-dev        | the headers of hnswlib (auto)
g++-aarch64-linux-gnu | compiles programs for devices (send)
g++-arm-linux-gnueabihf | compiles programs for devices (send)
"
# To build and boot the kernel of the study linux.
LINUX_PACKAGES="
linux-source-6.1      | the sources of the kernel
xz-utils              | unpacks them
patch                 | changes a few lines of them
bc                    | computes constants as the kernel is built
flex                  | makes the parser of its configuration
bison                 | the same
libelf-dev            | its build tools read objects
cpio                  | packs the programs that run on it
"
# The site of the study web. The servers' packages without services of their own are enough.
WEB_PACKAGES="
nginx-light           | the web server
php                   | keeps apt from choosing a module of Apache
php8.2-fpm            | runs WordPress
php-mysql             | its connections to the database
mariadb-server-core   | the database, without the service that mariadb-server starts
mariadb-client        | a client, as WordPress's package requires
wordpress             | the site
wordpress-theme-twentytwentythree | its theme
iproute2              | the site's network namespace
linux-perf            | counts what the servers' processors do
python3               | starts the servers and loads them
gnuplot-nox           | the plots
"

# To make packages.
PACKAGING_PACKAGES="
build-essential       | what every package may be built with
debhelper             | makes Debian packages
dh-python             | makes the package of the Python interface
lintian               | checks packages
python3-dev           | the headers of Python
python3-venv          | the environment of MkDocs and nanobind
debootstrap           | makes root file systems, in which packages are tried
git                   | lists the files of the source package
ccache                | makes rebuilding fast
"

# Programs that test/loader/matrix.py and the loader's benches run.
LOADER_PROGRAMS="
python3               | a program to run: an interpreter with many libraries loaded late
git                   | a program to run
sqlite3               | a program to run
redis-server          | a program to run: a server
nginx-light           | a program to run: a server with processes of its own
openssl               | a program to run; certificates
curl                  | a program to run; fetches from nginx
perl                  | a program to run: an interpreter with modules
gawk                  | a program to run: counts with GMP
ruby                  | a program to run: likewise, an interpreter
php-cli               | a program to run: likewise
python3-numpy         | a program to run: with libraries that Python loads
ffmpeg                | a program to run: more than a hundred libraries
tmux                  | a program to run, and soon over
make                  | builds with a compiler that the loader starts
guile-3.0             | a program to run: likewise
gcc                   | a program to run: its compiler; and another that compiles what is looked at
imagemagick           | a program to run: many libraries
postgresql            | a program to run: a server that forks
openjdk-17-jdk-headless | a program to run: a JVM
nodejs                | a program to run: a JavaScript engine
zstd                  | a program to run: compression
xz-utils              | a program to run: compression
gdb                   | attaches to programs that the loader has started
linux-perf            | records programs that the loader has started
binutils              | damages ELF files
"

# Packages that test/loader/keys.sh needs.
KEYS_PROGRAMS="
qemu-system-x86       | a CPU with protection keys
linux-image-cloud-amd64 | runs on it
cpio                  | packs what runs on that
openssl               | a program to run
xz-utils              | a program to run
"

case ${1-} in
'') packages=$BUILD_PACKAGES$DEMO_PACKAGES$TEST_PACKAGES ;;
studies) packages=$BUILD_PACKAGES$DEMO_PACKAGES$TEST_PACKAGES$STUDIES_PACKAGES ;;
build) packages=$BUILD_PACKAGES ;;
packages) packages=$BUILD_PACKAGES$PACKAGING_PACKAGES ;;
demo) packages=$BUILD_PACKAGES$DEMO_PACKAGES ;;
loader) packages=$LOADER_PROGRAMS ;;
loader-all)
  packages=$(sed -E '/^(#|$)/d; s/$/ | a program to run/' "$(dirname "$0")/../test/loader/all/packages.txt")
  ;;
keys) packages=$KEYS_PROGRAMS ;;
linux) packages=$LINUX_PACKAGES ;;
web) packages=$WEB_PACKAGES ;;
*)
  echo "usage: scripts/deps.sh [build|demo|studies|packages|loader|loader-all|keys|linux|web]" >&2
  exit 2
  ;;
esac

declare -A why=()
while IFS='|' read -r package reason; do
  package=${package//[[:space:]]/}
  [[ -n $package ]] && why[$package]=${reason# }
done <<<"$packages"

# shellcheck disable=SC2016 # the variables are dpkg's
# A package may provide others: nodejs of Node's own archive has npm.
present=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Provides}\n' "${!why[@]}" 2>/dev/null |
  awk '$1 == "ii" { gsub(/,/, ""); for (i = 2; i <= NF; ++i) print $i }') || true
missing=()
for package in "${!why[@]}"; do
  grep -qxF -- "$package" <<<"$present" || missing+=("$package")
done
((${#missing[@]})) || exit 0

mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort)
echo "Packages that are missing:"
for package in "${missing[@]}"; do
  printf '  %-22s %s\n' "$package" "${why[$package]}"
done

install=(apt-get install -y --no-install-recommends)
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    {
      echo "Neither root nor sudo at hand. Have root run:"
      echo "  apt-get update && ${install[*]} ${missing[*]}"
    } >&2
    exit 1
  fi
  as_root=(sudo)
fi
# Debian's packages start their servers, nginx on all interfaces; here, scripts start the servers
# that they need.
policy=/usr/sbin/policy-rc.d
if [[ ${1-} =~ ^(loader|web) && ! -e $policy ]]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}")
if ! "${install[@]}" "${missing[@]}"; then
  # Some of the many packages may be unavailable; they are skipped.
  [[ ${1-} == loader-all ]]
  for package in "${missing[@]}"; do
    "${install[@]}" "$package" || echo "left out: $package cannot be installed" >&2
  done
fi
