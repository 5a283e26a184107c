# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which programs there are to try."""

import os
import pathlib
import stat
import struct

DIRECTORIES = ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/games")
INTERPRETER = 3  # PT_INTERP
X86_64 = 62


def is_dynamic(path):
    """Whether this is an ELF file for x86-64 that asks for a loader."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", head, 18)[0] != X86_64:
                return False
            file.seek(struct.unpack_from("<Q", head, 32)[0])
            size, count = struct.unpack_from("<HH", head, 54)
            headers = file.read(size * count)
    except OSError:
        return False
    return any(struct.unpack_from("<I", headers, size * i)[0] == INTERPRETER for i in range(len(headers) // size))


def changes_rights(path, status):
    return bool(status.st_mode & (stat.S_ISUID | stat.S_ISGID)) or "security.capability" in os.listxattr(path)


def programs():
    """Paths of programs, each file once, by the name that it has itself if that is in the path."""
    found = {}
    for directory in DIRECTORIES:
        for path in sorted(pathlib.Path(directory).glob("*")):
            try:
                status = path.stat()
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode) or not os.access(path, os.X_OK):
                continue
            key = (status.st_dev, status.st_ino)
            if key in found and (path.is_symlink() or not found[key].is_symlink()):
                continue
            if is_dynamic(path) and not changes_rights(path, status):
                found[key] = path
    return sorted(str(path) for path in found.values())
