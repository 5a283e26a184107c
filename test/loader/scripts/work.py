# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bit of everything; prints the same each time."""

import ctypes
import decimal
import hashlib
import json
import lzma
import multiprocessing
import re
import sqlite3
import ssl
import subprocess
import sys
import threading
import zlib


def primes(below):
    sieve = bytearray([1]) * below
    for i in range(2, int(below**0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(range(i * i, below, i)))
    return sum(sieve) - 2


def square(number):
    return number * number


def tls_in_memory():
    """A client's hello, as far as it comes without a server."""
    context = ssl.create_default_context()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.pending > 100


def main():
    print(primes(300000), sys.version_info[:2])
    database = sqlite3.connect(":memory:")
    database.create_function("twice", 1, lambda value: 2 * value)
    database.executescript("create table t(a, b); create index i on t(a);")
    database.executemany("insert into t values(?, ?)", ((i % 97, i) for i in range(5000)))
    print(database.execute("select a, count(*), sum(twice(b)) from t group by a limit 3").fetchall())
    try:
        database.execute("nonsense")
    except sqlite3.OperationalError as error:
        print(error)
    print(tls_in_memory(), hashlib.sha3_256(b"text" * 1000).hexdigest())

    mathematics = ctypes.CDLL("libm.so.6")
    mathematics.pow.restype = ctypes.c_double
    mathematics.pow.argtypes = (ctypes.c_double, ctypes.c_double)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    values = (ctypes.c_int * 6)(5, 2, 9, 1, 7, 3)
    ctypes.CDLL(None).qsort(values, len(values), 4, compare(lambda a, b: a[0] - b[0]))
    print(mathematics.pow(2, 10), list(values))

    print(json.loads(json.dumps({"a": [1, 2.5, None], "ü": "\u20ac"}, sort_keys=True)))
    print(re.sub(r"(\w+) (?=\w)", lambda match: match[1][::-1] + "-", "words in a row"))
    print(decimal.Decimal(2).sqrt(decimal.Context(prec=40)))
    data = bytes(range(256)) * 400
    print(zlib.crc32(zlib.decompress(zlib.compress(data))), len(lzma.compress(data)))

    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(primes(10000 + n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(found))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(sum(pool.map(square, range(100))))
    print(subprocess.run([sys.executable, "-I", "-c", "print(6 * 7)"], capture_output=True, text=True,
                         check=True).stdout)


if __name__ == "__main__":
    main()
