# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A load generator: operations of one or several requests, each response checked by the operation.

closed_loop() begins an operation when another has ended. open_loop() begins them at a constant rate, whether others
have ended or not, and measures from the intended beginning, so that a server that stalls does not delay, and thereby
hide, the operations that wait for it (coordinated omission; Gil Tene, wrk2).
"""
import asyncio
import dataclasses
import time

PATIENCE = 120  # seconds for one response


class Wrong(Exception):
    """A response is not the right one."""


@dataclasses.dataclass
class Response:
    status: int
    headers: list  # pairs; the names are in lower case
    body: bytes

    def header(self, name):
        return next((value for key, value in self.headers if key == name), "")

    def expect(self, status, *markers):
        if self.status != status:
            raise Wrong(f"status {self.status} instead of {status}: {self.body[:300]!r}")
        for marker in markers:
            if marker.encode() not in self.body:
                raise Wrong(f"{marker!r} is not in {self.body[:300]!r}")
        return self


class Client:
    """Speaks HTTP/1.1 to one server, over as many connections as requests are open."""

    def __init__(self, host, port):
        self.host, self.port, self.idle = host, port, []

    async def fetch(self, path, *, method="GET", headers=(), body=b""):
        async with asyncio.timeout(PATIENCE):
            reader, writer = self.still_open() or await asyncio.open_connection(self.host, self.port)
            try:
                lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", *(f"{key}: {value}" for key, value in headers)]
                if method != "GET":
                    lines.append(f"Content-Length: {len(body)}")
                writer.write("\r\n".join(lines + ["", ""]).encode() + body)
                response, stays = await self.read(reader)
            except BaseException:
                writer.transport.abort()
                raise
            if stays:
                self.idle.append((reader, writer))
            else:
                writer.close()
            return response

    def still_open(self):
        """Returns a connection that the server has not closed, if there is one."""
        while self.idle:
            reader, writer = self.idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return None

    @staticmethod
    async def read(reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = [(key.lower(), value.strip()) for key, _, value in (line.partition(":") for line in head[1:] if line)]
        response, stays = Response(int(head[0].split()[1]), headers, b""), True
        if response.status == 204 or response.status == 304:
            pass
        elif response.header("transfer-encoding") == "chunked":
            parts = []
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                parts.append((await reader.readexactly(size + 2))[:-2])
            await reader.readexactly(2)
            response.body = b"".join(parts)
        elif length := response.header("content-length"):
            response.body = await reader.readexactly(int(length))
        else:
            response.body, stays = await reader.read(), False
        return response, stays and response.header("connection").lower() != "close"

    def close(self):
        for _, writer in self.idle:
            writer.transport.abort()
        self.idle.clear()


class Load:
    """What comes of a loop: the milliseconds of each right operation by its kind, and wrong answers."""

    def __init__(self):
        self.milliseconds, self.wrong, self.seconds = {}, [], 0.0

    async def do(self, operation, begin):
        kind, function = operation
        try:
            await function()
            self.milliseconds.setdefault(kind, []).append(1000 * (time.monotonic() - begin))
        except (Wrong, OSError, TimeoutError, EOFError, ValueError, IndexError) as error:
            self.wrong.append(f"{kind}: {type(error).__name__}: {error}")

    def all(self):
        return [each for some in self.milliseconds.values() for each in some]


async def closed_loop(operations, clients):
    """Does the operations, pairs of a kind and a function; so many at the same time."""
    load, left, begin = Load(), iter(operations), time.monotonic()

    async def client():
        for operation in left:
            await load.do(operation, time.monotonic())

    await asyncio.gather(*(client() for _ in range(clients)))
    load.seconds = time.monotonic() - begin
    return load


async def open_loop(operations, rate):
    """Does the operations, of which so many are intended to begin each second."""
    load, running, begin = Load(), [], time.monotonic()
    for number, operation in enumerate(operations):
        intended = begin + number / rate
        if (early := intended - time.monotonic()) > 0:
            await asyncio.sleep(early)
        running.append(asyncio.create_task(load.do(operation, intended)))
    await asyncio.gather(*running)
    load.seconds = time.monotonic() - begin
    return load


def percentile(values, share):
    """Returns the smallest value that so great a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 1000) // 1000) - 1)]
