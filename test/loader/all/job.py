# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program is to do."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Job:
    """Steps are lists of words, or commands as a shell would read them, but for these:

    - `< NAME` at the end: it reads this file;
    - `- ` at the beginning: it is to fail;
    - `& ` at the beginning: a server, by the loader, which is waited for until it listens at {port};
    - `! ` at the beginning: by the stock loader, and only to make something ready;
    - `{ld}`: a command that starts a program with the loader, for those that start others;
    - `{port}`, `{postgres}`: a port that nobody listens at, the directory of PostgreSQL's programs.
    """

    name: str
    steps: tuple
    files: dict = dataclasses.field(default_factory=dict)  # name: text
    needs: tuple = ()
    seconds: int = 300
    environment: dict = dataclasses.field(default_factory=dict)
    is_question: bool = False  # any answer is accepted
