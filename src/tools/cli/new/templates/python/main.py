"""Calls a handler of build/libhandlers.so, before and after it is specialized."""

import ctypes
from pathlib import Path

import sartor

Coefficients = ctypes.c_int64 * 5
Polynomial = ctypes.CFUNCTYPE(ctypes.c_int64, Coefficients, ctypes.c_int, ctypes.c_int64)


def main() -> None:
    coefficients = Coefficients(1, 2, 3, 4, 5)

    runtime = sartor.Runtime(str(Path(__file__).parent / "build" / "libhandlers.so"))
    evaluate = Polynomial(runtime.function("polynomial"))
    print("generic:", evaluate(coefficients, 4, 10))
    runtime.specialize({"terms": 4})
    print("specialized:", evaluate(coefficients, 4, 10))
    # The variant is for four terms. With five, its guard fails and generic code continues.
    print("guarded:", evaluate(coefficients, 5, 10))


if __name__ == "__main__":
    main()
