#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# installed_target.sh NINJA BUILD: the target `installed`, which `make install` builds, makes each file that `cmake
# --install BUILD` takes from a build. Files that CMake itself has written need no build.
set -euo pipefail
ninja=$1 build=$(realpath "$2")
[[ $(basename "$ninja") == *ninja* ]] || exit 77
cd "$build"
# Everything that is reachable. The tool "inputs" omits the dependencies of phony targets.
made=$("$ninja" -t graph installed | sed -n 's/.*label="\(.*\)".*/\1/p')
all=$("$ninja" -t targets all | sed 's/: [^:]*$//')
# Directories in test/e2e are projects that other tests make and remove meanwhile.
files=$(find . -ignore_readdir_race -path './test/e2e/*' -type d -prune -o -name cmake_install.cmake -not -path './_deps/*' -exec cat {} + |
  grep -o "\"$build/[^\"]*\"" | tr -d '"' | sed "s|^$build/||" | sort -u)
looked=0
while read -r file; do
  # Symbolic links of libraries are made with the libraries.
  [[ ! -d $file && ! $file =~ lib[^/]*\.so(\.[0-9]+)?$ ]] || continue
  grep -Fxq -- "$file" <<<"$all" || continue
  looked=$((looked + 1))
  if ! grep -Fxq -- "$file" <<<"$made"; then
    echo "$file is installed, and the target \`installed\` does not make it: use sartor_install()"
    exit 1
  fi
done <<<"$files"
echo "$looked files of the build are installed"
((looked >= 10))
