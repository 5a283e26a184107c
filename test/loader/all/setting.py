# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all trials of a worker have in common."""

import dataclasses
import pathlib
import pwd
from collections.abc import Callable

from signing import Signing


@dataclasses.dataclass(frozen=True)
class Setting:
    ld: pathlib.Path
    witness: pathlib.Path  # the library
    work: pathlib.Path  # a directory, for whatever they make
    user: pwd.struct_passwd | None  # for whom programs run; None: whoever starts the worker
    signing: Signing
    port: int  # that nobody listens at
    postgres: pathlib.Path | None  # the directory of its programs
    kept: tuple  # descriptors that programs are started with
    end_all: Callable  # ends what programs have left running
