# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The budget of a study is that of all replicas together, whatever happens to some of them."""

from __future__ import annotations

import threading
import time
from typing import Any

import optuna
import pytest
from conftest import opening
from sartor_sidecar.session import Session
from sartor_sidecar.store import Access, Store


each_store = pytest.mark.parametrize("store", ["redis", "postgres"], indirect=True)


def session(store: str, name: str, most_trials: int, lease: float = 60) -> Session:
    """Of a sidecar of its own."""
    made = Session(Store(Access(store)), name, lease, opening(most_trials, replica=name))
    made.study()
    return made


def ask_all(session: Session) -> list[dict[str, Any]]:
    """Until all have begun; none is told."""
    asked: list[dict[str, Any]] = []
    while not (answer := session.ask(1))["done"] or answer["trials"]:
        asked += answer["trials"]
    return asked


@each_store
def test_sidecars_that_ask_at_once_begin_no_more_than_there_are(store: str) -> None:
    sessions = [session(store, f"sidecar {i}", 12) for i in range(6)]
    asked: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda one=one: asked.extend(ask_all(one))) for one in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 12


@each_store
def test_the_last_place_is_taken_once_however_two_are_interleaved(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one asks after the other has looked, and before it has begun."""
    first, second = session(store, "first", 1), session(store, "second", 1)
    answers = []
    ask = optuna.Study.ask

    def ask_between(study: optuna.Study, *arguments: Any) -> optuna.Trial:
        monkeypatch.setattr(optuna.Study, "ask", ask)
        answers.append(second.ask(1))
        return ask(study, *arguments)

    monkeypatch.setattr(optuna.Study, "ask", ask_between)
    answers.append(first.ask(1))
    assert [len(answer["trials"]) for answer in answers] == [1, 0]
    assert [answer["done"] for answer in answers] == [True, True]


def test_a_trial_whose_replica_was_lost_counts_once(store: str) -> None:
    lost, other = session(store, "lost", 5), session(store, "other", 5)
    (held,) = lost.ask(1)["trials"]
    lost.close()
    asked = ask_all(other)
    assert len(asked) == 5
    assert held["configuration"] in [trial["configuration"] for trial in asked]


@each_store
def test_a_trial_whose_sidecar_was_lost_counts_once_and_so_does_its_late_result(store: str) -> None:
    lost, other = session(store, "lost", 3, lease=0.2), session(store, "other", 3)
    (held,) = lost.ask(1)["trials"]
    time.sleep(0.3)
    asked = other.ask(1)["trials"]
    assert [trial["configuration"] for trial in asked] == [held["configuration"]]
    assert lost.tell({"id": held["id"], "score": 5.0, "error": 0.5}) == {"ok": True}
    assert other.best()["best"] == {"configuration": held["configuration"], "score": 5.0, "error": 0.5}
    assert len(ask_all(other)) == 2


def test_one_that_is_lost_again_and_again_is_given_up(store: str) -> None:
    for i in range(3):
        lost = session(store, f"lost {i}", 1)
        assert len(lost.ask(1)["trials"]) == 1
        lost.close()
    assert session(store, "other", 1).ask(1) == {"trials": [], "done": True, "running": 0}


def test_what_is_no_number_is_refused_and_harms_nobody(store: str) -> None:
    only = session(store, "only", 2)
    (trial,) = only.ask(1)["trials"]
    for wrong in ({"score": "7"}, {"score": float("nan")}, {"score": 7, "error": "1"}, {"score": 7, "error": None}):
        with pytest.raises(ValueError):
            only.tell({"id": trial["id"], **wrong})
    with pytest.raises(ValueError):
        only.tell({"id": [1], "score": 7, "configuration": trial["configuration"]})
    assert only.tell({"id": trial["id"], "score": 7}) == {"ok": True}
    assert only.best()["best"]["score"] == 7.0


def test_refused_trials_are_not_counted(store: str) -> None:
    only = session(store, "only", 2)
    for _ in range(5):
        (trial,) = only.ask(1)["trials"]
        only.tell({"id": trial["id"], "refused": True})
    assert len(ask_all(only)) == 2
