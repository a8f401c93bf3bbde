"""Who answers is asked by a real shell, over real connections on loopback."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import IPv4Address

import pytest

from deploy.rollout.oob import answering
from deploy.rollout.switch_wave import window_s
from deploy.switches.push_session import PushStopped
from inventory import open_site
from inventory.oob.paths import Behind
from validation.evidence.gather import Reply

PLAN = open_site("lab")


class Shell:
    """The OOB server's, which is this machine's."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.asked.append(device)
        done = subprocess.run(["sh"], input=script.encode(), capture_output=True, timeout=timeout_s)
        return Reply(done.stdout, done.returncode, "")


@pytest.fixture
def open_at(monkeypatch) -> Iterator[int]:
    """A port that 127.0.0.2 and 127.0.0.3 take connections at."""
    with ExitStack() as opened:
        one = opened.enter_context(socket.create_server(("127.0.0.2", 0)))
        port = int(one.getsockname()[1])
        opened.enter_context(socket.create_server(("127.0.0.3", port)))
        monkeypatch.setattr(answering, "_PORTS", {"netmgmt": port})
        monkeypatch.setattr(answering, "_OTHERS", port)
        monkeypatch.setattr(answering, "_EACH_S", 60)  # a busy machine is late, and no silent one
        yield port


def of(last: int, zone: str = "netmgmt") -> Behind:
    return Behind(f"device{last}", zone, IPv4Address(f"127.0.0.{last}"))


@pytest.mark.usefixtures("open_at")
def test_those_that_take_a_connection_answer_and_no_others():
    shell, asked = Shell(), [of(2), of(3, "bmc"), of(4)]
    assert answering.answering(PLAN, shell, asked) == {of(2), of(3, "bmc")}
    assert shell.asked == ["oob1"]
    assert answering.answering(PLAN, shell, [of(4)]) == frozenset()
    assert answering.answering(PLAN, shell, []) == frozenset()
    assert len(shell.asked) == 2


@pytest.mark.parametrize(
    "reply",
    [(b"", None, "timed out"), (b"127.0.0.2 22\n", 0, ""), (b"end\n", 1, "")],
)
def test_an_answer_that_is_cut_off_says_of_nobody_that_he_is_gone(reply):
    class Cut:
        def run(self, *_: object) -> Reply:
            return Reply(*reply)

    with pytest.raises(PushStopped, match="oob1 does not say who answers"):
        answering.answering(PLAN, Cut(), [of(2)])


def test_a_window_is_long_enough_for_two_looks_at_all_that_is_behind():
    assert answering.comes_back_s(3000) > 2 * answering.look_s(3000) > 2 * 3000 / 64 * 3
    assert window_s(PLAN, "leaf-p1-r1") == window_s(PLAN)
