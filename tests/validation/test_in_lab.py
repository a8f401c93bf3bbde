"""Validation against real FRR, lldpd and kernels: a small fabric in namespaces, broken by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.lab.fabric import netns_fabric
from deploy.lab.machines import machine
from deploy.lab.machines.netns_run import NetnsTransport
from deploy.loads import probe_run
from tests.deploy.lab.traces import forget
from tests.labs import lab_name
from validation.evidence.store import EvidenceStore
from validation.judging.gate import Word
from validation.probes.planned import probes
from validation.run import ValidationResult, validate
from validation.verdict import Verdict

from .recorded import NOT_RECORDED, everything, gated, lab

pytestmark = pytest.mark.lab
NAME = lab_name("judge")
SETTLE_S = 90.0


@pytest.fixture(scope="module")
def fabric() -> Iterator[NetnsTransport]:
    """Built once; each test mends what it breaks."""
    forget(NAME)
    netns_fabric(lab(), NAME, lambda _: None)
    yield NetnsTransport(NAME)
    forget(NAME)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state") / "learned.json"


Measure = Callable[..., ValidationResult]


@pytest.fixture
def measure(fabric, learned, tmp_path) -> Measure:
    def once(through: int = 40) -> ValidationResult:
        store = EvidenceStore(tmp_path)
        if through >= 40:
            probe_run.run(lab(), probes(lab(), everything()), fabric, store)
        return validate(
            lab(), through, store, fabric, everything(), learned, leave_out=NOT_RECORDED
        )

    return once


def healthy(measure: Measure) -> ValidationResult:
    """The first measurement that passes whole, or the last before routing should be quiet."""
    give_up = time.monotonic() + SETTLE_S
    while True:
        found = measure()
        if len(found.passed) == len(found.findings) or time.monotonic() > give_up:
            return found
        time.sleep(1)


def until_suspects(measure: Measure, through: int, suspects: set[str]) -> None:
    """The fault is found, and nothing else is blamed, once routing has settled on it."""
    give_up = time.monotonic() + SETTLE_S
    while True:
        decision = gated(measure(through))
        if set(decision.suspects) == suspects or time.monotonic() > give_up:
            break
        time.sleep(1)
    assert (decision.word, set(decision.suspects)) == (Word.STOP, suspects)


def on(device: str, command: str) -> None:
    done = machine.inside(NAME, device, ["sh", "-c", command], timeout_s=30)
    assert done.returncode == 0, done.stderr


@contextmanager
def broken(device: str, command: str, mend: str) -> Iterator[None]:
    on(device, command)
    try:
        yield
    finally:
        on(device, mend)


def test_a_healthy_fabric_passes_and_is_asked_once_each(measure):
    """Everything passes; the second run makes one trip to each device."""
    assert [one for one in healthy(measure).findings if one.verdict is not Verdict.PASS] == []
    again = measure()
    assert gated(again).word is Word.GO
    assert set(again.trips.values()) == {1}


def test_what_was_gathered_live_says_the_same_offline(measure, tmp_path):
    """The saved evidence alone gives the same findings."""
    found = healthy(measure)
    saved = validate(
        lab(), 40, EvidenceStore.load(tmp_path), None, everything(), leave_out=NOT_RECORDED
    )
    assert saved.findings == found.findings


@pytest.mark.instances(keep=1, of="a fault in a lab of namespaces")
def test_a_link_switched_off_is_named(measure):
    healthy(measure)
    with broken("leaf-p1-r0", "ip link set swp5 down", "ip link set swp5 up"):
        until_suspects(measure, 20, {"port leaf-p1-r0:swp5"})


@pytest.mark.instances(keep=1, of="a fault in a lab of namespaces")
def test_a_small_mtu_is_named_by_probes_too(measure):
    healthy(measure)
    with broken("leaf-p1-r0", "ip link set swp2 mtu 1500", "ip link set swp2 mtu 9216"):
        until_suspects(measure, 40, {"port leaf-p1-r0:swp2"})


@pytest.mark.instances(keep=1, of="a fault in a lab of namespaces")
def test_packets_lost_in_one_spine_are_narrowed_to_its_links(measure):
    """Nothing that is configured shows it: only the flows' own paths do."""
    healthy(measure)
    lose = (
        "nft add table ip lose; nft 'add chain ip lose f { type filter hook forward priority 0; }'"
    )
    with broken(
        "spine1",
        f"{lose}; nft add rule ip lose f ip length gt 8000 drop",
        "nft delete table ip lose",
    ):
        until_suspects(
            measure,
            40,
            {
                "cable leaf-p1-r0:swp5 -- spine1:swp1",
                "cable leaf-p1-r1:swp5 -- spine1:swp2",
                "cable leaf-p2-r0:swp5 -- spine1:swp3",
                "cable leaf-p2-r1:swp5 -- spine1:swp4",
            },
        )


def test_probes_leave_nothing_running(measure):
    """No responder outlives the run."""
    measure()
    for node in lab().node:
        done = machine.inside(NAME, node, ["sh", "-c", "cat /proc/[0-9]*/cmdline"], timeout_s=30)
        assert b"df_probe.py\0serve" not in done.stdout
