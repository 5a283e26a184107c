# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What explorations have tried, as a table."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ._sartor import Configuration

if TYPE_CHECKING:
    import pandas

# Columns of every table, independent of the trials.
COLUMNS = ["exploration", "part", "number", "score", "error", "sample_count", "state"]


def trials_dataframe(journal: str | os.PathLike[str]) -> pandas.DataFrame:
    """The trials in an explorer's journal, a native program's too: a row for each, in their order.

    Columns: `exploration` counts those in the file from 1; `part` counts within one, a new part
    beginning where the workload changed (scores can be compared within a part); `number` counts
    trials within one, from 0; `score`, higher always being better, its standard error `error`, and
    `sample_count`, on how many it rests; `state` is "complete", "cut_short" (surely worse than the best,
    and its score is rough) or "failed" (and has no score). Then `params_<label>` for each point:
    its value, None for generic, and the text of a setting of several values.

    Raises OSError, ValueError for a file that is no journal, ImportError without pandas.
    """
    import pandas

    rows = _rows(journal)
    labels = sorted({column for row in rows for column in row if column.startswith("params_")})
    return pandas.DataFrame(rows, columns=[*COLUMNS, *labels]).astype({label: object for label in labels})


def _rows(journal: str | os.PathLike[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    exploration, part, number = 0, 1, 0
    with open(journal, encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):  # the line is still being written
                break
            try:
                read = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{os.fspath(journal)}: is no journal of explorations") from error
            if "sartor_journal" in read:
                exploration, part, number = exploration + 1, 1, 0
            elif exploration == 0:
                raise ValueError(f"{os.fspath(journal)}: is no journal of explorations")
            elif "anew" in read:
                part += 1
            elif "trial" in read:
                place = {"exploration": exploration, "part": part, "number": number}
                rows.append(place | _row(read["trial"]))
                number += 1
    return rows


def _row(trial: dict[str, Any]) -> dict[str, Any]:
    configuration = Configuration.from_json(json.dumps(trial["configuration"]))
    params = {
        f"params_{label}": setting.value if len(setting.values) == 1 else str(setting)
        for label, setting in configuration.items()
    }
    state = "failed" if trial.get("failed") else "cut_short" if trial.get("cut_short") else "complete"
    measured = {"score": trial.get("score"), "error": trial.get("error", 0.0), "sample_count": trial.get("sample_count", 1)}
    if state == "failed":
        measured = dict.fromkeys(measured)
    return {**measured, "state": state, **params}
