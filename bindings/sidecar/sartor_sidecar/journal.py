# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optuna's journal on Redis, in one list.

One list instead of a key for each entry (as Optuna's own backend for Redis has it): several entries are
read in one command, and none can be missing between others. Its first element names the journal, so
that one which was emptied, restored or mended meanwhile is never taken for the one that was read.
Snapshots are not kept: those are pickles, which would let whoever writes to the store run code here.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import redis
from optuna.storages.journal import BaseJournalBackend
from redis.backoff import NoBackoff
from redis.retry import Retry

LOG = logging.getLogger("sartor.sidecar")
CHUNK = 1000  # entries that are read at once

# KEYS: the journal. ARGV: its expected name, a name for a new one, entries. Atomic.
_APPEND = """
local name = redis.call('LINDEX', KEYS[1], 0)
if ARGV[1] ~= '' and name ~= ARGV[1] then return '' end
if not name then
  name = ARGV[2]
  redis.call('RPUSH', KEYS[1], name)
end
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
return name
"""
# KEYS: the journal, and the key of the copy. ARGV: its name, its new name, the number of entries to keep.
_CUT = """
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then return 0 end
redis.call('COPY', KEYS[1], KEYS[2])
local lost = redis.call('LLEN', KEYS[1]) - 1 - ARGV[3]
redis.call('LTRIM', KEYS[1], 0, ARGV[3])
redis.call('LSET', KEYS[1], 0, ARGV[2])
return lost
"""


class AnotherJournal(ConnectionError):
    """The journal is not the one that was read before: all must be read again."""


class RedisJournal(BaseJournalBackend):
    """May be used by many processes and threads. Raises redis.RedisError, and AnotherJournal."""

    def __init__(self, url: str, key: str, **options: Any) -> None:
        """`options` go to the client of Redis, in addition to those in the URL."""
        # A silent retry would write twice.
        self._store: Any = redis.Redis.from_url(
            url,
            socket_timeout=5,
            socket_connect_timeout=2,
            retry=Retry(NoBackoff(), 0),
            decode_responses=True,
            **options,
        )
        self._key = key
        self._name = ""  # of the journal; empty until there is one
        self.read = 0  # entries that were returned last

    def read_logs(self, log_number_from: int) -> Iterator[dict[str, Any]]:
        self.read = log_number_from
        while True:
            both = self._store.pipeline(transaction=True)
            both.lindex(self._key, 0)
            both.lrange(self._key, self.read + 1, self.read + CHUNK)
            name, entries = both.execute()
            if self._name and name != self._name:
                raise AnotherJournal("the journal is another one now")
            self._name = name or ""
            for entry in entries:
                try:
                    operation = json.loads(entry)
                    operation["op_code"]
                except (ValueError, TypeError, KeyError, IndexError) as error:
                    self.cut(self.read, f"is no entry: {error!r}")
                    raise AnotherJournal("the journal was damaged") from error
                self.read += 1
                yield operation
            if len(entries) < CHUNK:
                return

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        entries = [json.dumps(log) for log in logs]
        name = self._store.eval(_APPEND, 1, self._key, self._name, uuid.uuid4().hex, *entries)
        if not name:
            raise AnotherJournal("the journal is another one now")
        self._name = name

    def cut(self, at: int, why: str) -> None:
        """Entry `at` and all after it are set aside: what follows would be taken for other trials'."""
        aside = f"{self._key}:damaged:{self._name}"
        lost = self._store.eval(_CUT, 2, self._key, aside, self._name, uuid.uuid4().hex, at)
        if lost:
            LOG.error("entry %d of the journal %s; %d are lost from there on; all are kept as %s", at, why, lost, aside)
