#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The load generator, with a small server: wrong answers are counted, and a stall is not hidden in an open loop."""
import asyncio
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from load import Client, closed_loop, open_loop, percentile  # noqa: E402

STALL = 0.5  # seconds


async def serve(reader, writer):
    """Answers by the path: /chunked, /length, /length-and-end, /until-end, /status, /cut."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split()[1].decode()
            if path == "/chunked":
                writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nrig\r\n2;x=y\r\nht\r\n0\r\n\r\n")
            elif path == "/length":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright")
            elif path == "/length-and-end":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright")
                break
            elif path == "/status":
                writer.write(b"HTTP/1.1 500 Oh\r\nContent-Length: 5\r\n\r\nright")
            elif path == "/cut":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nright")
                break
            else:
                writer.write(b"HTTP/1.1 200 OK\r\n\r\nright")
                break
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):  # the test has ended
        pass
    writer.close()


class Load(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.client = Client(*self.server.sockets[0].getsockname())

    async def asyncTearDown(self):
        self.client.close()
        self.server.close()

    def fetches(self, path, marker="right"):
        async def fetch():
            (await self.client.fetch(path)).expect(200, marker)
        return path, fetch

    async def test_answers_of_each_form_are_read(self):
        load = await closed_loop([self.fetches(path) for path in ("/chunked", "/length", "/until-end") * 10], 3)
        self.assertEqual(load.wrong, [])
        self.assertEqual({kind: len(values) for kind, values in load.milliseconds.items()},
                         {"/chunked": 10, "/length": 10, "/until-end": 10})
        self.assertEqual(len(load.all()), 30)

    async def test_a_connection_that_the_server_has_closed_is_not_used_again(self):
        for _ in range(3):
            (await self.client.fetch("/length-and-end")).expect(200, "right")
            await asyncio.sleep(0.1)
        self.assertEqual(len(self.client.idle), 1)

    async def test_wrong_answers_are_not_measured(self):
        load = await closed_loop([self.fetches("/status"), self.fetches("/cut"), self.fetches("/length", "left"),
                                  self.fetches("/length")], 1)
        self.assertEqual([text.split(":")[0] for text in load.wrong], ["/status", "/cut", "/length"])
        self.assertEqual(len(load.all()), 1)

    async def test_a_stall_delays_each_intended_beginning(self):
        stalled, order = asyncio.Lock(), []

        def operation(number):
            async def one_at_a_time():
                order.append(number)
                async with stalled:
                    await asyncio.sleep(STALL if number == 0 else 0)
            return "some", one_at_a_time

        load = await open_loop([operation(number) for number in range(20)], 100)
        self.assertEqual(order, list(range(20)))
        # The last one is intended after 0.19 s, and waits for the first one.
        self.assertGreater(min(load.milliseconds["some"]), 1000 * (STALL - 0.19) - 50)

    async def test_a_closed_loop_has_so_many_clients(self):
        open_now, most = 0, 0

        async def one():
            nonlocal open_now, most
            open_now += 1
            most = max(most, open_now)
            await asyncio.sleep(0.001)
            open_now -= 1

        await closed_loop([("one", one)] * 30, 4)
        self.assertEqual(most, 4)

    def test_percentiles(self):
        self.assertEqual(percentile(range(1, 101), 0.99), 99)
        self.assertEqual(percentile(range(1, 201), 0.99), 198)
        self.assertEqual(percentile([3, 1, 2], 0.99), 3)
        self.assertEqual(percentile([7], 0.99), 7)


unittest.main()
