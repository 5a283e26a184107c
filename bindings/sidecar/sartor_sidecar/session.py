# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one connection does with a study."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState, create_trial

from . import budget
from .space import Configuration, Place, Space
from .store import Store, first_line

LOG = logging.getLogger("sartor.sidecar")
MOST_KEPT = 100_000  # results that wait for a lost store
MOST_REFUSED = 50  # proposals for each trial, if constraints forbid most of the space
MOST_ATTEMPTS = 3  # for a configuration whose replicas keep vanishing
MOST_AT_ONCE = 64


class WrongStudy(Exception):
    """What was asked for does not fit the study; the store is well."""


class Held(NamedTuple):
    """A trial that a replica has."""

    trial: optuna.Trial
    generation: int  # of the storage that `trial` belongs to
    params: Place
    root: int


def make_sampler(name: str, seed: int) -> optuna.samplers.BaseSampler:
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed, constant_liar=True)
    if name == "cmaes":
        return optuna.samplers.CmaEsSampler(seed=seed)
    if name == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    raise ValueError(f"there is no sampler {name}: tpe, cmaes, random")


def finish(study: optuna.Study, number: int, state: TrialState, score: float | None = None) -> bool:
    """False if somebody else was faster."""
    try:
        study.tell(number, score, state)
    except (UpdateFinishedTrialError, ValueError):  # ValueError: it does not run
        return False
    return True


def mean_score(trials: list[FrozenTrial]) -> float:
    return sum(trial.value or 0.0 for trial in trials) / len(trials)


class Session:
    """Its methods are called from the connection's thread and the caretaker's, one at a time.

    `holder` names the sidecar. Trials carry it, and the study has a lease for each holder, which it
    renews as long as it lives.
    """

    def __init__(self, store: Store, holder: str, lease: float, request: dict[str, Any]) -> None:
        self.lock = threading.RLock()
        self.store = store
        self.holder = holder
        self.lease = lease
        self.description = request["space"]
        self.space = Space(self.description)
        self.name = f"{request['study']}/{request['content']}"
        self.replica = str(request.get("replica", ""))
        self.most_trials = int(request.get("most_trials", 100))
        # Each replica draws with its own seed, otherwise all would begin alike.
        seed = (int(request.get("seed", 1)) * 1_000_003 + zlib.crc32(self.replica.encode())) % 2**32
        self.sampler = make_sampler(request.get("sampler", "tpe"), seed)
        self.held: dict[int, Held] = {}  # trials that this replica holds, by number
        self.unleased: dict[int, float] = {}  # when trials without a lease were first seen, by number
        self.kept: deque[dict[str, Any]] = deque(maxlen=MOST_KEPT)
        self.renewed = -math.inf
        self._study: optuna.Study | None = None
        self._generation = -1

    def study(self) -> optuna.Study:
        storage = self.store.get()
        if self._study is None or self._generation != self.store.generation:
            generation = self.store.generation
            study = optuna.create_study(
                storage=storage, study_name=self.name, sampler=self.sampler, direction="maximize", load_if_exists=True
            )
            space = study.user_attrs.get("space")
            if space is None:
                study.set_user_attr("space", self.description)
            elif space != self.description:
                raise WrongStudy(f"the study {self.name} has another space")
            self._study, self._generation = study, generation
            self.renewed = -math.inf
        return self._study

    @contextlib.contextmanager
    def storing(self) -> Iterator[None]:
        """Whatever the storage throws means that it is lost, but for what is said to be our mistake."""
        try:
            yield
        except (WrongStudy, ValueError):
            raise
        except Exception as error:
            self.store.lost(error)
            raise ConnectionError(f"the store: {first_line(error)}") from error

    # Asking

    def ask(self, count: int) -> dict[str, Any]:
        with self.storing():
            study = self.study()
            self.flush()
            self.enqueue_expired(study)
            trials = study.get_trials(deepcopy=False)
            proposals: list[dict[str, Any]] = []
            while not self.is_done(trials) and len(proposals) < min(count, MOST_AT_ONCE):
                trial = self.begin(study)
                trials = study.get_trials(deepcopy=False)
                if budget.is_within(trials, trials[trial.number], self.most_trials):
                    configuration = self.space.configuration(trial.params)
                    proposals.append({"id": trial.number, "configuration": configuration})
                    continue
                finish(study, trial.number, TrialState.PRUNED)
                del self.held[trial.number]
                trials = study.get_trials(deepcopy=False)
            running = sum(trial.state == TrialState.RUNNING and trial.number not in self.held for trial in trials)
            return {"trials": proposals, "done": self.is_done(trials), "running": running}

    def is_done(self, trials: list[FrozenTrial]) -> bool:
        return budget.is_used_up(trials, self.most_trials) or len(trials) > MOST_REFUSED * self.most_trials

    def begin(self, study: optuna.Study) -> optuna.Trial:
        self.renew(study)
        trial = study.ask(self.space.distributions)
        root = trial.user_attrs.get("root", trial.number)
        self.held[trial.number] = Held(trial, self._generation, trial.params, root)
        trial.set_user_attr("holder", self.holder)
        trial.set_user_attr("replica", self.replica)
        return trial

    def renew(self, study: optuna.Study) -> None:
        if time.monotonic() - self.renewed > self.lease / 3:
            study.set_user_attr(f"lease {self.holder}", time.time() + self.lease)
            self.renewed = time.monotonic()

    def enqueue_expired(self, study: optuna.Study) -> None:
        running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        others = [trial for trial in running if trial.user_attrs.get("holder") != self.holder]
        leases = study.user_attrs if others else {}
        for trial in others:
            until = leases.get(f"lease {trial.user_attrs.get('holder')}")
            if self.is_abandoned(trial) if until is None else until < time.time():
                self.enqueue(study, trial)

    def is_abandoned(self, trial: FrozenTrial) -> bool:
        """Of a trial without a lease: it was begun by a replica that may have died before it could be assigned.

        Optuna's times of trials are local times of another machine, so that they cannot be compared.
        """
        seen = self.unleased.setdefault(trial.number, time.monotonic())
        return time.monotonic() - seen > self.lease

    def enqueue(self, study: optuna.Study, trial: FrozenTrial) -> None:
        attempt = trial.user_attrs.get("attempt", 1)
        if finish(study, trial.number, TrialState.FAIL) and attempt < MOST_ATTEMPTS and trial.params:
            LOG.info("trial %d of %s is enqueued again", trial.number, self.name)
            study.enqueue_trial(trial.params, user_attrs={"attempt": attempt + 1, "root": budget.root(trial)})

    # Telling

    def tell(self, reported: dict[str, Any]) -> dict[str, Any]:
        if not (reported.get("failed") or reported.get("refused")):
            for number in (reported.get("score"), reported.get("error", 0.0)):
                if not isinstance(number, (int, float)) or not math.isfinite(number):
                    raise ValueError("the score or its error is no number")
        if "id" in reported and type(reported["id"]) is not int:
            raise ValueError("the trial's id is no integer")
        if "configuration" in reported:
            self.space.place(reported["configuration"])
        elif reported.get("id") not in self.held:
            raise ValueError(f"trial {reported.get('id')} was not asked for here, or has been reported")
        self.kept.append(reported)
        try:
            with self.storing():
                self.flush()
        except ConnectionError:
            return {"ok": True, "kept": len(self.kept)}
        return {"ok": True}

    def flush(self) -> None:
        while self.kept:
            study = self.study()
            reported = self.kept[0]
            if "id" in reported:
                if held := self.held.get(reported["id"]):  # otherwise it was reported twice
                    self.write(study, reported, held)
            elif not (reported.get("failed") or reported.get("refused")):
                self.add(study, reported, self.space.place(reported["configuration"]))
            self.kept.popleft()
            self.held.pop(reported.get("id", -1), None)

    def write(self, study: optuna.Study, reported: dict[str, Any], held: Held) -> None:
        number = reported["id"]
        ours = self.is_ours(study, number, held)
        if reported.get("failed") or reported.get("refused"):
            if ours:
                finish(study, number, TrialState.FAIL if reported.get("failed") else TrialState.PRUNED)
            return
        # A trial of a storage that was lost meanwhile cannot be given its error: another takes its place.
        if ours and held.generation == self._generation:
            if reported.get("error"):
                with contextlib.suppress(UpdateFinishedTrialError):
                    held.trial.set_user_attr("error", reported["error"])
            if finish(study, number, TrialState.COMPLETE, reported["score"]):
                return
        elif ours:
            finish(study, number, TrialState.FAIL)
        # Or its lease ran out, or the store has forgotten it. The result is valid all the same.
        self.add(study, reported, held.params, root=held.root)

    def is_ours(self, study: optuna.Study, number: int, held: Held) -> bool:
        """Not if somebody else has ended it, or the store has forgotten it and given its number away."""
        trials = study.get_trials(deepcopy=False)
        if number >= len(trials):
            return False
        trial = trials[number]
        mine = trial.user_attrs.get("holder") == self.holder and trial.params == held.params
        return mine and trial.state == TrialState.RUNNING

    def add(self, study: optuna.Study, reported: dict[str, Any], place: Place, **attributes: int) -> None:
        attributes_ = {"replica": self.replica, "error": reported.get("error", 0.0), **attributes}
        study.add_trial(
            create_trial(
                value=reported["score"],
                params=place,
                distributions=self.space.distributions,
                user_attrs=attributes_,
            )
        )

    # The rest

    def best(self) -> dict[str, Any]:
        with self.storing():
            self.flush()
            trials = self.study().get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if not trials:
                return {"best": None, "trials": 0}
            measured: dict[tuple[Any, ...], list[FrozenTrial]] = {}  # repeated trials count once
            for trial in trials:
                measured.setdefault(tuple(sorted(trial.params.items())), []).append(trial)
            best = max(measured.values(), key=mean_score)
            error = math.hypot(*(trial.user_attrs.get("error", 0.0) for trial in best)) / len(best)
            configuration: Configuration = self.space.configuration(best[0].params)
            return {
                "best": {"configuration": configuration, "score": mean_score(best), "error": error},
                "trials": len(trials),
            }

    def take_care(self) -> None:
        """Renews the lease, and sends what was kept."""
        with self.storing():
            self.flush()
            if self.held:
                self.renew(self.study())

    def close(self) -> None:
        """The replica has gone: what it had is for others."""
        with self.storing():
            self.flush()
            for number, held in list(self.held.items()):
                study = self.study()
                if self.is_ours(study, number, held):
                    self.enqueue(study, study.get_trials(deepcopy=False)[number])
                del self.held[number]
