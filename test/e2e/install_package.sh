#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install_package.sh BUILD STAGE: installs into STAGE the way a packager does, then moves the
# package, so that a path left in it would show.
set -euo pipefail
build=$1 stage=$2
rm -rf "$stage" "$stage.first"
DESTDIR=$stage.first cmake --install "$build" --prefix /usr/local >"$stage.log"
mv "$stage.first/usr/local" "$stage"
rm -rf "$stage.first"
"$stage/bin/sartor" --help >/dev/null
