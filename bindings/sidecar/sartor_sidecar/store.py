# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the study is kept: one of Optuna's storages."""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from sqlalchemy.engine import make_url

LOG = logging.getLogger("sartor.sidecar")
RETRY_AFTER = 1.0  # seconds


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


@dataclass(frozen=True)
class Access:
    """Where the storage is, and the files that prove who is who."""

    url: str
    password_file: Path | None = None
    ca_file: Path | None = None  # of PEM certificates, for rediss://

    def check(self) -> None:
        """Raises ValueError for a password in the URL, which other users could see, and as password() does."""
        parts = urlsplit(self.url)
        if parts.password is not None or "password" in parse_qs(parts.query):
            raise ValueError("the storage's URL has a password in it: give it in a file, with --password-file")
        self.password()

    def password(self) -> str | None:
        """The first line of the file, read each time. Raises ValueError where other users may read the file."""
        if self.password_file is None:
            return None
        try:
            with self.password_file.open(encoding="utf-8") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o077:
                    raise ValueError(f"{self.password_file}: must be a file of this user's or root's with mode 600")
                line = file.readline().rstrip("\n")
        except OSError as error:
            raise ValueError(f"{self.password_file}: {error.strerror}") from error
        if not line:
            raise ValueError(f"{self.password_file}: begins with an empty line")
        return line


def open_storage(access: Access) -> BaseStorage:
    """Raises whatever the storage does."""
    url = access.url
    if url.startswith("unix:/") and not url.startswith("unix://"):  # the format of Options::shared_cache
        url = url.replace("unix:", "unix://", 1)
    if url.startswith(("redis://", "rediss://", "unix://")):
        return _open_journal(url, access)
    password = access.password()
    if password is not None:
        url = make_url(url).set(password=password).render_as_string(hide_password=False)
    arguments: dict[str, Any] = {"pool_pre_ping": True}
    if url.startswith("postgresql"):
        arguments["connect_args"] = {"connect_timeout": 2, "options": "-c statement_timeout=5000 -c lock_timeout=5000"}
    return RDBStorage(url, engine_kwargs=arguments)


def _open_journal(url: str, access: Access) -> BaseStorage:
    import redis  # not needed for other storages

    from .journal import AnotherJournal, RedisJournal

    options: dict[str, Any] = {"password": access.password()}
    if url.startswith("rediss://"):
        options |= {"ssl_cert_reqs": "required", "ssl_check_hostname": True}
        if access.ca_file is not None:
            options["ssl_ca_certs"] = str(access.ca_file)
    for _ in range(3):
        journal = RedisJournal(url, "{sartor}:journal", **options)
        try:
            return JournalStorage(journal)
        except AnotherJournal:
            continue  # it has been repaired
        except (OSError, redis.RedisError):
            raise
        except Exception as error:  # caused by the entry that was returned last
            journal.cut(journal.read - 1, f"cannot be replayed: {error!r}")
    raise ConnectionError("the journal changes all the time")


class Store:
    """A storage that is made when it is needed, and made anew when it has failed. For many threads."""

    def __init__(self, access: Access) -> None:
        self.access = access
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
                    self._storage = open_storage(self.access)
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
