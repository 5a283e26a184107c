# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A storage that is reached with a password from a file, and by TLS."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from conftest import SIDECAR, STORES, opening
from sartor_sidecar.session import Session
from sartor_sidecar.store import Access, Store, open_storage
from sqlalchemy.engine import make_url


@pytest.fixture
def secure() -> Iterator[tuple[str, Path]]:
    """The address of a Redis with TLS and the users of docs/guides/caches.md, and its directory."""
    with tempfile.TemporaryDirectory(prefix="sartor-", dir="/tmp", ignore_cleanup_errors=True) as directory:
        started = subprocess.run([STORES, "start", "redis-tls", directory], check=True, stdout=subprocess.PIPE, text=True)
        try:
            yield started.stdout.strip().removeprefix("rediss://"), Path(directory)
        finally:
            subprocess.run([STORES, "stop", directory], check=True)


def access(secure: tuple[str, Path], user: str, ca: str = "ca.pem") -> Access:
    address, directory = secure
    return Access(f"rediss://sartor-{user}@{address}", directory / f"{user}.password", directory / ca)


def test_a_study_needs_no_more_than_the_rules_of_its_user(secure: tuple[str, Path]) -> None:
    session = Session(Store(access(secure, "sidecar")), "one", 60, opening())
    session.study()
    (trial,) = session.ask(1)["trials"]
    assert session.tell({"id": trial["id"], "score": 1.0}) == {"ok": True}
    assert session.best()["best"]["score"] == 1.0


def test_a_damaged_journal_is_set_aside_with_these_rules(secure: tuple[str, Path]) -> None:
    made = Session(Store(access(secure, "sidecar")), "one", 60, opening())
    made.study()
    with redis.Redis(
        unix_socket_path=str(secure[1] / "redis.sock"), username="admin", password="admin-password"
    ) as admin:
        admin.lset("{sartor}:journal", -1, "no JSON")
        reader = Session(Store(access(secure, "sidecar")), "other", 60, opening())
        reader.study()
        assert admin.keys("{sartor}:journal:damaged:*")


def test_users_of_the_cache_cannot_write_the_study(secure: tuple[str, Path]) -> None:
    for user in ["reader", "writer"]:
        with pytest.raises(redis.exceptions.NoPermissionError):
            open_storage(access(secure, user))


def test_a_server_of_another_ca_is_refused(secure: tuple[str, Path]) -> None:
    other = secure[1] / "other.pem"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run([*make, "-subj", "/CN=x", "-keyout", "/dev/null", "-out", other], check=True, capture_output=True)
    with pytest.raises(redis.exceptions.ConnectionError, match="certificate"):
        open_storage(access(secure, "sidecar", "other.pem"))


def test_a_certificate_of_another_host_is_refused(secure: tuple[str, Path]) -> None:
    address, directory = secure
    with pytest.raises(redis.exceptions.ConnectionError, match="127.0.0.1"):
        open_storage(access((address.replace("localhost", "127.0.0.1"), directory), "sidecar"))


@pytest.mark.parametrize(
    "url", ["redis://me:secret@host/0", "rediss://:secret@host", "postgresql://me:secret@/db", "redis://h?password=secret"]
)
def test_a_password_in_the_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="--password-file") as refused:
        Access(url).check()
    assert "secret" not in str(refused.value)
    command = [sys.executable, "-m", "sartor_sidecar", "--storage", url, "--socket", "/nonexistent/socket"]
    run = subprocess.run(command, cwd=SIDECAR, capture_output=True, text=True)
    assert run.returncode == 2
    assert "--password-file" in run.stderr and "secret" not in run.stderr


def test_a_password_file_is_for_one_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("word\nmore\n")
    file.chmod(0o640)
    with pytest.raises(ValueError, match="600"):
        Access("redis://me@host", file).check()
    file.chmod(0o600)
    assert Access("redis://me@host", file).password() == "word"
    file.write_text("")
    with pytest.raises(ValueError, match="empty"):
        Access("redis://me@host", file).check()
    with pytest.raises(ValueError, match="No such file"):
        Access("redis://me@host", tmp_path / "missing").check()


def test_the_password_of_a_database_comes_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/word\n")
    file.chmod(0o600)
    urls: list[str] = []
    monkeypatch.setattr("sartor_sidecar.store.RDBStorage", lambda url, **options: urls.append(url))
    open_storage(Access("postgresql+psycopg2://me@host/db", file))
    (url,) = urls
    assert make_url(url).password == "p@ss/word"
    assert make_url(url).username == "me"


@pytest.mark.parametrize("lease", ["0", "-1", "nan", "inf"])
def test_a_lease_that_never_lasts_or_never_ends_is_refused(lease: str) -> None:
    command = [sys.executable, "-m", "sartor_sidecar", "--storage", "redis://127.0.0.1:1/0", "--socket", "/nonexistent/socket"]
    run = subprocess.run([*command, f"--lease={lease}"], cwd=SIDECAR, capture_output=True, text=True)
    assert run.returncode == 2
    assert "--lease" in run.stderr.splitlines()[-1]
