# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where programs that nobody knows are asked: they see no other process, no network, and may do little."""

import fcntl
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess

_APART = ("--net", "--pid", "--ipc", "--mount", "--fork", "--kill-child", "--mount-proc")
_UP = 1  # IFF_UP
_GET_FLAGS, _SET_FLAGS = 0x8913, 0x8914


def prefix():
    """What starts a command with namespaces of its own; None if that cannot be had here."""
    if shutil.which("unshare") is None:
        return None
    command = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), *_APART]
    works = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    return command if works else None


def raise_loopback():
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack_from("h", fcntl.ioctl(any_socket, _GET_FLAGS, request), 16)[0]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def unprivileged():
    """The user for whom programs run, if this is root and knows others; None: whoever asks."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        maps_all = int(file.read().split()[2]) > 1
    return pwd.getpwnam("nobody") if os.geteuid() == 0 and maps_all else None


def end_all():
    """Ends all that programs have left behind: nobody else is in this namespace than the first process, which
    calls this, and has waited for its own children."""
    try:
        os.kill(-1, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
