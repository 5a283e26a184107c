#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's table and draws its plot into OUTPUT, which takes an hour. See README.md.
exec "$(dirname "$0")/../support/run.sh" web ratios "$@"
