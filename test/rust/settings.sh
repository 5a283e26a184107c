#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# settings.sh SOURCE BUILD: the settings that cargo and build scripts pass to rustc for a package also apply to its
# handlers' file: features, cfgs, variables, the edition.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/settings
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/app.sh"

said "dev" '^.*70 false true b none app-settings 1.2.3 says "so" true \[true, true\]' cargo run
APP_HASH=2 said "another variable" '70 false true b 2 app' cargo run
APP_HASH=a=1 said "a feature" '700 true true b a=1 app-settings 1.2.3 says "so" true ' \
  cargo run --features wide-one

sed -i 's/cargo::rustc-cfg=fast/cargo::rustc-cfg=kind=\\"a\\"/' app/build.rs
sed -i 's/sartor_build::handlers/if std::env::var_os("SARTOR_BUILD_LISTENING").is_some() { panic!("twice") }\n    &/' app/build.rs
refused "a script that cannot be run again" 'the build script": fails when it is run a second time' cargo build
exit "$failed"
