# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One cell of the matrix: a row run with one set of passes, or with the stock loader."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time


class Skip(Exception):
    """The row cannot be tried on this machine; says why."""


class Wrong(Exception):
    """Something is not as it must be; says what."""


class Result:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err


def text_of(data):
    return data.decode("utf-8", "backslashreplace")


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


class Cell:
    """Runs programs for one row. Everything that the programs give is kept, and must be what the stock
    loader's cell has. `directory` is empty, and has the same name in all cells of a row."""

    def __init__(self, column, row, setting, directory, cache, shared):
        self.stock = column.passes is None
        self.column = column
        self.row = row
        self.probes = setting.probes
        self.unprivileged = setting.unprivileged
        self.directory = directory
        self.cache = cache
        self.shared = shared  # shared between a row's cells
        self.seen = []
        self.servers = []
        self.prefix = []
        self.signing = setting.signing if column.is_signed else None
        if not self.stock:
            self.prefix = [str(setting.ld), "--passes=" + column.passes, *setting.option]
            if self.signing:
                self.prefix.append(f"--config={self.signing.settings}")
            if setting.strict and not row.untouched:
                self.prefix.append("--strict")
            self.prefix.append("--")
        self.environment = {
            "HOME": str(directory),
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TMPDIR": str(directory),
            "TZ": "UTC",
            "XDG_CACHE_HOME": str(cache),
        }

    # Results.

    def note(self, what):
        self.seen.append(str(what))

    def check(self, holds, what):
        if not holds:
            raise Wrong(what)

    def without_loader(self, errors):
        """What the loader itself says of why it leaves a program to the stock one is its own business."""
        if self.stock or not self.row.untouched:
            return errors
        return re.sub(r"^sartor-ld: .*\n", "", errors, flags=re.MULTILINE)

    def _keep(self, argv, result):
        for name, text in (("status", result.status), ("output", result.out), ("errors", self.without_loader(result.err))):
            text = str(text)
            for pattern, by in self.row.different:
                text = re.sub(pattern, by, text)
            self.note(f"{os.path.basename(argv[0])} {name}: {text}")

    # Running programs.

    def run(self, *argv, status=0, env=None, input=None, cwd=None, direct=False, before=(), keep=True,
            timeout=120):
        """Runs a program to its end, with the row's loader unless `direct`. `before` comes before the
        loader on the command line. The exit status must be `status`, if that is not None."""
        argv = [str(word) for word in argv]
        self._sign(argv, direct)
        line = [*before, *([] if direct else self.prefix), *argv]
        environment = {**self.environment, **{k: str(v) for k, v in (env or {}).items()}}
        process = subprocess.Popen(
            line, cwd=cwd or self.directory, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(input if input is None else bytes(input, "utf-8"),
                                           timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Wrong(f"{argv[0]} does not end within {timeout} s") from None
        result = Result(process.returncode, text_of(out), text_of(err))
        if status is not None and result.status != status:
            raise Wrong(f"{os.path.basename(argv[0])} ends with {result.status}, not {status}: "
                        + last_line(result.err or result.out))
        if keep:
            self._keep(argv, result)
        return result

    def _sign(self, argv, direct):
        if self.signing and not direct:
            self.signing.sign(argv[0], self.environment["PATH"])

    def probe(self, name, *arguments, **options):
        """A probe, twice: the second time, the loader knows it."""
        for _ in range(2):
            result = self.run(self.probes / name, *arguments, **options)
        return result

    def start(self, *argv, env=None, direct=False, before=(), **options):
        """Starts a server, which ends with the cell."""
        argv = [str(word) for word in argv]
        self._sign(argv, direct)
        log = open(self.directory / f"server{len(self.servers)}.log", "w+b")
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", log)
        process = subprocess.Popen(
            [*before, *([] if direct else self.prefix), *argv], cwd=self.directory, stderr=log,
            env={**self.environment, **(env or {})}, start_new_session=True, **options)
        process.log = log
        self.servers.append(process)
        return process

    def said(self, server):
        server.log.seek(0)
        return text_of(server.log.read())

    def until(self, answers, server, what, seconds=60):
        """Waits until answers() is true, while the server runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if server.poll() is not None:
                raise Wrong(f"{what} has ended with {server.returncode}: "
                            + last_line(self.said(server)))
            if answers():
                return
            time.sleep(0.05)
        raise Wrong(f"{what} does not answer within {seconds} s")

    def stop(self, server, how, what, status=0, seconds=60):
        if how is not None:
            server.send_signal(how)
        try:
            ended = server.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Wrong(f"{what} does not stop within {seconds} s") from None
        self.check(ended == status, f"{what} ends with {ended}: {last_line(self.said(server))}")

    def close(self):
        for server in self.servers:
            try:
                os.killpg(server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            server.wait()
            server.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    # Helper functions.

    def write(self, name, text, mode=0o644):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def copy(self, name, to=None):
        """A copy of a probe's file in the directory, with another name or below another."""
        target = self.directory / (to or pathlib.Path(name).name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.probes / name, target)
        return target


def free_port():
    """A port of the loopback interface that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0
