# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the blocks of the transposition with Optuna's TPE sampler: tune_with_optuna.py LIBRARY."""

import sys

from program import tune

import sartor.optuna_strategy


def main() -> None:
    tune(sys.argv[1], lambda space: sartor.optuna_strategy.tpe(space, most_trials=20, sample_count=4))


if __name__ == "__main__":
    main()
