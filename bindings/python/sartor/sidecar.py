# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sidecar of a fleet: serves one Optuna study to native programs over a Unix socket.

    python -m sartor.sidecar --storage postgresql+psycopg2://user@/db?host=/run --socket /run/sartor.sock
    python -m sartor.sidecar --storage redis://127.0.0.1:6379/0 --socket /run/sartor.sock

One JSON object per line, an answer to each:

    {"open": {"space": {...}, "study": "name", "content": "key", "replica": "id",
              "sampler": "tpe", "seed": 1, "most_trials": 100}}            -> {"ok": true}
    {"ask": n}   -> {"trials": [{"id": 17, "configuration": {...}}], "done": false,
                     "running": 3}        done: all of the study's trials have begun; running: with others
    {"tell": {"id": 17, "score": 12.3, "error": 0.1}}                      -> {"ok": true}
    {"tell": {"id": 17, "failed": true}}       it could not be compiled, or run
    {"tell": {"id": 17, "refused": true}}      the space's constraints forbid it
    {"tell": {"configuration": {...}, "score": 12.3}}                      found without the store
    {"best": true}  -> {"best": {"configuration": {...}, "score": 12.3, "error": 0.1}, "trials": 7}

and {"error": "text"} wherever something is wrong. High scores are good.

Everything is kept in Optuna's own storage; this process can be lost at any time. A trial belongs to the
connection that asked for it. When that closes, the trial is failed and enqueued again for the next who
asks. For the case that the sidecar is lost too, a trial carries a lease, renewed while the connection
is open; whoever asks next fails and enqueues what has expired. (Optuna's heartbeat does not cover
ask-and-tell.) Leases compare the clocks of the machines.

Only Optuna and the driver of its storage are needed, not Sartor's native module.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import math
import os
import signal
import socket
import socketserver
import sys
import threading
import time
import warnings
import zlib
from collections import deque
from typing import Any, NamedTuple

if not __package__:  # run as a file: beside it lies a module of the name of Optuna's
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalRedisBackend
from optuna.trial import FrozenTrial, TrialState, create_trial

LOG = logging.getLogger("sartor.sidecar")
LONGEST_LINE = 16 << 20
MOST_KEPT = 100_000  # tells that wait for a lost store
MOST_REFUSED = 50  # proposals for each trial, where constraints forbid most of the space
MOST_ATTEMPTS = 3  # at a configuration whose replicas keep vanishing

Configuration = dict[str, Any]


class Space:
    """The places of a SearchSpace: for each dimension 0 for generic, or 1 + the index of a setting."""

    def __init__(self, description: Any) -> None:
        self.dimensions: dict[str, list[Any]] = {}
        self.distributions: dict[str, BaseDistribution] = {}
        for dimension in description["dimensions"]:
            label, settings = dimension["label"], dimension["settings"]
            self.dimensions[label] = settings
            self.distributions[label] = (
                IntDistribution(0, len(settings))
                if dimension.get("ordered", True)
                else CategoricalDistribution(list(range(len(settings) + 1)))
            )

    def configuration(self, place: dict[str, int]) -> Configuration:
        return {label: self.dimensions[label][at - 1] for label, at in place.items() if at > 0}

    def place(self, configuration: Configuration) -> dict[str, int]:
        for label in configuration:
            if label not in self.dimensions:
                raise ValueError(f"{label}: is no dimension of the space")
        return {
            label: settings.index(configuration[label]) + 1 if label in configuration else 0
            for label, settings in self.dimensions.items()
        }


class Journal(JournalRedisBackend):
    """Optuna's journal on Redis, as it is stored there, but for what takes snapshots: those are pickles, which
    would let whoever writes to the store run code here. Instead, many entries are read at a time."""

    CHUNK = 1000

    def read_logs(self, log_number_from: int):
        last = int(self._redis.get(f"{self._prefix}:log_number") or -1)
        if last < log_number_from - 1:
            raise ConnectionError("the journal has been emptied")
        for begin in range(log_number_from, last + 1, self.CHUNK):
            entries = range(begin, min(begin + self.CHUNK, last + 1))
            for entry in self._redis.mget([self._key_log_id(number) for number in entries]):
                if entry is None:
                    raise ConnectionError("the journal has lost an entry")
                yield json.loads(entry)

    def save_snapshot(self, snapshot: bytes) -> None:
        pass

    def load_snapshot(self) -> bytes | None:
        return None


def open_storage(url: str) -> BaseStorage:
    if url.startswith("unix:/") and not url.startswith("unix://"):  # as Options::shared_cache has it
        url = url.replace("unix:", "unix://", 1)
    if url.startswith(("redis://", "rediss://", "unix://")):
        separator = "&" if "?" in url else "?"
        timeouts = "socket_timeout=5&socket_connect_timeout=2"
        return JournalStorage(Journal(f"{url}{separator}{timeouts}", prefix="{sartor}:study"))
    arguments: dict[str, Any] = {"pool_pre_ping": True}
    if url.startswith("postgresql"):
        arguments["connect_args"] = {"connect_timeout": 2, "options": "-c statement_timeout=5000 -c lock_timeout=5000"}
    return RDBStorage(url, engine_kwargs=arguments)


def make_sampler(name: str, seed: int) -> optuna.samplers.BaseSampler:
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed, constant_liar=True)
    if name == "cmaes":
        return optuna.samplers.CmaEsSampler(seed=seed)
    if name == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    raise ValueError(f"there is no sampler {name}: tpe, cmaes, random")


class Store:
    """Optuna's storage, made when it is needed and made anew when it has failed."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._storage: BaseStorage | None = None
        self._retry_at = 0.0
        self.generation = 0

    def get(self) -> BaseStorage:
        with self._lock:
            if self._storage is None:
                if time.monotonic() < self._retry_at:
                    raise ConnectionError("the store cannot be reached")
                try:
                    self._storage = open_storage(self.url)
                except BaseException:
                    self._retry_at = time.monotonic() + 1
                    raise
                self.generation += 1
            return self._storage

    def lost(self, why: BaseException) -> None:
        """What was seen of the store may not be so any more: everything is read again."""
        with self._lock:
            if self._storage is None:
                return
            LOG.warning("the store is lost: %s", first_line(why))
            storage, self._storage = self._storage, None
            self._retry_at = time.monotonic() + 1
        with contextlib.suppress(Exception):
            if isinstance(storage, RDBStorage):
                storage.engine.dispose()


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def mean_score(trials: list[FrozenTrial]) -> float:
    return sum(trial.value or 0.0 for trial in trials) / len(trials)


class WrongStudy(Exception):
    """What was asked for does not fit the study; the store is well."""


class Held(NamedTuple):
    """A trial that a replica has."""

    trial_id: int
    params: dict[str, int]


class Session:
    """What one connection does with a study. Its methods are called from the connection's thread and the
    caretaker's, one at a time."""

    def __init__(self, store: Store, lease: float, request: dict[str, Any]) -> None:
        self.lock = threading.RLock()
        self.store = store
        self.lease = lease
        self.description = request["space"]
        self.space = Space(self.description)
        self.name = f"{request['study']}/{request['content']}"
        self.replica = str(request.get("replica", ""))
        self.most_trials = int(request.get("most_trials", 100))
        # Each replica draws its own, or all would begin alike.
        seed = (int(request.get("seed", 1)) * 1_000_003 + zlib.crc32(self.replica.encode())) % 2**32
        self.sampler = make_sampler(request.get("sampler", "tpe"), seed)
        self.held: dict[int, Held] = {}  # trials that this replica has, by number
        self.kept: deque[dict[str, Any]] = deque(maxlen=MOST_KEPT)
        self.renewed = time.monotonic()
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
        return self._study

    @contextlib.contextmanager
    def storing(self):
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
            trials = study.get_trials(deepcopy=False)
            self.enqueue_expired(study, trials)
            begun = sum(trial.state not in (TrialState.WAITING, TrialState.PRUNED) for trial in trials)
            done = begun >= self.most_trials or len(trials) > MOST_REFUSED * self.most_trials
            proposals: list[dict[str, Any]] = []
            for _ in range(0 if done else max(0, min(count, self.most_trials - begun, 64))):
                trial = study.ask(self.space.distributions)
                trial.set_user_attr("replica", self.replica)
                trial.set_user_attr("lease", time.time() + self.lease)
                self.held[trial.number] = Held(trial._trial_id, trial.params)
                proposals.append({"id": trial.number, "configuration": self.space.configuration(trial.params)})
            running = sum(trial.state == TrialState.RUNNING and trial.number not in self.held for trial in trials)
            return {"trials": proposals, "done": done, "running": running}

    def enqueue_expired(self, study: optuna.Study, trials: list[FrozenTrial]) -> None:
        now = time.time()
        for trial in trials:
            if trial.state != TrialState.RUNNING or trial.number in self.held:
                continue
            # One without a lease was begun by somebody who died before it could be given one.
            begun = trial.datetime_start.timestamp() if trial.datetime_start else now
            if trial.user_attrs.get("lease", begun + self.lease) < now:
                self.enqueue(study, trial)

    def enqueue(self, study: optuna.Study, trial: FrozenTrial) -> None:
        try:
            if not study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL):
                return
        except optuna.exceptions.UpdateFinishedTrialError:
            return  # somebody else was faster
        attempt = trial.user_attrs.get("attempt", 1)
        if attempt < MOST_ATTEMPTS and trial.params:
            LOG.info("trial %d of %s is enqueued again", trial.number, self.name)
            study.enqueue_trial(trial.params, user_attrs={"attempt": attempt + 1})

    # Telling

    def tell(self, told: dict[str, Any]) -> dict[str, Any]:
        if not (told.get("failed") or told.get("refused")):
            score = told.get("score")
            if not isinstance(score, (int, float)) or not math.isfinite(score):
                raise ValueError("the score is no number")
        if "configuration" in told:
            self.space.place(told["configuration"])
        elif told.get("id") not in self.held:
            raise ValueError(f"trial {told.get('id')} was not asked for here, or has been told")
        self.kept.append(told)
        try:
            with self.storing():
                self.flush()
        except ConnectionError:
            return {"ok": True, "kept": len(self.kept)}
        return {"ok": True}

    def flush(self) -> None:
        while self.kept:
            study = self.study()
            told = self.kept[0]
            held = self.held.get(told["id"]) if "id" in told else None
            self.write(study, told, held)
            self.kept.popleft()
            self.held.pop(told.get("id"), None)

    def write(self, study: optuna.Study, told: dict[str, Any], held: Held | None) -> None:
        state = (
            TrialState.FAIL if told.get("failed") else TrialState.PRUNED if told.get("refused") else TrialState.COMPLETE
        )
        score, error = told.get("score"), told.get("error", 0.0)
        if held and self.is_ours(study, held):
            with contextlib.suppress(optuna.exceptions.UpdateFinishedTrialError):
                if error:
                    study._storage.set_trial_user_attr(held.trial_id, "error", error)
                values = [score] if state == TrialState.COMPLETE else None
                study._storage.set_trial_state_values(held.trial_id, state, values)
                return
        # Found alone; or its lease ran out, or the store has forgotten it. The result holds all the same.
        if state == TrialState.COMPLETE:
            self.add(study, held.params if held else self.space.place(told["configuration"]), score, error)

    @staticmethod
    def is_ours(study: optuna.Study, held: Held) -> bool:
        """Not if the store has forgotten the trial and given its number to another."""
        try:
            trial = study._storage.get_trial(held.trial_id)
        except KeyError:
            return False
        return trial.state == TrialState.RUNNING and trial.params == held.params

    def add(self, study: optuna.Study, place: dict[str, int], score: float, error: float) -> None:
        study.add_trial(
            create_trial(
                value=score,
                params=place,
                distributions=self.space.distributions,
                user_attrs={"replica": self.replica, "error": error},
            )
        )

    # The rest

    def best(self) -> dict[str, Any]:
        with self.storing():
            self.flush()
            trials = self.study().get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if not trials:
                return {"best": None, "trials": 0}
            measured: dict[tuple[Any, ...], list[FrozenTrial]] = {}  # what was tried again counts once
            for trial in trials:
                measured.setdefault(tuple(sorted(trial.params.items())), []).append(trial)
            best = max(measured.values(), key=mean_score)
            error = math.hypot(*(trial.user_attrs.get("error", 0.0) for trial in best)) / len(best)
            configuration = self.space.configuration(best[0].params)
            return {
                "best": {"configuration": configuration, "score": mean_score(best), "error": error},
                "trials": len(trials),
            }

    def take_care(self) -> None:
        """Renews leases, and sends what was kept."""
        with self.storing():
            self.flush()
            if self.held and time.monotonic() - self.renewed > self.lease / 3:
                self.renewed = time.monotonic()
                study = self.study()
                for held in list(self.held.values()):
                    with contextlib.suppress(optuna.exceptions.UpdateFinishedTrialError):
                        if self.is_ours(study, held):
                            study._storage.set_trial_user_attr(held.trial_id, "lease", time.time() + self.lease)

    def close(self) -> None:
        """The replica has gone: what it had is for others."""
        with self.storing():
            self.flush()
            if self.held:
                study = self.study()
                for held in list(self.held.values()):
                    if self.is_ours(study, held):
                        self.enqueue(study, study._storage.get_trial(held.trial_id))
                self.held.clear()


class Connection(socketserver.StreamRequestHandler):
    server: Sidecar

    def handle(self) -> None:
        session: Session | None = None
        try:
            while line := self.rfile.readline(LONGEST_LINE):
                answer: dict[str, Any]
                try:
                    request = json.loads(line)
                    if not isinstance(request, dict):
                        raise ValueError("is no JSON object")
                    if "open" in request:
                        if session:
                            self.server.leave(session)
                        session = None
                        session = self.server.join(request["open"])
                        answer = {"ok": True}
                    elif session is None:
                        raise ValueError("nothing is open")
                    else:
                        answer = self.serve(session, request)
                except (ValueError, KeyError, TypeError, WrongStudy) as error:
                    answer = {"error": f"{type(error).__name__}: {first_line(error)}"}
                except Exception as error:  # of the store, most of them
                    answer = {"error": first_line(error)}
                self.wfile.write(json.dumps(answer).encode() + b"\n")
        except OSError:
            pass  # the replica is gone
        finally:
            if session:
                self.server.leave(session)

    @staticmethod
    def serve(session: Session, request: dict[str, Any]) -> dict[str, Any]:
        with session.lock:
            if "ask" in request:
                return session.ask(int(request["ask"]))
            if "tell" in request:
                return session.tell(request["tell"])
            if "best" in request:
                return session.best()
        raise ValueError("neither open, ask, tell nor best")


class Sidecar(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, storage: str, lease: float) -> None:
        self.store = Store(storage)
        self.lease = lease
        self.lock = threading.Lock()
        self.sessions: list[Session] = []
        self.left: list[Session] = []  # whose last words could not be stored yet
        with contextlib.suppress(FileNotFoundError):
            if not is_served(path):
                os.unlink(path)
        mask = os.umask(0o077)
        try:
            super().__init__(path, Connection)
        finally:
            os.umask(mask)
        threading.Thread(target=self.take_care, daemon=True).start()

    def join(self, request: dict[str, Any]) -> Session:
        session = Session(self.store, self.lease, request)
        with session.storing():
            session.study()
        with self.lock:
            self.sessions.append(session)
        return session

    def leave(self, session: Session) -> None:
        with self.lock:
            self.sessions.remove(session)
        self.close_session(session)

    def close_session(self, session: Session) -> None:
        try:
            with session.lock:
                session.close()
        except Exception:
            with self.lock:
                self.left.append(session)

    def take_care(self) -> None:
        while True:
            time.sleep(min(1.0, self.lease / 6))
            with self.lock:
                sessions, left, self.left = list(self.sessions), self.left, []
            for session in sessions:
                with contextlib.suppress(Exception), session.lock:
                    session.take_care()
            for session in left:
                self.close_session(session)

    def handle_error(self, request: Any, client_address: Any) -> None:
        LOG.exception("a connection failed")


def is_served(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sartor.sidecar", description="Serves a fleet's study.")
    parser.add_argument("--storage", required=True, help="postgresql+psycopg2://... or redis://... or unix:///...")
    parser.add_argument("--socket", required=True, help="where replicas reach the sidecar")
    parser.add_argument("--lease", type=float, default=60, help="seconds until a lost trial is given to others")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s", level=logging.INFO)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # the journal on Redis
    sidecar = Sidecar(arguments.socket, arguments.storage, arguments.lease)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        sidecar.serve_forever()
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(arguments.socket)


if __name__ == "__main__":
    main()
