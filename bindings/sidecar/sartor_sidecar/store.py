# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the study is kept: one of Optuna's storages."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from optuna.storages import BaseStorage, JournalStorage, RDBStorage

LOG = logging.getLogger("sartor.sidecar")
RETRY_AFTER = 1.0  # seconds


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def open_storage(url: str) -> BaseStorage:
    """Raises whatever the storage does."""
    if url.startswith("unix:/") and not url.startswith("unix://"):  # as Options::shared_cache has it
        url = url.replace("unix:", "unix://", 1)
    if url.startswith(("redis://", "rediss://", "unix://")):
        return _open_journal(url)
    arguments: dict[str, Any] = {"pool_pre_ping": True}
    if url.startswith("postgresql"):
        arguments["connect_args"] = {"connect_timeout": 2, "options": "-c statement_timeout=5000 -c lock_timeout=5000"}
    return RDBStorage(url, engine_kwargs=arguments)


def _open_journal(url: str) -> BaseStorage:
    import redis  # not needed for other storages

    from .journal import AnotherJournal, RedisJournal

    for _ in range(3):
        journal = RedisJournal(url, "{sartor}:journal")
        try:
            return JournalStorage(journal)
        except AnotherJournal:
            continue  # it has been mended
        except (OSError, redis.RedisError):
            raise
        except Exception as error:  # of the entry that was handed out last
            journal.cut(journal.read - 1, f"cannot be replayed: {error!r}")
    raise ConnectionError("the journal changes all the time")


class Store:
    """A storage that is made when it is needed, and made anew when it has failed. For many threads."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._storage: BaseStorage | None = None
        self._retry_at = 0.0
        self.generation = 0  # of the storage

    def get(self) -> BaseStorage:
        """Raises ConnectionError where it has just failed, else what the storage does."""
        with self._lock:
            if self._storage is None:
                if time.monotonic() < self._retry_at:
                    raise ConnectionError("the store cannot be reached")
                try:
                    self._storage = open_storage(self.url)
                except BaseException:
                    self._retry_at = time.monotonic() + RETRY_AFTER
                    raise
                self.generation += 1
            return self._storage

    def lost(self, why: BaseException) -> None:
        """What was seen of the store may not be so any more: everything is read again."""
        with self._lock:
            if self._storage is None:
                return
            LOG.warning("the store is lost: %s", first_line(why))
            self._storage = None
            self._retry_at = time.monotonic() + RETRY_AFTER
