#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sidecar.sh ARGUMENTS...: runs the sidecar of a fleet from the source tree, for tests and benches.
# Exits with 77 if its Python packages are not available.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh)
export PYTHONPATH=$PWD/bindings/sidecar
exec "$python" -m sartor_sidecar "$@"
