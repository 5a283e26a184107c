#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random SQL, by stock SQLite and by SQLite with Sartor: each row, error and count of steps must be the same.

    sqlite_random.py BUILT [--batches N] [--seed S] [--short] [--seconds N] [--keep FOLDER]

BUILT is a build tree of the studies (build/studies/release) with bin/sqlite_statements_gcc and _sartor. A batch has a database of its own and
150 statements, each of which is run several times, with other values for its parameters: statements are specialized
once they have made a step, and each waits until that is done. Statements stay prepared while others are, and run again
after others have changed the schema and the rows. A case is a run of a statement. A batch that does not end within
N seconds counts as a hang. What a batch that differs was given is left in FOLDER.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import suite

STATEMENTS = 150
SLOTS = 16
HOW = "heat=1,least=1,wait"
MOST_TABLES = 5

INTEGERS = [0, 1, -1, 2, 3, 7, 10, 100, 255, -128, 65536, 2**31 - 1, -(2**31), 2**32, 2**53, 2**53 + 1, 2**62,
            2**63 - 1, -(2**63) + 1, -(2**63)]  # fmt: skip
NUMBERS = ["0.0", "-0.0", "0.5", "-0.5", "1.5", "2.0", "1e15", "9007199254740993.0", "9223372036854775807.0",
           "9223372036854775808.0", "-9223372036854775808.0", "1e308", "-1e308", "9e999", "-9e999", "4.9e-324",
           "1e-7"]  # fmt: skip
TEXTS = ["", " ", "a", "A", "ab", "aB", "b", "z", "0", "1", "-1", " 1", "1 ", "1.0", "1e2", "0x10", "12abc", "abc12",
         "nan", "inf", "9223372036854775807", "9223372036854775808", "%", "_", "a%", "é", "long " * 12]  # fmt: skip
BLOBS = ["", "00", "31", "6162", "ff00ff", "c3a9"]
TYPES = ["INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB", ""]
COLLATIONS = ["BINARY", "NOCASE", "RTRIM"]
UNARY = ["-", "+", "~", "NOT "]
BINARY = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "<", "<=", ">", ">=", "=", "<>", "IS", "IS NOT", "AND",
          "OR"]  # fmt: skip
ONE = ["abs", "length", "lower", "upper", "typeof", "hex", "quote", "trim", "ltrim", "rtrim", "round", "unicode",
       "sign"]  # fmt: skip
TWO = ["ifnull", "nullif", "min", "max", "instr", "round", "coalesce", "substr", "trim", "glob", "like"]
THREE = ["substr", "replace", "iif", "coalesce", "max", "min"]
AGGREGATES = ["count", "sum", "total", "avg", "min", "max", "group_concat"]
WINDOWS = ["row_number()", "rank()", "dense_rank()", "ntile(3)", "percent_rank()", "cume_dist()"]


class Table:
    def __init__(self, name: str, columns: list[str], writable: bool) -> None:
        self.name, self.columns, self.writable = name, columns, writable


class Batch:
    """Lines for sqlite_statements."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tables: list[Table] = []
        self.indexes: list[str] = []
        self.lines: list[str] = []
        self.prepared: list[int] = []  # number of parameters of the statement in the slot; -1 if there is none
        self.names = 0
        self.parameters = 0
        self.runs = 0

    # Values.

    def literal(self) -> str:
        r = self.random
        kind = r.random()
        if kind < 0.08:
            return "NULL"
        if kind < 0.30:
            return str(r.randint(-5, 20))
        if kind < 0.45:
            integer = r.choice(INTEGERS)
            return "(-9223372036854775807 - 1)" if integer == -(2**63) else f"({integer})"
        if kind < 0.62:
            return f"({r.choice(NUMBERS)})"
        if kind < 0.92:
            return f"'{r.choice(TEXTS)}'"
        return f"x'{r.choice(BLOBS)}'"

    def bound(self) -> str:
        r = self.random
        kind = r.random()
        if kind < 0.10:
            return "n"
        if kind < 0.35:
            return f"i{r.randint(-5, 20)}"
        if kind < 0.50:
            return f"i{r.choice(INTEGERS)}"
        if kind < 0.70:
            return f"d{r.choice(NUMBERS)}"
        if kind < 0.92:
            return f"t{r.choice(TEXTS).encode().hex()}"
        return f"b{r.choice(BLOBS)}"

    # Expressions of columns with known names.

    def expression(self, known: list[str], depth: int) -> str:
        r = self.random
        kind = r.random()
        if depth <= 0 or kind < 0.18:
            if known and r.random() < 0.7:
                return r.choice(known)
            if r.random() < 0.25 and self.parameters < 6:
                self.parameters += 1
                return f"?{self.parameters}"
            return self.literal()
        sub = lambda: self.expression(known, depth - 1)  # noqa: E731
        if kind < 0.55:
            return f"({sub()} {r.choice(BINARY)} {sub()})"
        if kind < 0.60:
            return f"({r.choice(UNARY)}{sub()})"
        if kind < 0.66:
            return f"CASE WHEN {sub()} THEN {sub()} {r.choice([f'ELSE {sub()} ', ''])}END"
        if kind < 0.69:
            return f"CASE {sub()} WHEN {sub()} THEN {sub()} WHEN {sub()} THEN {sub()} ELSE {sub()} END"
        if kind < 0.73:
            return f"CAST({sub()} AS {r.choice(['INTEGER', 'REAL', 'TEXT', 'NUMERIC', 'BLOB'])})"
        if kind < 0.78:
            return f"{r.choice(ONE)}({sub()})"
        if kind < 0.82:
            return f"{r.choice(TWO)}({sub()}, {sub()})"
        if kind < 0.84:
            return f"{r.choice(THREE)}({sub()}, {sub()}, {sub()})"
        if kind < 0.87:
            return f"({sub()} {r.choice(['', 'NOT '])}BETWEEN {sub()} AND {sub()})"
        if kind < 0.91:
            return f"({sub()} {r.choice(['', 'NOT '])}IN ({', '.join(sub() for _ in range(r.randint(1, 4)))}))"
        if kind < 0.93:
            return f"({sub()} {r.choice(['ISNULL', 'NOTNULL'])})"
        if kind < 0.95:
            return f"({sub()} {r.choice(['LIKE', 'GLOB', 'NOT LIKE'])} {sub()})"
        if kind < 0.97:
            return f"({sub()} COLLATE {r.choice(COLLATIONS)} {r.choice(['=', '<', '>='])} {sub()})"
        return self.subquery(known, depth)

    def subquery(self, known: list[str], depth: int) -> str:
        r = self.random
        table = r.choice(self.tables)
        inner = [f"q.{column}" for column in table.columns]
        kind = r.random()
        where = f" WHERE {self.expression([*inner, *known], 1)}"
        if kind < 0.35:
            return f"(SELECT {r.choice(AGGREGATES[:6])}({r.choice(inner)}) FROM {table.name} AS q{where})"
        if kind < 0.60:
            return f"({r.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {table.name} AS q{where}))"
        if kind < 0.85:
            return f"({self.expression(known, depth - 1)} IN (SELECT {r.choice(inner)} FROM {table.name} AS q))"
        return f"(SELECT {r.choice(inner)} FROM {table.name} AS q{where} ORDER BY {r.choice(inner)} LIMIT 1)"

    # Statements.

    def source(self) -> tuple[str, list[str]]:
        """What a query is from, and the columns that there are then."""
        r = self.random
        if r.random() < 0.06:
            return (
                f"(WITH RECURSIVE w(x, y) AS (SELECT 1, {self.literal()} UNION ALL SELECT x + 1, y + x FROM w "
                f"WHERE x < {r.randint(2, 25)}) SELECT x, y FROM w) AS t0",
                ["t0.x", "t0.y"],
            )
        text, known = "", []
        for number in range(r.choice([1, 1, 1, 2, 2, 3])):
            table, alias = r.choice(self.tables), f"t{number}"
            fresh = [f"{alias}.{column}" for column in table.columns]
            what = f"{table.name} AS {alias}"
            if number == 0:
                text = what
            else:
                kind = r.choice(["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "CROSS JOIN", "RIGHT JOIN", "FULL JOIN"])
                on = f"{r.choice(known)} {r.choice(['=', '=', '=', '<', 'IS'])} {r.choice(fresh)}"
                if r.random() < 0.3:
                    on += f" AND {self.expression([*known, *fresh], 1)}"
                text += f" {kind} {what} ON {on}"
            known += fresh
        return text, known

    def order(self, count: int, known: list[str]) -> str:
        r = self.random
        terms = []
        for _ in range(r.randint(1, 3)):
            term = str(r.randint(1, count)) if r.random() < 0.5 or not known else self.expression(known, 1)
            terms.append(
                term + r.choice(["", "", " DESC", " COLLATE NOCASE", " NULLS LAST", " COLLATE NOCASE DESC NULLS FIRST"])
            )
        return f" ORDER BY {', '.join(terms)}"

    def limit(self) -> str:
        r = self.random
        return f" LIMIT {r.randint(0, 12)}" + (f" OFFSET {r.randint(0, 5)}" if r.random() < 0.4 else "")

    def simple(self, count: int) -> tuple[str, list[str]]:
        """A SELECT of so many columns without ORDER BY, and what it may be ordered by."""
        r = self.random
        source, known = self.source()
        where = f" WHERE {self.expression(known, r.randint(1, 3))}" if r.random() < 0.7 else ""
        kind = r.random()
        if kind < 0.40:
            keys = [self.expression(known, 1) for _ in range(r.randint(0, 2))]
            columns = []
            for _ in range(count):
                if keys and r.random() < 0.4:
                    columns.append(r.choice(keys))
                    continue
                distinct = "DISTINCT " if r.random() < 0.2 else ""
                filtered = f" FILTER (WHERE {self.expression(known, 1)})" if r.random() < 0.15 else ""
                columns.append(f"{r.choice(AGGREGATES)}({distinct}{self.expression(known, 1)}){filtered}")
            group = f" GROUP BY {', '.join(keys)}" if keys else ""
            if keys and r.random() < 0.4:
                compared = f"{r.choice(['>', '<', 'IS NOT'])} {self.literal()}"
                group += f" HAVING {r.choice(AGGREGATES)}({r.choice(known)}) {compared}"
            return f"SELECT {', '.join(columns)} FROM {source}{where}{group}", []
        if kind < 0.50:
            columns = [self.expression(known, 1) for _ in range(count - 1)]
            function = r.choice([*WINDOWS, f"sum({r.choice(known)})", f"lag({r.choice(known)}, 1, 'none')", "count(*)"])
            over = f"PARTITION BY {r.choice(known)} " if r.random() < 0.6 else ""
            frame = " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING" if function.startswith("sum") else ""
            columns.append(f"{function} OVER ({over}ORDER BY {r.choice(known)}, {r.choice(known)}{frame})")
            return f"SELECT {', '.join(columns)} FROM {source}{where}", known
        columns = [self.expression(known, r.randint(0, 3)) for _ in range(count)]
        return f"SELECT {r.choice(['', '', 'DISTINCT '])}{', '.join(columns)} FROM {source}{where}", known

    def query(self) -> str:
        r = self.random
        count = r.randint(1, 4)
        text, known = self.simple(count)
        if r.random() < 0.12:
            text = f"{text} {r.choice(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'])} {self.simple(count)[0]}"
            known = []
        if r.random() < 0.55:
            text += self.order(count, [] if "DISTINCT" in text else known)
        return text + (self.limit() if r.random() < 0.25 else "")

    def insert(self) -> str:
        r = self.random
        table = r.choice([table for table in self.tables if table.writable])
        some = r.sample(table.columns, r.randint(1, len(table.columns)))
        verb = r.choice(["INSERT", "INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE"])
        if r.random() < 0.15:
            return f"{verb} INTO {table.name}({', '.join(some)}) {self.simple(len(some))[0]} LIMIT 8"
        rows = [f"({', '.join(self.expression([], 1) for _ in some)})" for _ in range(r.choice([1, 1, 2, 5]))]
        back = f" RETURNING {', '.join(table.columns)}" if r.random() < 0.1 else ""
        return f"{verb} INTO {table.name}({', '.join(some)}) VALUES {', '.join(rows)}{back}"

    def change(self) -> str:
        r = self.random
        table = r.choice([table for table in self.tables if table.writable])
        where = f" WHERE {self.expression(table.columns, 2)}"
        if r.random() < 0.3:
            third = f"rowid % 3 = {r.randint(0, 2)}"
            return f"DELETE FROM {table.name} WHERE {third} AND {self.expression(table.columns, 2)}"
        some = r.sample(table.columns, r.randint(1, 2))
        sets = ", ".join(f"{column} = {self.expression(table.columns, 2)}" for column in some)
        return f"UPDATE {r.choice(['', 'OR IGNORE ', 'OR REPLACE '])}{table.name} SET {sets}{where}"

    def schema(self) -> str:
        r = self.random
        self.names += 1
        kind = r.random()
        if len(self.tables) < 2 or (kind < 0.3 and len(self.tables) < MOST_TABLES):
            columns = [f"c{number}" for number in range(r.randint(2, 5))]
            words = []
            for column in columns:
                unique = " UNIQUE" if r.random() < 0.08 else ""
                default = f" DEFAULT {self.literal()}" if r.random() < 0.2 else ""
                check = f" CHECK ({column} IS NULL OR {column} <> 13)" if r.random() < 0.05 else ""
                collation = f" COLLATE {r.choice(COLLATIONS)}" if r.random() < 0.2 else ""
                words.append(f"{column} {r.choice(TYPES)}{default}{unique}{check}{collation}")
            if r.random() < 0.4:
                # After the largest number, SQLite chooses one at random.
                words[0] = "c0 INTEGER PRIMARY KEY CHECK (c0 < 9223372036854770000)"
            self.tables.append(Table(f"a{self.names}", columns, True))
            return f"CREATE TABLE a{self.names}({', '.join(words)})"
        if kind < 0.75:
            table = r.choice([table for table in self.tables if table.writable])
            terms = [column + r.choice(["", "", " DESC", " COLLATE NOCASE"]) for column in r.sample(table.columns, 2)]
            partial = f" WHERE {table.columns[-1]} IS NOT NULL" if r.random() < 0.2 else ""
            self.indexes.append(f"i{self.names}")
            return f"CREATE INDEX i{self.names} ON {table.name}({', '.join(terms)}){partial}"
        if kind < 0.85 and self.indexes:
            return f"DROP INDEX {self.indexes.pop()}"
        if kind < 0.92:
            return "ANALYZE"
        columns = ["x", "y"]
        outer, self.parameters = self.parameters, 99  # a view has no parameters
        text = f"CREATE VIEW v{self.names}(x, y) AS {self.simple(2)[0]}"
        self.parameters = outer
        if len([table for table in self.tables if not table.writable]) < 2:
            self.tables.append(Table(f"v{self.names}", columns, False))
        return text

    def put(self, text: str, parameters: int, times: int) -> None:
        r = self.random
        free = len(self.prepared) if len(self.prepared) < SLOTS else r.randrange(SLOTS)
        if free == len(self.prepared):
            self.prepared.append(-1)
        self.prepared[free] = parameters
        self.lines.append(f"p {free} {text}")
        for _ in range(times):
            self.again(free)

    def again(self, slot: int) -> None:
        values = [self.bound() for _ in range(max(self.prepared[slot], 0))]
        self.lines.append(f"r {slot} {' '.join(values)}" if values else f"c {slot}")
        self.runs += 1

    def statement(self) -> None:
        r = self.random
        self.parameters = 0
        kind = r.random()
        if kind < 0.06:
            self.put(self.schema(), 0, 1)
            return
        if kind < 0.22:
            text, times = self.insert(), r.randint(1, 4)
        elif kind < 0.32:
            text, times = self.change(), r.randint(1, 2)
        elif kind < 0.34:
            text, times = r.choice(["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s"]), 1
        else:
            text, times = self.query(), r.randint(2, 3)
        self.put(text, self.parameters, times + (2 if self.parameters else 0))
        if r.random() < 0.3:  # a statement that was prepared earlier
            self.again(r.randrange(len(self.prepared)))

    def text(self) -> str:
        for _ in range(3):
            self.put(self.schema(), 0, 1)
        for table in list(self.tables):
            if table.writable:
                for _ in range(4):
                    self.parameters = len(table.columns)
                    marks = ", ".join("?" for _ in table.columns)
                    self.put(f"INSERT INTO {table.name} VALUES ({marks})", len(table.columns), 4)
        for _ in range(STATEMENTS - len([line for line in self.lines if line.startswith("p")])):
            self.statement()
        return "\n".join(self.lines) + "\n"


def asked(output: list[str], at: int, given: list[str]) -> str:
    """The lines of the input that a line of the output is about."""
    numbers = [line for line in output[: at + 1] if line.endswith(":") and line[:-1].isdigit()]
    if not numbers:
        return "nothing"
    number = int(numbers[-1][:-1])
    slot = given[number - 1].split()[1]
    meant = [line for line in given[:number] if line.startswith(f"p {slot} ")]
    return f"{meant[-1] if meant else ''}\n  {given[number - 1]}"


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("built", type=Path)
    arguments.add_argument("--batches", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--short", action="store_true")
    arguments.add_argument("--seconds", type=float, default=1200)
    arguments.add_argument("--keep", type=Path)
    wanted = arguments.parse_intermixed_args()
    programs = {kind: wanted.built.resolve() / "bin" / f"sqlite_statements_{kind}" for kind in ("gcc", "sartor")}
    if not all(program.exists() for program in programs.values()):
        return suite.skip(f"studies/sqlite is not built in {wanted.built}")

    report = suite.Report("sqlite")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        for seed in range(wanted.seed, wanted.seed + (1 if wanted.short else wanted.batches)):
            batch = Batch(seed)
            text = batch.text()
            given = text.splitlines()
            if wanted.short:  # its runs are counted when their results arrive
                given = given[:60]
                text = "\n".join(given) + "\n"
                batch.runs = len([line for line in given if line[0] != "p"])
            stock = suite.run([programs["gcc"]], Path(folder), wanted.seconds, {}, text.encode())
            environment = {"SQLITE_SARTOR": HOW, "SARTOR_EVENT_LOG": str(log)}
            ours = suite.run([programs["sartor"]], Path(folder), wanted.seconds, environment, text.encode())
            one, other = ([*ended.output.decode().split("\n"), ended.how] for ended in (stock, ours))
            made = suite.Made()
            made.add(log, "sqlite3SsartorRun")
            statements = len([line for line in given if line[0] == "p"])
            refused = stock.output.count(b"\n  not prepared")
            differences = sum(a != b for a, b in zip(one, other)) + abs(len(one) - len(other))
            more = f"{statements} statements, {refused} of them refused, {ours.seconds:.0f} s by ours"
            report.part(f"seed {seed}", batch.runs, differences, made, f"{more}, {ours.how}")
            if one != other:
                at = next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)) - 1)
                print(f"  at {asked(other, at - 1 if at == len(other) - 1 else at, given)}")
                print(f"  {suite.first_difference(one, other)}")
                if wanted.keep:
                    wanted.keep.mkdir(parents=True, exist_ok=True)
                    (wanted.keep / f"sqlite-{seed}.txt").write_text(text)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
