# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced with SOURCE and BUILD: sets up cargo for the crates in the tree, and skips where there is no rustc
# with the LLVM that Sartor is of.
set -euo pipefail
source=$(realpath "$1") build=$(realpath "$2")
llvm_of() {
  command -v "$1" >/dev/null && "$1" -vV | sed -n 's/^LLVM version: //p'
}
# Debian's, where the one in front has another LLVM.
if [[ $(llvm_of rustc) != 22.* && $(llvm_of /usr/bin/rustc) == 22.* ]]; then
  PATH=/usr/bin:$PATH
fi
for tool in cargo rustc clang-22 llvm-ar-22; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
llvm=$(llvm_of rustc)
[[ $llvm == 22.* ]] || { echo "skipped: rustc has LLVM $llvm, and Sartor needs 22"; exit 77; }
# shellcheck disable=SC2034 # for those who source this
crates=$source/bindings/rust
export SARTOR_LIBRARIES=$build/lib LD_LIBRARY_PATH=$build/lib CARGO_TARGET_DIR=$build/rust CARGO_NET_OFFLINE=true
# What others have made of the same code is not what is tested.
SARTOR_CACHE_DIR=$(mktemp -d)
export SARTOR_CACHE_DIR
trap 'rm -rf "$SARTOR_CACHE_DIR"' EXIT
unset RUSTFLAGS SARTOR
