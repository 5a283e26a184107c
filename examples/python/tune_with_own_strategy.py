# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the blocks of the transposition with a strategy of its own: tune_with_own_strategy.py LIBRARY."""

import sys

from own_strategy import Climb
from program import tune

if __name__ == "__main__":
    tune(sys.argv[1], Climb)
