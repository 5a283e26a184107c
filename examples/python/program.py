# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program to tune: a thread that transposes a matrix repeatedly, through the entry of the handler."""

import ctypes
import sys
import threading

import sartor

N = 256
Matrix = ctypes.c_float * (N * N)
Transpose = ctypes.CFUNCTYPE(None, Matrix, Matrix, *[ctypes.c_size_t] * 3)


class Program:
    """Runs its thread inside a `with` block. `transposed` counts matrices."""

    def __init__(self, library: str) -> None:
        self.runtime = sartor.Runtime(library)
        self.transposed = ctypes.c_uint64.in_dll(ctypes.CDLL(library), "transposed")
        self._transpose = Transpose(self.runtime.function("transpose"))
        self._matrix, self.result = Matrix(*range(N * N)), Matrix()
        self._stop = False
        self._thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        while not self._stop:
            self._transpose(self._matrix, self.result, N, 1, 1)

    def is_right(self) -> bool:
        return all(self.result[i * N] == i for i in range(N))

    def __enter__(self) -> "Program":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        self._thread.join()


def tune(library: str, strategy) -> None:
    """Explores with a strategy, and prints the decision."""
    with Program(library) as program:
        rate = sartor.Objective.rate_of(program.transposed, "matrices", "matrices/s")
        explorer = sartor.Explorer(
            program.runtime, rate, strategy=strategy, unguarded={"rows", "columns"}
        )
        decision = explorer.explore()
    print(f"best: {decision.configuration}, {decision.estimate.mean:.4g} {decision.unit}")
    if not program.is_right():
        sys.exit("the matrix is not right")
