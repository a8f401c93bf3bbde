"""The program that runs on nodes, run for real over this machine's loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import validation
from deploy.loads.probe_run import stop_line
from validation.parse.loads.df_probe import result

PROGRAM = Path(validation.__file__).parent / "on_node" / "df_probe.py"
TOKEN = "0123456789abcdef"
HERE, THERE = "127.0.0.2", "127.0.0.3"


def program(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), *words], capture_output=True, text=True, timeout=60
    )


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((THERE, 0))
        return int(one.getsockname()[1])


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.fixture
def responder() -> Iterator[tuple[int, int]]:
    """(port, pid) of a responder that ends with the test."""
    port = free_port()
    started = program("serve", TOKEN, "60", str(port), THERE)
    assert started.returncode == 0, started.stderr
    pid = int(started.stdout)
    try:
        yield port, pid
    finally:
        if b"serve" in command_of(pid):
            os.kill(pid, signal.SIGKILL)


def sends(*questions: dict[str, object]) -> tuple[list[str | None], list[str]]:
    """What the sender leaves of each question, None where nothing; and why."""
    with tempfile.TemporaryDirectory() as folder:
        done = program("send", folder, *map(json.dumps, questions))
        assert done.returncode == 0, done.stderr
        files = [Path(folder) / f"probe-{number}" for number in range(len(questions))]
        found = [one.read_text() if one.exists() else None for one in files]
        return found, [one.with_suffix(".err").read_text() for one in files]


def question(port: int, **change: object) -> dict[str, object]:
    return {
        "id": "rail0:a>b",
        "token": TOKEN,
        "source": HERE,
        "target": THERE,
        "port": port,
        "first_port": 49152,
        "ports": 3,
        "ip_bytes": 9000,
        "tos": 106,
        **change,
    }


def sent(port: int, **change: object):
    ([text], why) = sends(question(port, **change))
    assert why == [""]
    assert text is not None
    told = json.loads(text)
    told["icmp"] = {"exit": 0, "received": 3}  # a machine without ping is no matter here
    return result(json.dumps(told))


def test_whole_packets_and_their_tos_are_answered(responder):
    found = sent(responder[0])
    assert len(found.ports) == 3
    for one in found.ports:
        assert (one.small, one.full, one.error) == (True, True, "")
        assert (one.tos_there, one.tos_back) == (106, 106)
        assert one.answered_by == socket.gethostname()


def test_the_tos_is_that_of_the_packets(responder):
    assert {one.tos_there for one in sent(responder[0], tos=2).ports} == {2}


def test_a_source_port_in_use_is_passed_over(responder):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((HERE, 0))
        port = taken.getsockname()[1]
        found = sent(responder[0], first_port=port, ports=2)
    assert len(found.ports) == 2
    assert port not in {one.port for one in found.ports}
    assert all(one.full for one in found.ports)


def test_a_stranger_gets_no_answer(responder):
    assert not any(one.small or one.full for one in sent(responder[0], token="f" * 16).ports)


@contextmanager
def forger(port: int) -> Iterator[None]:
    """Answers every packet, but says it was shorter than what was sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((THERE, port))
        one.settimeout(0.1)
        over = threading.Event()

        def answer() -> None:
            while not over.is_set():
                try:
                    _, sender = one.recvfrom(65535)
                except TimeoutError:
                    continue
                told = {"host": "forger", "bytes": 72, "tos": 106}
                one.sendto(TOKEN.encode() + json.dumps(told).encode(), sender)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def test_an_answer_to_less_than_was_sent_is_none():
    port = free_port()
    with forger(port):
        found = sent(port, ports=1)
    assert [(one.small, one.full) for one in found.ports] == [(True, False)]


def test_without_a_responder_nothing_is_answered():
    assert not any(one.small for one in sent(free_port()).ports)


def test_each_of_many_is_answered_and_one_that_cannot_be_sent_stops_no_other(responder):
    port = responder[0]
    asked = [question(port, id="one"), question(port, source="192.0.2.1"), question(port, id="two")]
    found, why = sends(*asked)
    assert [json.loads(one)["id"] if one else None for one in found] == ["one", None, "two"]
    for text in (found[0], found[2]):
        assert text is not None
        assert all("host" in one["full"] for one in json.loads(text)["ports"])
    assert (why[0], why[2]) == ("", "")
    assert "Cannot assign requested address" in why[1]


def stopped(token: str, pid: int) -> int:
    return subprocess.run(["sh", "-c", stop_line(pid, token)], check=False).returncode


def test_stopping_ends_the_responder_and_no_other_process(responder):
    _, pid = responder
    assert stopped("f" * 16, pid) == 0
    assert b"serve" in command_of(pid)
    assert stopped(TOKEN, os.getpid()) == 0
    assert stopped(TOKEN, pid) == 0
    for _ in range(1000):
        if b"serve" not in command_of(pid):
            break
        signal.sigtimedwait([], 0.01)
    assert b"serve" not in command_of(pid)


def test_an_address_that_is_not_here_starts_no_responder():
    done = program("serve", TOKEN, "5", "47910", "192.0.2.1")
    assert done.returncode != 0
    assert done.stdout == ""
