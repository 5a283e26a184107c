# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sidecar does with a file that has its socket's name already."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sartor_sidecar import server


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sartor-", dir="/tmp") as directory:
        yield Path(directory) / "socket"


def listen(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(path))
    listening.listen()
    return listening


def test_leaves_what_is_no_socket(path: Path) -> None:
    path.write_text("notes")
    with pytest.raises(FileExistsError):
        server.Sidecar(str(path), "redis://127.0.0.1:1/0", 60)
    assert path.read_text() == "notes"
    path.unlink()
    path.symlink_to(path.parent / "nowhere")
    with pytest.raises(FileExistsError):
        server.remove_stale(str(path))
    assert path.is_symlink()
    path.unlink()
    path.mkdir()
    with pytest.raises(FileExistsError):
        server.remove_stale(str(path))
    assert path.is_dir()
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(FileExistsError):
        server.remove_stale(str(path))
    assert path.is_fifo()


def test_leaves_the_socket_of_a_process_that_listens(path: Path) -> None:
    with listen(path):
        with pytest.raises(OSError, match="another process listens"):
            server.remove_stale(str(path))
        assert path.is_socket()


def test_removes_the_socket_of_a_process_that_has_ended(path: Path) -> None:
    listen(path).close()
    server.remove_stale(str(path))
    assert list(path.parent.iterdir()) == []
    server.remove_stale(str(path))  # the file does not exist


def test_is_there_once_it_listens(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    was_there = []
    listen_now = server.Sidecar.server_activate

    def listen_and_look(sidecar: server.Sidecar) -> None:
        was_there.append(path.exists())
        listen_now(sidecar)

    monkeypatch.setattr(server.Sidecar, "server_activate", listen_and_look)
    with server.Sidecar(str(path), "redis://127.0.0.1:1/0", 60):
        assert was_there == [False]
        assert [each.name for each in path.parent.iterdir()] == ["socket"]
        assert path.stat().st_mode & 0o777 == 0o700
        socket.socket(socket.AF_UNIX).connect(str(path))
    assert list(path.parent.iterdir()) == []


def test_two_at_once_get_one_socket(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listen_now = server.Sidecar.server_activate

    def another_comes(sidecar: server.Sidecar) -> None:
        listen_now(sidecar)
        listen(path)

    monkeypatch.setattr(server.Sidecar, "server_activate", another_comes)
    with pytest.raises(FileExistsError):
        server.Sidecar(str(path), "redis://127.0.0.1:1/0", 60)
    assert [each.name for each in path.parent.iterdir()] == ["socket"]
    assert server.is_served(str(path)) is False


def test_puts_back_what_came_meanwhile(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listen(path).close()

    def replaced_meanwhile(_: str) -> bool:
        path.unlink()
        path.write_text("notes")
        return False

    monkeypatch.setattr(server, "is_served", replaced_meanwhile)
    with pytest.raises(FileExistsError):
        server.remove_stale(str(path))
    assert path.read_text() == "notes"
    assert [each.name for each in path.parent.iterdir()] == ["socket"]
