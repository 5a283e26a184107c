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
    work: pathlib.Path  # a directory for files that programs make
    user: pwd.struct_passwd | None  # the user that runs programs; None: the user who starts the worker
    signing: Signing
    port: int  # a port on which no program listens
    postgres: pathlib.Path | None  # the directory of its programs
    kept: tuple  # descriptors that programs are started with
    end_all: Callable  # ends everything that programs have left running
