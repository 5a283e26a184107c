# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program does alike each time, and what not, by the stock loader."""

import re

# Addresses, process ids, times; and the random part of names.
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?|(?<=[./_-])[A-Za-z0-9]{6,}")


def _masked(text):
    return _NUMBERS.sub("#", text)


class Likeness:
    """Knows what the starts by the stock loader have shown."""

    def __init__(self, first):
        self.seen = [first]

    def add(self, facts):
        self.seen.append(facts)

    def _values(self, key):
        return {facts.get(key) for facts in self.seen}

    def varies(self):
        """{fact: what is still compared of it}, of facts that are not the same each time."""
        keys = sorted({key for facts in self.seen for key in facts})
        return {
            key: "all but numbers" if self._is_like_but_for_numbers(key) else "nothing"
            for key in keys
            if len(self._values(key)) > 1
        }

    def _is_like_but_for_numbers(self, key):
        return len({None if value is None else _masked(value) for value in self._values(key)}) == 1

    def differences(self, facts, without=()):
        """[(fact, stock's, this one's)] of what the stock loader has never given, though it always gives the same."""
        result = []
        names = {_masked(name) for known in self.seen for name in known}
        for key in sorted({*self.seen[0], *facts}):
            value, known = facts.get(key), self._values(key)
            if key in without or value in known:
                continue
            # A file whose name is different each time.
            if known == {None} and _masked(key) != key and _masked(key) in names:
                continue
            if len(known) > 1 and not (
                self._is_like_but_for_numbers(key)
                and value is not None
                and _masked(value) != _masked(self.seen[0][key])
            ):
                continue
            result.append((key, self.seen[0].get(key), value))
        return result


def describe(difference, most=300):
    """A difference in a line."""
    key, expected, seen = difference
    if expected is None or seen is None:
        return f"{key}: {'only by the stock loader' if seen is None else 'not by the stock loader'}"
    before, after = expected.splitlines(), seen.splitlines()
    pairs = [(a, b) for a, b in zip(before + [""] * len(after), after + [""] * len(before)) if a != b]
    a, b = pairs[0] if pairs else (expected[-80:], seen[-80:])
    return f"{key}: stock gave {a!r}, this {b!r}"[:most]
