# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sidecar's socket.

    sartor-sidecar --storage postgresql+psycopg2://user@/db?host=/run --socket /run/sartor.sock
    sartor-sidecar --storage redis://127.0.0.1:6379/0 --socket /run/sartor.sock

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

Everything is kept in Optuna's storage; this process can be lost at any time. A trial belongs to the
connection that asked for it. When that closes, the trial is failed and enqueued again for the next who
asks. For the case that the sidecar is lost too, each sidecar has a lease in the study, renewed while a
connection has a trial; whoever asks next fails and enqueues trials of one whose lease has expired.
(Optuna's heartbeat does not cover ask-and-tell.) Leases compare the clocks of the machines.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import logging
import os
import signal
import socket
import socketserver
import stat
import sys
import threading
import time
import uuid
import warnings
from pathlib import Path
from typing import Any

import optuna

from .session import Session, WrongStudy
from .store import Access, Store, first_line

LOG = logging.getLogger("sartor.sidecar")
LONGEST_LINE = 16 << 20


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
                except Exception as error:  # most errors come from the store
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
    """Listens at `path`, for its own user. Raises OSError where that cannot be."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, storage: Access, lease: float) -> None:
        self.store = Store(storage)
        self.lease = lease
        self.holder = uuid.uuid4().hex
        self.lock = threading.Lock()
        self.sessions: list[Session] = []
        self.left: list[Session] = []  # sessions whose last results could not be stored yet
        self.identity: Identity | None = None
        remove_stale(path)
        # The file gets its name once the socket listens: who finds it may connect, and no other sidecar takes
        # it for the socket of a process that has ended.
        made = os.path.join(os.path.dirname(path), f".{uuid.uuid4().hex[:8]}")
        mask = os.umask(0o077)
        try:
            super().__init__(made, Connection)
        finally:
            os.umask(mask)
        try:
            os.link(made, path, follow_symlinks=False)  # replaces nothing
        except OSError:
            super().server_close()
            raise
        finally:
            os.unlink(made)
        self.server_address = path
        self.identity = identity_of(path)
        threading.Thread(target=self.take_care, daemon=True).start()

    def join(self, request: dict[str, Any]) -> Session:
        session = Session(self.store, self.holder, self.lease, request)
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

    def server_close(self) -> None:
        """Removes the socket's file too, if it is still the one that this sidecar made."""
        super().server_close()
        path = str(self.server_address)
        if identity_of(path) == self.identity:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        LOG.exception("a connection failed")


Identity = tuple[int, int, int, int]


def identity_of(path: str) -> Identity | None:
    """What tells a file from others, also from one that has its inode after it."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode), status.st_mtime_ns


def remove_stale(path: str) -> None:
    """Removes the socket of a process that has ended. Raises OSError, and leaves the file as it is,
    where there is anything else."""
    there = identity_of(path)
    if there is None:
        return
    if not stat.S_ISSOCK(there[2]):
        raise FileExistsError(errno.EEXIST, "is no socket and is left as it is", path)
    if is_served(path):
        raise OSError(errno.EADDRINUSE, "another process listens on this socket", path)
    # Another file may get that name meanwhile. So the file is moved away, and moved back if it is not the
    # socket that was checked.
    aside = f"{path}.{uuid.uuid4().hex[:8]}"
    os.rename(path, aside)
    if identity_of(aside) == there:
        os.unlink(aside)
    else:
        os.link(aside, path, follow_symlinks=False)  # replaces nothing
        os.unlink(aside)
        raise FileExistsError(errno.EEXIST, "was replaced by another process", path)


def is_served(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="sartor-sidecar", description="Serves a fleet's study.")
    storages = "postgresql+psycopg2://USER@..., redis://USER@..., rediss://... or unix:/..."
    parser.add_argument("--storage", required=True, help=storages)
    parser.add_argument("--password-file", type=Path, help="a file with the storage's password, of mode 600")
    parser.add_argument("--ca-file", type=Path, help="PEM certificates of the CAs for rediss://; default: the system's")
    parser.add_argument("--socket", required=True, help="where replicas reach the sidecar")
    parser.add_argument("--lease", type=float, default=60, help="seconds until a lost trial is given to others")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s", level=logging.INFO)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    if not 0 < arguments.lease < float("inf"):
        parser.error("argument --lease: is no positive number of seconds")
    storage = Access(arguments.storage, arguments.password_file, arguments.ca_file)
    try:
        storage.check()
    except ValueError as error:
        parser.error(str(error))
    sidecar = Sidecar(arguments.socket, storage, arguments.lease)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        sidecar.serve_forever()
    except KeyboardInterrupt:
        sys.exit(130)  # the exit status that a shell uses
    finally:
        sidecar.server_close()
