#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""boot.py DIRECTORY PREFIX OUTPUT SECONDS [NAME=VALUE...]: boots the kernel of DIRECTORY with a
server of the Sartor in PREFIX, both on this machine, and writes what the kernel prints to OUTPUT.

NAME=VALUE goes to the program on the kernel (guest/). SERVER=no leaves out the server, SERVER=deaf
is one that does not answer. Ends all processes that it has started. The status is zero if the
program has ended, and says that all is right.
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def processes_of(session):
    """Yields processes of a session that have not ended."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            yield int(entry.name)


def end(process):
    """Ends a process that leads a session, and all others in it: User-Mode Linux leaves some behind."""
    for _ in range(100):
        left = list(processes_of(process.pid))
        if not left:
            break
        for each in left:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.poll()
        time.sleep(0.02)
    process.wait()


class Server:
    def __init__(self, prefix, directory, work):
        log = work / "server.log"
        keys = directory / "keys"
        if not (keys / "devices/kernel.key").exists():
            (keys / "devices").mkdir(parents=True, exist_ok=True)
            run(prefix / "bin/sartor", "key", "--output", keys / "server")
            run(prefix / "bin/sartor", "key", "--output", keys / "devices/kernel")
        with open(log, "w") as output:
            self.process = subprocess.Popen(
                [str(word) for word in (prefix / "bin/sartor-server", "--listen-devices", "tcp://127.0.0.1:0", "--key",
                 keys / "server.key", "--devices", keys / "devices", "--modules", directory / "modules",
                 "--compile-timeout", "50")],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        self.address = self.wait(log)

    def wait(self, log):
        for _ in range(1000):
            found = re.search(r"tcp://127\.0\.0\.1:\d+", log.read_text())
            if found:
                return found[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        end(self.process)
        sys.exit(f"the server does not start: {log.read_text()}")


class DeafServer:
    """Takes connections and says nothing."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.process = None


def start_server(settings, prefix, directory, work):
    kind = settings.pop("SERVER", "yes")
    if kind == "no":
        return None
    return DeafServer() if kind == "deaf" else Server(prefix, directory, work)


def boot(directory, prefix, output, seconds, settings):
    with tempfile.TemporaryDirectory(prefix="sartor-linux-") as name:
        work = pathlib.Path(name)
        server = start_server(settings, prefix, directory, work)
        kernel = None
        try:
            words = [directory / settings.pop("KERNEL", "linux"), "mem=256M", f"initrd={directory}/initrd.cpio", "con=null",
                     "con0=fd:0,fd:1", "panic=-1", "quiet", "stderr=1", "loglevel=5", "rdinit=/init", f"uml_dir={work}/uml",
                     "dummy.numdummies=2", *(f"{name}={value}" for name, value in settings.items())]
            if server:
                words += [f"sartor_server={server.address}", f"sartor_keys={directory}/keys"]
            with open(output, "w") as said:
                # The output is a file: a process that is left behind would keep a pipe open.
                kernel = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=said,
                                          stderr=subprocess.STDOUT, start_new_session=True,
                                          env={**os.environ, "TMPDIR": name})
            try:
                kernel.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                with open(output, "a") as said:
                    said.write(f"\nended after {seconds} s\n")
        finally:
            for each in (kernel, server and server.process):
                if each:
                    end(each)
            if (work / "server.log").exists():
                pathlib.Path(f"{output}.server").write_text((work / "server.log").read_text())
    return re.search(r"^ended: right\s*$", pathlib.Path(output).read_text(errors="replace"), re.M) is not None


def main():
    directory, prefix, output = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    settings = dict(word.split("=", 1) for word in sys.argv[5:])
    sys.exit(0 if boot(directory, prefix, output, float(sys.argv[4]), settings) else 1)


if __name__ == "__main__":
    main()
