# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A journal that is not what it was is told, and survived."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
import redis
from conftest import JOURNAL, opening
from optuna.trial import TrialState
from sartor_sidecar.session import Session
from sartor_sidecar.store import Access, Store


def session(store: str, name: str = "one") -> Session:
    made = Session(Store(Access(store)), name, 60, opening())
    made.study()
    return made


def tell_one(session: Session, score: float) -> None:
    (trial,) = session.ask(1)["trials"]
    assert session.tell({"id": trial["id"], "score": score}) == {"ok": True}


def eventually(session: Session, score: float) -> None:
    """Once what was lost is open again."""
    with pytest.raises(ConnectionError):
        session.ask(1)
    session.store._retry_at = 0.0
    tell_one(session, score)


@pytest.mark.parametrize("damage", ["", "no JSON", "[]", '{"op_code": 99}', '{"op_code": 5}'])
def test_what_comes_before_a_damaged_entry_is_kept(
    store: str, client: redis.Redis, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    writer = session(store)
    tell_one(writer, 1.0)
    entries = client.llen(JOURNAL)
    tell_one(writer, 2.0)
    client.lset(JOURNAL, entries, damage)  # the first of the second trial
    reader = session(store, "other")
    assert reader.best()["best"]["score"] == 1.0
    assert reader.best()["trials"] == 1
    assert "damaged" in caplog.text and f"entry {entries - 1} " in caplog.text
    (aside,) = client.keys("*:damaged:*")
    assert client.llen(aside) > entries
    tell_one(reader, 3.0)
    eventually(writer, 4.0)
    assert reader.best()["best"]["score"] == writer.best()["best"]["score"] == 4.0


@pytest.mark.parametrize("hours", [-9, 9])
def test_a_trial_without_a_holder_is_taken_after_a_lease_in_any_time_zone(
    store: str, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """The replica that has begun it, on a machine with another local time, has died."""
    other = session(store)
    study = other.study()
    number = study.ask(other.space.distributions).number
    trial = study.get_trials()[number]
    trial.datetime_start = datetime.now() + timedelta(hours=hours)

    def state() -> TrialState:
        with monkeypatch.context() as patch:
            patch.setattr(study, "get_trials", lambda **_: [trial])
            other.enqueue_expired(study)
        return study.get_trials()[number].state

    assert state() == TrialState.RUNNING
    other.unleased[number] -= 61  # the lease has 60 seconds
    assert state() == TrialState.FAIL


def test_an_emptied_journal_is_a_new_study(store: str, client: redis.Redis) -> None:
    writer = session(store)
    tell_one(writer, 7.0)
    client.delete(JOURNAL)
    eventually(writer, 1.0)
    assert writer.best()["trials"] == 1


def test_one_that_was_emptied_and_filled_again_is_not_taken_for_the_old_one(store: str, client: redis.Redis) -> None:
    reader = session(store, "reader")
    tell_one(reader, 7.0)
    client.delete(JOURNAL)
    writer = session(store, "writer")
    for score in range(5):
        tell_one(writer, score)
    eventually(reader, 1.0)
    assert reader.best()["trials"] == 6
    assert reader.best()["best"]["score"] == 4.0


def test_what_was_told_while_the_journal_was_lost_is_stored_once(store: str, client: redis.Redis) -> None:
    writer = session(store)
    (trial,) = writer.ask(1)["trials"]
    client.delete(JOURNAL)
    for kept in (1, 2):  # a client that has lost the answer sends it again
        assert writer.tell({"id": trial["id"], "score": 7.0, "error": 0.25})["kept"] == kept
    writer.store._retry_at = 0.0
    best = writer.best()
    assert best == {"best": {"configuration": trial["configuration"], "score": 7.0, "error": 0.25}, "trials": 1}


def test_nobody_is_handed_a_pickle(store: str, client: redis.Redis) -> None:
    writer = session(store)
    for i in range(40):
        trials = writer.ask(1)["trials"]
        if not trials:
            break
        writer.tell({"id": trials[0]["id"], "score": float(i)})
    assert client.keys("*") == [JOURNAL.encode()]
    assert all(json.loads(entry) for entry in client.lrange(JOURNAL, 1, -1))
