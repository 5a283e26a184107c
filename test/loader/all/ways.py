# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways in which programs are started."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    options: tuple = None  # of sartor-ld; None: only the stock loader
    is_signed: bool = False
    is_watched: bool = False  # with the witness, which records how the program is started

    @property
    def is_stock(self):
        return self.options is None

    @property
    def may_give_up(self):
        """The stock loader may start the program instead."""
        return not self.is_stock and "--strict" not in self.options


def _strict(passes, *options, **rest):
    return Way(passes.replace(",", "+"), ("--strict", f"--passes={passes}", *options), **rest)


STOCK = Way("stock")
WATCHED_STOCK = Way("stock", is_watched=True)

# The front has two paths, whatever the passes: each has its witness.
WAYS = (
    Way("default", ()),
    _strict("bind,concat", is_watched=True),
    dataclasses.replace(_strict("bind,concat", "--in-place", is_watched=True), name="in place"),
    _strict("bind"),
    _strict("concat"),
    _strict("prune,bind,concat"),
    _strict("verify,bind,concat", is_signed=True),
)


def named(names):
    return tuple(way for way in WAYS if way.name in names)
