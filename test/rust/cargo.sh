# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced with SOURCE and BUILD: sets up cargo for the crates in the tree, and skips if no rustc uses Sartor's LLVM
# version.
set -euo pipefail
source=$(realpath "$1") build=$(realpath "$2")
[ "${SARTOR_LLVM:-22}" = 22 ] || { echo "skipped: the crates need a Sartor with LLVM 22"; exit 77; }
for tool in cargo rustc clang-22 llvm-ar-22; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
# The first rustc in PATH that works and has this LLVM version; rustup's do not work if no toolchain is selected.
llvm_of() { "$1" -vV 2>/dev/null | sed -n 's/^LLVM version: //p'; }
found='' seen=''
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
  [[ -x $directory/cargo && -x $directory/rustc ]] || continue
  llvm=$(llvm_of "$directory/rustc") || llvm=none
  "$directory/cargo" -V >/dev/null 2>&1 || llvm=none
  [[ $llvm != 22.* ]] || { found=$directory; break; }
  seen+=" $directory: LLVM ${llvm:-unknown};"
done
[[ $found ]] || { echo "skipped: no cargo and rustc with LLVM 22 that work:${seen:- none}"; exit 77; }
PATH=$found:$PATH
# shellcheck disable=SC2034 # for those who source this
crates=$source/bindings/rust
export SARTOR_LIBRARIES=$build/lib LD_LIBRARY_PATH=$build/lib CARGO_TARGET_DIR=$build/rust CARGO_NET_OFFLINE=true
# Builds do not use earlier results of the same code.
SARTOR_CACHE_DIR=$(mktemp -d)
export SARTOR_CACHE_DIR
trap 'rm -rf "$SARTOR_CACHE_DIR"' EXIT
unset RUSTFLAGS SARTOR
