#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# profiles.sh SOURCE BUILD: handlers are checked like the rest of the program, however the checks are configured.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/profiles
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/app.sh"

said "checks in a release" ' false \[true, true\]' cargo run --release
CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=false said "no checks, by a variable" ' false \[false, false\]' cargo run --release
said "a profile of the package's own" ' true \[false, false\]' cargo run --profile mine
exit "$failed"
