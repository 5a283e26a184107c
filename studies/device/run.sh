#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: runs three devices, a server, and a line between them that is cut and
# restored. See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
exec "$build/bin/device_study" "$output"
