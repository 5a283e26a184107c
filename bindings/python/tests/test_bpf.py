# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers in the kernel, by the object of examples/xdp."""

from __future__ import annotations

import ctypes
import json
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, build_example

import sartor

PASS, DROP = 2, 1
PORT = 4000
RULE = struct.pack("Q", 1000)


class Peer(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint8 * 4), ("port", ctypes.c_uint16), ("unused", ctypes.c_uint16)]


def peer(last: int) -> Peer:
    return Peer((ctypes.c_uint8 * 4)(10, 0, 0, last), socket.htons(PORT), 0)


def packet(last: int, words: int = 5) -> bytes:
    """Of UDP, from 10.0.0.`last`."""
    ip = struct.pack("!BBHHHBBH4s4s", 0x40 | words, 0, 0, 0, 0, 9, 17, 0, bytes([10, 0, 0, last]), bytes(4))
    return bytes(12) + b"\x08\x00" + ip + bytes(words * 4 - 20) + struct.pack("!HHHH", 7, PORT, 16, 0) + bytes(40)


def run(program: int, data: bytes) -> int:
    """What a program says to a packet: bpf(BPF_PROG_TEST_RUN)."""
    given = ctypes.create_string_buffer(data, len(data))
    attributes = ctypes.create_string_buffer(struct.pack("IIIIQQII", program, 0, len(data), 0,
                                                         ctypes.addressof(given), 0, 1, 0) + bytes(64))
    if ctypes.CDLL(None, use_errno=True).syscall(321, 10, attributes, len(attributes)) != 0:
        raise OSError(ctypes.get_errno(), "BPF_PROG_TEST_RUN")
    return struct.unpack_from("I", attributes, 4)[0]


@pytest.fixture(scope="module")
def path() -> Path:
    return build_example(ROOT / "examples" / "xdp") / "filter.bpf.o"


@pytest.fixture
def handlers(path: Path):
    try:
        opened = sartor.BpfRuntime(path, name="of_python")
    except sartor.Error as error:
        if error.code != "not_permitted":
            raise
        pytest.skip(f"SKIPPED: {error}")
    with opened:
        yield opened


def test_reports_what_is_in_the_object(handlers):
    assert handlers.handlers == ["filter"]
    assert handlers.space().find("words").choices == [5, 6, 15]
    peers = next(map for map in handlers.maps() if map.name == "peers")
    assert (peers.key_bytes, peers.value_bytes, peers.max_entries) == (8, 8, 1024)
    assert peers.read_mostly and peers.invariant_writers is None and not peers.sees_programs and peers.other_programs == []
    assert handlers.map("peers") > 0


def test_specializes(handlers):
    handlers.update("peers", peer(2), RULE)
    (variant,) = handlers.specialize({"words": 5})
    assert (variant.name, variant.handler) == ("filter._words_5_", "filter")
    assert variant.configuration == {"words": 5}
    assert variant.verified_instructions > 0 and variant.native_bytes > 0 and variant.remarks == []
    assert variant.compile_time > 0 and variant.load_time > 0
    assert handlers.active("filter").program == variant.program
    assert handlers.program("filter") != handlers.generic_program("filter")
    for data in (packet(2), packet(3), packet(2, words=6), packet(3, words=6)):
        assert run(handlers.program("filter"), data) == run(handlers.generic_program("filter"), data)
    assert run(handlers.program("filter"), packet(2)) == PASS
    assert handlers.guard_failures("words") == 2


def test_variants_are_compared_before_they_are_attached(handlers, path, tmp_path, monkeypatch):
    monkeypatch.delenv("SARTOR_VERIFY", raising=False)  # it has precedence
    options = {"state_directory": tmp_path / "state", "event_log": tmp_path / "log"}
    packets = [packet(2), packet(3, words=6)]
    with sartor.BpfRuntime(path, verify=sartor.Verification(first_calls=3), packets=packets, **options) as opened:
        (variant,) = opened.specialize({"words": 5})
        assert (variant.compared, variant.not_compared) == (5, None)
    with sartor.BpfRuntime(path, verify="off", **options) as opened:
        (variant,) = opened.specialize({"words": 5})
        assert (variant.compared, variant.not_compared) == (0, "off")
    with sartor.BpfRuntime(path, verify="all", **options) as opened:
        opened.specialize({"words": sartor.unguarded(5)})
    (event,) = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (event["event"], event["handler"], event["reason"]) == ("not_compared", "filter", "unguarded")
    with pytest.raises(TypeError):
        sartor.BpfRuntime(path, packets=["text"])


def test_profiles(handlers):
    handlers.instrument(["words"], 1)
    for words in (5, 5, 5, 6):
        run(handlers.program("filter"), packet(2, words))
    seen = handlers.profile()["words"]
    assert (seen.count, seen.share(1)) == (4, 0.75)
    handlers.instrument([])


def test_the_best_on_live_traffic_stays_active(handlers):
    def score() -> float:
        return 2.0 if handlers.active("filter").configuration == {"words": 6} else 1.0

    assert handlers.autotune([{"words": 5}, {"words": 6}], score, seed=7) == {"words": 6}
    with pytest.raises(ZeroDivisionError):
        handlers.autotune([{"words": 5}], lambda: 1 / 0)
    assert handlers.active("filter").configuration == {"words": 6}


@pytest.mark.parametrize("writers", ["ours", "polled"])
def test_invariant_content_folds_and_changes(handlers, writers):
    handlers.declare_invariant("peers", writers)
    handlers.specialize({})
    assert run(handlers.program("filter"), packet(2)) == DROP
    handlers.update("peers", bytes(peer(2)), RULE)
    assert run(handlers.program("filter"), packet(2)) == PASS
    assert handlers.refresh() and not handlers.refresh()
    assert run(handlers.program("filter"), packet(2)) == PASS
    handlers.erase("peers", peer(2))
    assert run(handlers.program("filter"), packet(2)) == DROP
    assert next(map.invariant_writers for map in handlers.maps() if map.name == "peers") == writers
    handlers.revoke("peers")


def test_raises_errors(handlers, path):
    def code(call) -> str:
        with pytest.raises(sartor.Error) as raised:
            call()
        return raised.value.code

    assert code(lambda: sartor.BpfRuntime("/nowhere.bpf.o")) == "file_error"
    assert code(lambda: sartor.BpfRuntime(__file__)) == "bad_bpf_object"
    assert code(lambda: sartor.BpfRuntime(path, pins="/tmp/no_bpffs")) == "kernel_lacks"
    assert code(lambda: handlers.specialize({"word": 5})) == "unknown_label"
    assert code(lambda: handlers.declare_invariant("nothing")) == "bad_bpf_object"
    assert code(lambda: handlers.update("peers", b"short", RULE)) == "bad_bpf_object"
    assert code(lambda: handlers.active("nobody")) == "unknown_handler"
    assert code(lambda: handlers.attach_xdp("filter", "nowhere")) == "bad_attachment"
    with pytest.raises(ValueError, match="polled"):
        handlers.declare_invariant("peers", "nobody")
    with pytest.raises(TypeError):
        handlers.update("peers", 5, RULE)
    handlers.close()
    handlers.close()
    assert code(handlers.maps) == "bad_argument"


ATTACHES = """
import sys, sartor
with sartor.BpfRuntime(sys.argv[1]) as first, sartor.BpfRuntime(sys.argv[1]) as second:
    first.attach_xdp("filter", "lo")
    for taken in True, False:
        try:
            second.attach_xdp("filter", "lo")
            assert not taken
        except sartor.Error as error:
            assert taken and error.code == "bad_attachment", error
        first.detach("filter")
print("attached")
"""


def test_attaches(handlers, path):
    if not shutil.which("unshare"):
        pytest.skip("SKIPPED: there is no unshare")
    command = ["unshare", "--net", sys.executable, "-c", ATTACHES, path]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.stdout == "attached\n", ended.stderr


def test_is_loaded_on_demand_and_says_what_it_lacks(tmp_path):
    program = f"""
import sys, sartor
assert "sartor._bpf" not in sys.modules and "libbpf" not in open("/proc/self/maps").read()
sartor.__path__[:] = [{str(tmp_path)!r}]
try:
    sartor.BpfRuntime
except ImportError as error:
    print(error)
try:
    sartor.nothing
except AttributeError:
    print("nothing")
"""
    (tmp_path / "_bpf.py").write_text("raise ImportError('libbpf.so.1: cannot open shared object file')")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    needs = "sartor.BpfRuntime needs libsartor-bpf and libbpf: libbpf.so.1: cannot open shared object file"
    assert ended.stdout == needs + "\nnothing\n", ended.stderr
