# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job, done in one way."""

import hashlib
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import time

from cell import listens, text_of

PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/games"
MOST_TEXT = 1 << 20  # the most that is compared as text
MOST_WRITTEN = 2 << 30
FOR_PLANNING = 240


class Ended(Exception):
    """A step did not end by itself, or not as it is to."""


def _content(path):
    """What a file is, in a line."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return f"link {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode):
        return f"{stat.S_IFMT(status.st_mode):o} {stat.S_IMODE(status.st_mode):o}"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:24]
    return f"{stat.S_IMODE(status.st_mode):o} {status.st_size} bytes {digest}"


class Trial:
    """`facts` is what the way must have in common with the stock loader; `aside`, what the loader says of why it leaves
    the program alone; `is_refused`, that it did not start it."""

    def __init__(self, job, way, setting):
        self.job = job
        self.way = way
        self.setting = setting
        self.directory = setting.work / "here"
        self.cache = setting.work / "cache"
        self.report = setting.work / "told" / "witness"
        self.facts = {}
        self.aside = []
        self.is_refused = False
        self.servers = []
        self.seconds = job.seconds + (0 if way.is_stock else FOR_PLANNING)

    def run(self):
        for directory in (self.directory, self.report.parent):
            shutil.rmtree(directory, ignore_errors=True)
            self._make(directory)
        self._forget_all_but_images()
        for name, text in self.job.files.items():
            path = self.directory / name
            if not path.parent.exists():
                self._make(path.parent)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            self._give_away(path)
        try:
            for number, step in enumerate(self.job.steps, 1):
                self._step(f"{number}: " if len(self.job.steps) > 1 else "", step)
                if self.is_refused:
                    return self
        finally:
            for server in self.servers:
                server.kill()
                server.wait()
        self._read_witness()
        self._look_at_files()
        return self

    def _forget_all_but_images(self):
        if not self.cache.exists():
            self._make(self.cache)
        for path in self.cache.iterdir():
            if path.name == "sartor":
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()

    def _give_away(self, path):
        if self.setting.user:
            os.chown(path, self.setting.user.pw_uid, self.setting.user.pw_gid)

    def _make(self, directory):
        directory.mkdir(parents=True)
        self._give_away(directory)

    # One step.

    def _step(self, before, step):
        mark, source = "", None
        if isinstance(step, str):
            mark = step[0] if step[1] == " " else ""
            words = shlex.split(step[2:] if mark else step)
            if len(words) > 2 and words[-2] == "<":
                source = self.directory / words[-1]
                words = words[:-2]
        else:
            words = list(step)
        is_stock = mark == "!"
        prefix = [] if self.way.is_stock else [str(self.setting.ld), *self.way.options]
        if self.way.is_signed:
            prefix.append(f"--config={self.setting.signing.settings}")
        words = self._filled_in(words, prefix)
        if not self.way.is_stock and not is_stock:
            self._sign(words[0])
            words = [*prefix, "--", *words]
        if mark == "&":
            self._serve(words)
            return
        status, out, err = self._execute(words, source, is_stock)
        if self.way.is_stock and not self.job.is_question and (status == 0) == (mark == "-"):
            raise Ended(f"{words[0]} ends with {status} by the stock loader: {err[-300:]}")
        if not is_stock:
            self._keep(before, status, out, err)

    def _filled_in(self, words, prefix):
        script = self.setting.work / "loader"
        # Programs that are started by others have no signature.
        loader = "" if self.way.is_stock or self.way.is_signed else shlex.join([*prefix, "--"])
        script.write_text(f'#!/bin/sh\nexec {loader} "$@"\n')
        script.chmod(0o755)
        values = {"{ld}": script, "{port}": self.setting.port, "{postgres}": self.setting.postgres}
        return [re.sub(r"{(ld|port|postgres)}", lambda place: str(values[place[0]]), word) for word in words]

    def _sign(self, program):
        if self.way.is_signed:
            found = program
            if program.startswith("."):  # has a different name each time
                found = str(self.directory / program)
                self.setting.signing.signed.discard(found)
            self.setting.signing.sign(found, PATH)

    def _environment(self):
        environment = {
            "HOME": str(self.directory),
            "LANG": "C.UTF-8",
            "PATH": PATH,
            "TERM": "xterm",
            "TMPDIR": str(self.directory),
            "TZ": "UTC",
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_CONFIG_HOME": str(self.directory),
        }
        environment |= self.job.environment
        if self.way.is_watched:
            environment |= {"LD_PRELOAD": str(self.setting.witness), "SARTOR_WITNESS": str(self.report)}
        return environment

    def _begin(self):
        """In the process that becomes the program."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
        if self.way.is_watched:  # there are descriptors to keep
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)
            signal.signal(signal.SIGWINCH, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG, signal.SIGRTMIN + 3})

    def _start(self, words, source, out, err):
        user = self.setting.user
        rights = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        with open(source or os.devnull, "rb") as given:
            # This process has one thread, so no lock can be held forever after a fork.
            return subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
                words,
                cwd=self.directory,
                env=self._environment(),
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=self._begin,
                umask=0o022,
                pass_fds=self.setting.kept if self.way.is_watched else (),
                **rights,
            )

    def _execute(self, words, source, is_stock):
        # Files are used, because processes left running may keep pipes open.
        with open(self.setting.work / "out", "w+b") as out, open(self.setting.work / "err", "w+b") as err:
            process = self._start(words, source, out, err)
            try:
                process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                raise Ended(f"does not end within {self.seconds} s") from None
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(text_of(file.read(MOST_TEXT)))
        return process.returncode, *texts

    def _serve(self, words):
        with open(self.setting.work / "log", "ab") as log:
            server = self._start(words, None, log, log)
        self.servers.append(server)
        end = time.monotonic() + self.seconds
        while not listens(self.setting.port):
            if server.poll() is not None or time.monotonic() > end:
                raise Ended("its server does not listen: " + (self.setting.work / "log").read_text()[-300:])
            time.sleep(0.05)

    # Results.

    def _keep(self, before, status, out, err):
        if not self.way.is_stock:
            said = re.findall(r"^sartor-ld: (.*)\n", err, flags=re.MULTILINE)
            self.aside += said
            err = re.sub(r"^sartor-ld: .*\n", "", err, flags=re.MULTILINE)
            self.is_refused = status == 126 and bool(said) and not out and not err
        self.facts |= {before + "status": str(status), before + "output": out, before + "errors": err}

    def _read_witness(self):
        if not self.report.exists():
            return
        for line in text_of(self.report.read_bytes()).splitlines():
            what, _, rest = line.partition(": ")
            key = "at the start: " + what
            self.facts[key] = self.facts.get(key, "") + rest + "\n"

    def _look_at_files(self):
        names = sorted(path.relative_to(self.directory) for path in self.directory.rglob("*"))
        self.facts["files"] = "".join(f"{name}\n" for name in names)
        for name in names:
            try:
                self.facts[f"file {name}"] = _content(pathlib.Path(self.directory, name))
            except OSError as error:
                self.facts[f"file {name}"] = error.strerror
