# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as a table; what the workload is called; seeds; blocks."""

from __future__ import annotations

import time

import pytest
from test_explorer import Listed, explorer

import sartor

pandas = pytest.importorskip("pandas")


@pytest.fixture
def runtime(library) -> sartor.Runtime:
    return sartor.Runtime(library)


def of_the_strategy(table):
    """Its trials are of several slices; race and confirmation, which come after them, of one."""
    return table[table["sample_count"] > 1]


def test_trials_are_a_table(runtime, tmp_path):
    strategy = Listed([{"rows": 4}, {"rows": 8}, {"rows": 5}])
    tuner = explorer(runtime, strategy=lambda space: strategy, journal=tmp_path / "journal")
    tuner.explore()
    table = of_the_strategy(tuner.trials_dataframe())
    assert list(table["params_rows"]) == [4, 8]  # 5 is outside of the space
    assert list(table["score"]) == pytest.approx([30.0, 50.0])
    assert set(table["state"]) == {"complete"}
    assert set(table["exploration"]) == {1}
    strategy.left = [{"rows": 16}]
    tuner.explore()
    table = of_the_strategy(sartor.trials_dataframe(tmp_path / "journal"))
    assert list(table["exploration"]) == [1, 1, 2]
    assert list(table["number"]) == [0, 1, 0]


def test_a_journal_of_any_program_is_read(tmp_path):
    journal = tmp_path / "journal"
    journal.write_text(
        '{"sartor_journal":1,"space":"1","objective":"o","strategy":"default","seed":1,"incumbent":{}}\n'
        '{"trial":{"configuration":{},"score":1.0}}\n'
        '{"trial":{"configuration":{"B":{"values":[8,16]},"mode":"a"},"failed":true}}\n'
        '{"anew":true}\n'
        '{"trial":{"configuration":{"B":8},"score":2.0,"error":0.5,"sample_count":4,"cut_short":true}}\n'
        '{"trial":{"configuration":{"B":8},"sco'
    )
    table = sartor.trials_dataframe(journal)
    assert list(table["state"]) == ["complete", "failed", "cut_short"]
    assert list(table["part"]) == [1, 1, 2]
    assert list(table["params_B"].where(table["params_B"].notna(), None)) == [None, "8|16", 8]
    assert table["score"].isna().tolist() == [False, True, False]
    assert table["sample_count"].tolist()[2] == 4


def test_without_a_journal_it_says_what_to_do(runtime, tmp_path):
    with pytest.raises(ValueError, match="journal"):
        explorer(runtime).trials_dataframe()
    with pytest.raises(FileNotFoundError):
        sartor.trials_dataframe(tmp_path / "missing")
    (tmp_path / "other").write_text("no journal\n")
    with pytest.raises(ValueError, match="no journal"):
        sartor.trials_dataframe(tmp_path / "other")
    (tmp_path / "empty").touch()
    assert sartor.trials_dataframe(tmp_path / "empty").empty


def first_trials(runtime: sartor.Runtime, journal, seed: int) -> list[str]:
    options = {"strategy": "random", "seed": seed, "most_trials": 12, "confirm_for": 0.01, "journal": journal}
    choices = {"rows": [4, 8, 16], "columns": [4, 8, 16, 32]}
    tuner = sartor.Explorer(
        runtime, sartor.Objective.value_of(lambda: time.monotonic()), choices=choices, sample_time=0.0005, **options
    )
    tuner.explore()
    table = of_the_strategy(tuner.trials_dataframe()).drop_duplicates("number")
    return [str(row) for row in table[["params_columns", "params_rows"]].itertuples(index=False)]


def test_a_seed_makes_a_named_strategy_another(runtime, tmp_path):
    ones = first_trials(runtime, tmp_path / "a", 1)
    assert ones == first_trials(runtime, tmp_path / "b", 1)
    assert ones != first_trials(runtime, tmp_path / "c", 2)


def test_another_name_of_the_workload_is_a_change(runtime):
    name = "day"
    asked = []

    def signature() -> str:
        asked.append(name)
        return name

    with explorer(runtime, signature=signature, detection_window=0.02) as tuner:
        tuner.start()
        until(lambda: tuner.explorations >= 1)
        before = tuner.explorations
        name = "night"
        until(lambda: "night" in asked and tuner.explorations > before)
    assert {"day", "night"} <= set(asked)


def test_at_the_end_of_a_block_it_has_stopped(runtime):
    with explorer(runtime, sample_time=0.002) as tuner:
        tuner.start()
        until(lambda: tuner.explorations > 0)
    tuner.start()  # requires that it does not run
    tuner.stop()


def until(condition) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
