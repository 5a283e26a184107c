# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sidecar of a fleet: serves one Optuna study to native programs over a Unix socket."""

__version__ = "0.1.0"
