#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing of the Debian packages that Sartor is built and tested with. Asks nothing;
# does nothing when all is there.
set -euo pipefail

LLVM=22

# package | what it is for
PACKAGES="
ca-certificates       | lets apt reach its mirrors over https
git                   | lists the files that are linted and formatted
cmake                 | configures the build
ninja-build           | runs the build
pkg-config            | finds liburcu and libffi
ccache                | makes rebuilding fast
clang-$LLVM           | compiles Sartor and the handlers
llvm-$LLVM-dev        | the compiler that Sartor calls at run time
llvm-$LLVM-tools      | FileCheck, which tests generated code
lld-$LLVM             | links
libclang-rt-$LLVM-dev | the sanitizers of the asan and tsan presets
clang-format-$LLVM    | make format, make lint
clang-tidy-$LLVM      | make lint
libc6-dev             | the C library's headers
libstdc++-12-dev      | the C++ standard library
liburcu-dev           | tells when no thread runs an old variant
libffi-dev            | calls functions whose results are folded
nlohmann-json3-dev    | reads and writes configurations and event logs
libmuparser-dev       | reads and evaluates relations between points
libcli11-dev          | command lines
libasio-dev           | the event loop of the matrix server (studies/matmul)
libhiredis-dev        | reads and writes the cache of code that replicas share
libsodium-dev         | signs what is in it
redis-server          | the store of that cache and of a fleet's study, in tests and benches
postgresql            | another store of a fleet's study, in tests and benches
libzydis-dev          | decodes the code of programs and libraries, for the loader
libdpdk-dev           | the ports of the router, and what lookups are compared with (studies)
libnuma-dev           | what DPDK is linked with
libbsd-dev            | what DPDK is linked with
libgtest-dev          | tests
libgmock-dev          | tests
libbenchmark-dev      | small benchmarks
gnuplot-nox           | plots of the studies
fonts-dejavu-core     | the font of the plots
iproute2              | network namespaces for the router (studies/router)
python3-venv          | the environment of the Python package and of a fleet's sidecar
python3-dev           | Python's headers
gdb                   | the test of names in backtraces
valgrind              | looks for leaks
"

declare -A why=()
while IFS='|' read -r package reason; do
  package=${package//[[:space:]]/}
  [[ -n $package ]] && why[$package]=${reason# }
done <<<"$PACKAGES"

# shellcheck disable=SC2016 # the variables are dpkg's
present=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${!why[@]}" 2>/dev/null |
  awk '$1 == "ii" { print $2 }') || true
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

install=(apt-get install -y --no-install-recommends "${missing[@]}")
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    {
      echo "Neither root nor sudo at hand. Have root run:"
      echo "  apt-get update && ${install[*]}"
    } >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}"
