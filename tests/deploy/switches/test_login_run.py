"""Logins to hundreds of switches at once: few begin at a time, and silent switches hold none up."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import paramiko
import pytest

from deploy.switches import login_run, switch_push
from deploy.switches.login_run import reach
from deploy.switches.push_session import DeviceUnreachable
from deploy.switches.switch_push import connect

HELLO = b"SSH-2.0-switch\r\n"


def at(server: socket.socket) -> paramiko.SSHConfigDict:
    return paramiko.SSHConfigDict(hostname="127.0.0.1", port=str(server.getsockname()[1]))


def test_a_switch_that_says_nothing_or_is_not_there_is_told_apart(monkeypatch, tmp_path):
    monkeypatch.setattr(login_run, "CONNECT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = at(server)
        with pytest.raises(DeviceUnreachable, match=r"no hello within 0\.2 s"):
            reach(tmp_path / "config", where)
    with pytest.raises(DeviceUnreachable, match="no connection: Connection refused"):
        reach(tmp_path / "config", where)


def test_few_logins_begin_at_a_time_and_only_of_those_who_said_hello(monkeypatch, tmp_path):
    monkeypatch.setattr(switch_push, "LOGINS", threading.BoundedSemaphore(2))
    under_way, most, lock = set[int](), [0], threading.Lock()

    def logged_in(near: socket.socket, *_: object) -> SimpleNamespace:
        with lock:
            under_way.add(threading.get_ident())
            most[0] = max(most[0], len(under_way))
        time.sleep(0.05)
        with lock:
            under_way.discard(threading.get_ident())
        return SimpleNamespace(disconnect=near.close)

    monkeypatch.setattr(switch_push, "_logged_in", logged_in)
    good, silent = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
    greet(good, 8)
    lines = [
        f"Host {name}\n  HostName 127.0.0.1\n  Port {server.getsockname()[1]}\n"
        for name, server in (("good", good), ("silent", silent))
    ]
    (tmp_path / "config").write_text("".join(lines))
    here: Any = SimpleNamespace(ssh_config=tmp_path / "config", known_hosts=tmp_path / "known")
    with ThreadPoolExecutor(16) as pool:
        waits = [pool.submit(connect, "silent", "linux", here, Path("key")) for _ in range(4)]
        for one in [pool.submit(connect, "good", "linux", here, Path("key")) for _ in range(8)]:
            one.result().close()
        assert most == [2]
        assert not [one for one in waits if one.done()], "these still wait, and held nobody up"
        silent.close()
        for one in waits:
            one.result().close()
    good.close()


def greet(server: socket.socket, times: int) -> None:
    """Say hello to so many who come."""

    def serve() -> None:
        for _ in range(times):
            wire, _ = server.accept()
            with wire:
                wire.sendall(HELLO)

    threading.Thread(target=serve, daemon=True).start()
