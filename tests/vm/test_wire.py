"""Two machines, a cable between them, soft-RoCE at both ends: what is really on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .blows import MARKS
from .image import ensure_image
from .machine import Form, Machine, Port
from .two import wait_for_wire

pytestmark = [pytest.mark.lab, pytest.mark.full]

TOS = 106
_ADDRESS = {"a": "10.9.0.1", "b": "10.9.0.2"}
_WIRE = "stream,addr.type=unix,addr.path={path},server={server}"
_CATCH = "tcpdump -i rail0 -w /run/wire.pcap -U -s 96 udp port 4791 >/dev/null 2>&1 & echo $!"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Machine]]:
    """Machines a and b; rail0 of one is cabled to rail0 of the other."""
    folder = tmp_path_factory.mktemp("pair")
    machines = {name: _machine(name, folder) for name in _ADDRESS}
    try:
        for one in machines.values():
            one.launch()
            wait_for_wire(folder / "wire")
        for name, one in machines.items():
            one.wait_login()
            one.wait("rdma link show rxe-rail0/1")
            one.run(f"ip address add {_ADDRESS[name]}/24 dev rail0 && ip link set rail0 up")
        yield machines
    finally:
        for one in machines.values():
            one.cut()


def _machine(name: str, folder: Path) -> Machine:
    wire = _WIRE.format(path=folder / "wire", server="on" if name == "a" else "off")
    at = ord(name)
    form = Form(
        name, "192.0.2.11", "192.0.2.1", "192.0.2.0/24", f"02:00:00:00:00:{at:02x}",
        (Port(f"02:00:00:00:01:{at:02x}", wire),), "file",
    )  # fmt: skip
    return Machine(ensure_image(), form, folder / name)


def _tos_of_data(pair: dict[str, Machine]) -> dict[int, int]:
    """Packets of a connection made by the RDMA connection manager, by TOS, as b hears them."""
    a, b = pair["a"], pair["b"]
    asked = "ib_write_bw -R -d rxe-rail0 -x 1 -s 4096 -n 100 -F"
    catcher = b.out(_CATCH)
    b.run(f"{asked} >/run/server 2>&1 & sleep 3")
    said = a.run(f"timeout 60 {asked} {_ADDRESS['b']}", check=False)
    assert said.status == 0, f"{said} {b.out('cat /run/server')}"
    b.run(f"sleep 1; kill {catcher}; sleep 1")
    heard = b.out("tcpdump -n -v -r /run/wire.pcap 2>/dev/null")
    counted: dict[int, int] = {}
    for tos in re.findall(r"IP \(tos (0x[0-9a-f]+)", heard):
        counted[int(tos, 16)] = counted.get(int(tos, 16), 0) + 1
    return counted


def test_data_carries_what_the_connection_manager_was_told(pair):
    """TOS 0 before, the plan's TOS after it is written where the role writes it."""
    before = _tos_of_data(pair)
    assert before.get(TOS, 0) == 0, before
    assert before[0] > 100
    for one in pair.values():
        path = Path(MARKS.format(rail="rail0", what="tos"))
        one.run(f"set -e; modprobe rdma_cm; mkdir -p {path.parents[2]}; echo {TOS} >{path}")
    after = _tos_of_data(pair)
    assert after.get(TOS, 0) > 100, after
