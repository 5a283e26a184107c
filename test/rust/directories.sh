#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# directories.sh SOURCE BUILD: handlers are found for every output directory that cargo is configured with.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/directories
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/app.sh"

CARGO_BUILD_BUILD_DIR=$work/between said "a build directory" ' 1.2.3 ' cargo run
cd app
said "another directory, by a setting" ' 1.2.3 ' \
  cargo run --target-dir "$work/target" --config "build.build-dir=\"$work/other\""
cd ..
exit "$failed"
