# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A store of the tests' own (scripts/stores.sh), and sessions as replicas have them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
import redis
from sartor_sidecar import store as stores

ROOT = Path(__file__).resolve().parents[3]
SIDECAR = ROOT / "bindings" / "sidecar"
STORES = ROOT / "scripts" / "stores.sh"
JOURNAL = "{sartor}:journal"
SPACE = {"dimensions": [{"label": f"T{i}", "settings": [4, 8, 16, 32]} for i in range(3)]}

optuna.logging.set_verbosity(optuna.logging.WARNING)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may stop a store for longer than a sidecar waits for an answer. Here it waits for a minute."""
    from_url = redis.Redis.from_url
    database = stores.RDBStorage

    def open_redis(url: str, **options: Any) -> redis.Redis:
        return from_url(url, **{**options, "socket_timeout": 60, "socket_connect_timeout": 60})

    def open_database(url: str, engine_kwargs: dict[str, Any]) -> stores.RDBStorage:
        if "connect_args" in engine_kwargs:
            patient = {"connect_timeout": 60, "options": "-c statement_timeout=60000 -c lock_timeout=60000"}
            engine_kwargs = {**engine_kwargs, "connect_args": patient}
        return database(url, engine_kwargs=engine_kwargs)

    monkeypatch.setattr(redis.Redis, "from_url", staticmethod(open_redis))
    monkeypatch.setattr(stores, "RDBStorage", open_database)


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty Redis, or of what the test names instead."""
    kind = getattr(request, "param", "redis")
    with tempfile.TemporaryDirectory(prefix="sartor-", dir="/tmp", ignore_cleanup_errors=True) as directory:
        start = [STORES, "start", kind, directory, str(os.getpid())]
        started = subprocess.run(start, check=True, stdout=subprocess.PIPE, text=True)
        try:
            yield started.stdout.strip()
        finally:
            subprocess.run([STORES, "stop", directory], check=True)


@pytest.fixture
def client(store: str) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=store.removeprefix("unix:")) as client:
        yield client


def opening(most_trials: int = 20, **more: Any) -> dict[str, Any]:
    return {"space": SPACE, "study": "s", "content": "c", "sampler": "random", "most_trials": most_trials, **more}
