#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heat.py PROGRAM [LIBRARY...]: writes a profile in which all functions of a program and of the libraries that it starts
with are hot, as far as they have unwind information. heat.py --only NAME,... FILE...: those symbols of files."""
import struct
import subprocess
import sys


def headers(data):
    at, = struct.unpack_from("<Q", data, 32)
    for i in range(struct.unpack_from("<H", data, 56)[0]):
        yield struct.unpack_from("<IIQQQQQQ", data, at + 56 * i)


def build_id(data):
    for kind, _, offset, _, _, size, _, _ in headers(data):
        at = offset
        while kind == 4 and at + 12 <= offset + size:
            name, length, what = struct.unpack_from("<III", data, at)
            if what == 3 and data[at + 12 : at + 16] == b"GNU\0":
                return data[at + 16 : at + 16 + length].hex()
            at += 12 + (name + 3) // 4 * 4 + (length + 3) // 4 * 4
    return ""


def functions(data):
    """The addresses in the unwinders' search table."""
    for kind, _, offset, address, _, _, _, _ in headers(data):
        if kind != 0x6474E550 or data[offset + 1 : offset + 4] != b"\x1b\x03\x3b":
            continue
        count, = struct.unpack_from("<I", data, offset + 8)
        for i in range(count):
            yield address + struct.unpack_from("<i", data, offset + 12 + 8 * i)[0]


def libraries(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [word for line in listed.splitlines() for word in line.split() if word.startswith("/")]


def symbols(path, names):
    listed = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] in names:
            yield int(words[0], 16)


def main():
    only = sys.argv[2].split(",") if sys.argv[1] == "--only" else None
    files = sys.argv[3:] if only else sys.argv[1:] + libraries(sys.argv[1])
    print("sartor-profile 1")
    seen = set()
    for path in files:
        with open(path, "rb") as file:
            data = file.read()
        identity = build_id(data)
        if not identity or identity in seen:
            continue
        seen.add(identity)
        print("library", identity, path)
        for count, address in enumerate(symbols(path, only) if only else functions(data)):
            print("function", identity, hex(address), 1 + count % 7)


if __name__ == "__main__":
    main()
