#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install_package.sh BUILD STAGE: installs into STAGE as a packager does, then moves the package, so that a path left
# in it is noticed.
set -euo pipefail
build=$1 stage=$2
complain() {
  echo "$*"
  exit 1
}
rm -rf "$stage" "$stage.first"
# Not the prefix of the build, which is CMake's default.
DESTDIR=$stage.first cmake --install "$build" --prefix /opt/sartor >"$stage.log"
outside=$(find "$stage.first" -not -type d -not -path "$stage.first/opt/sartor/*")
[[ -z $outside ]] || complain "installed outside of the prefix: $outside"
grep -q '^ExecStart=/opt/sartor/bin/sartor-server ' "$stage.first/opt/sartor/lib/systemd/system/sartor-server.service" ||
  complain "the unit does not start the installed server"
mv "$stage.first/opt/sartor" "$stage"
rm -rf "$stage.first"
"$stage/bin/sartor" --help >/dev/null
for file in share/man/man1/sartor-cache.1 share/man/man8/sartor-server.8 share/bash-completion/completions/sartor \
  share/doc/Sartor/LICENSE share/doc/Sartor/docs/index.md share/doc/Sartor/examples/hello/main.cpp; do
  [[ -s $stage/$file ]] || complain "not installed: $file"
done

# The page of `sartor report` is built only where npm is available.
[[ ! -s $build/share/sartor/page.html || -s $stage/share/sartor/page.html ]] || complain "not installed: share/sartor/page.html"

# Nothing that is installed depends on the directory of the build.
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
named=$(grep -rlaF -e "$source" -e "$(realpath "$build")" "$stage") && complain "names the directory of the build: $named"

# The loader: the installed command finds the front, the front finds the planner, and the planner finds the passes.
stage=$(realpath "$stage")
export XDG_CACHE_HOME=$stage.cache XDG_CONFIG_HOME=$stage.config
rm -rf "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME"
output=$("$stage/bin/sartor" run --strict -- /bin/echo installed) || complain "sartor run: status $?"
[[ $output == installed ]] || complain "sartor run: $output"
images=("$XDG_CACHE_HOME"/sartor/ld/*.image)
[[ -e ${images[0]} ]] || complain "sartor run: has left no image"
grep -aFq "$stage/lib/sartor/passes/bind.so" "${images[0]}" ||
  complain "sartor run: the image does not depend on the installed passes"
for pass in bind concat; do
  "$stage/bin/sartor" ld plan /bin/echo | grep -x "$pass: done" >/dev/null ||
    complain "sartor ld plan: no $pass"
done
mv "$stage/lib/sartor/passes" "$stage.passes"
"$stage/bin/sartor" ld plan /bin/echo 2>&1 | grep -x "bind: failed" >/dev/null ||
  complain "sartor ld plan: the passes are not the installed ones"
mv "$stage.passes" "$stage/lib/sartor/passes"
rm -rf "$XDG_CACHE_HOME"
