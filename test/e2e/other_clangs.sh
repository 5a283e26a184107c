#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# other_clangs.sh SOURCE STAGE WORK: bitcode of the older versions of clang on this machine is read by the Sartor in
# STAGE, that of newer ones is refused, and the plugin is refused in both; errors name both versions.
set -euo pipefail
source=$1 stage=$2 work=$3
version=${SARTOR_LLVM:-22} # that Sartor is built with
rm -rf "$work"
mkdir -p "$work"
cd "$work"
plugin=$(echo "$stage"/lib*/sartor/SartorPlugin.so)
cp "$source"/examples/device/handlers.[ch] .

# fails WORDS -- COMMAND...: the command fails and says the words.
fails() {
  local words=$1
  shift 2
  if "$@" >log 2>&1 || ! grep -qF "$words" log; then
    echo "does not fail with: $words: $*"
    cat log
    exit 1
  fi
}

tried=
for other in 19 20 21 22 23; do
  clang=clang-$other
  if [[ $other == "$version" ]] || ! command -v "$clang" >/dev/null; then continue; fi
  tried+=" $other"
  "$clang" -O1 -Xclang -disable-llvm-passes -DSARTOR_POINTS=1 -I"$stage/include" -emit-llvm -c -o handlers.bc handlers.c
  if ((other < version)); then
    "$stage/bin/sartor" device handlers.bc --target x86-64 --output handlers_for_device
  else
    fails "was written by LLVM $other; needed is LLVM $version or older (compile the handlers with clang-$version)" -- \
      "$stage/bin/sartor" device handlers.bc --target x86-64 --output handlers_for_device
  fi
  fails "error: sartor: wrong_llvm_version: \"SartorPlugin.so\": is for clang $version, this is " -- \
    "$clang" -O1 -I"$stage/include" -fplugin="$plugin" -fpass-plugin="$plugin" -c handlers.c
  grep -F "clang version $other." log
done
[[ $tried ]] || { echo "skipped: no other clang of version 19 to 23 is installed"; exit 77; }
echo "tried:$tried"
