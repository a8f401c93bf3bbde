"""Real faults, each stopped at the right gate with the right suspect named."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from deploy import lab
from deploy.lab.faults import port_down, port_up
from deploy.measuring.measure import Measured, validate_site
from deploy.rollout.change import apply_site
from deploy.rollout.runbook import ApplyResult
from inventory import open_site, site_folder
from inventory.plan import PortRef
from tests.labs import lab_name
from validation.verdict import Verdict

from .chain import SELECTION, STRAY, inside, mended, silent
from .recable import recable

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("mended_at_the_end")]


def measured(through: int = 99) -> Measured:
    return validate_site(SELECTION, through, (), silent)


def suspects(result: Measured) -> set[str]:
    return {one.suspect for one in result.findings if one.verdict is not Verdict.PASS}


def failed_stages(result: Measured) -> set[int]:
    return {one.stage for one in result.findings if one.verdict is Verdict.FAIL}


@pytest.fixture(scope="module")
def mended_at_the_end(converged: object) -> Iterator[None]:
    """The next file finds the lab as planned; `STRAY` on spine2 hurts no test here."""
    yield
    mended()


@contextmanager
def mended_afterwards() -> Iterator[None]:
    """What the test did would fail another one: a session, a route, a configuration's file."""
    try:
        yield
    finally:
        mended()


def plugged(uplink: PortRef) -> None:
    """A leaf's uplink is on again, and its session with it."""
    port_up(SELECTION.lab, uplink)
    until(lambda: has_both(uplink.device))


@pytest.mark.instances(keep=1, of="a fault that validate names")
def test_a_link_down_fails_stage_20_and_its_port_is_the_suspect():
    """Stage 20 names the one port that is off; back on, all is well again."""
    cable = open_site("lab").cable_at[PortRef("leaf-p1-r0", "swp5")]
    port_down(SELECTION.lab, cable.a)
    try:
        result = measured(20)
    finally:
        plugged(cable.a)
    assert result.exit_code == 1
    assert failed_stages(result) == {20}
    assert suspects(result) == {"port leaf-p1-r0:swp5"}


@pytest.mark.instances(keep=1, of="a fault that stops apply")
def test_a_link_down_stops_apply_before_anything_is_touched_further():
    """The gate of the first wave that changes something stops, and names the port."""
    inside("leaf-p2-r1", f"vtysh -c 'conf t' -c '{STRAY}'")
    inside("spine2", f"vtysh -c 'conf t' -c '{STRAY}'")
    port = PortRef("leaf-p1-r1", "swp6")
    port_down(SELECTION.lab, port)
    try:
        stopped = apply_site(SELECTION, "", dry_run=False, say=silent)
    finally:
        plugged(port)
    assert stopped.exit_code == 1
    assert stopped.waves[-1].decision == "stop"
    assert stopped.waves[-1].name == "spines-rest"
    assert any("leaf-p1-r1:swp6" in reason for reason in stopped.waves[-1].reasons)
    untouched = inside("leaf-p2-r1", "vtysh -c 'show running-config'")
    assert STRAY in untouched
    inside("leaf-p2-r1", f"vtysh -c 'conf t' -c 'no {STRAY}'")


@pytest.mark.instances(keep=1, of="a fault that stops apply")
def test_mtu_1500_on_one_leaf_port_stops_apply_at_stage_40_and_is_the_suspect():
    """Routing does not notice; the read-back and the whole-packet probes stop the next gate."""
    inside("spine2", f"vtysh -c 'conf t' -c '{STRAY}'")
    inside("leaf-p2-r0", "ip link set swp5 mtu 1500")
    try:
        stopped = apply_site(SELECTION, "", dry_run=False, say=silent)
    finally:
        inside("leaf-p2-r0", "ip link set swp5 mtu 9216")
    assert stopped.exit_code == 1
    assert stopped.waves[-1].name == "spines-rest"
    bad = [one for one in stopped.findings if one.verdict is Verdict.FAIL]
    assert {one.stage for one in bad} == {40}
    assert {one.suspect for one in bad} == {"port leaf-p2-r0:swp5"}
    assert {"mtu", "df"} <= {one.check for one in bad}
    # Loads over a path that is known to be wrong would prove nothing, and are not run.
    rest = [one for one in stopped.findings if one.verdict is Verdict.INCONCLUSIVE]
    assert {one.stage for one in rest} == {50}


@pytest.mark.instances(keep=1, of="a fault that validate names")
def test_an_asn_changed_behind_our_back_names_the_spine():
    """A spine that runs another AS fails stage 20 by name; apply finds and mends it."""
    running = inside("spine1", "vtysh -c 'show running-config no-header'")
    planned = next(line for line in running.splitlines() if line.startswith("router bgp"))
    other = running.replace(planned, "router bgp 4200009999")
    with mended_afterwards():
        inside("spine1", f"vtysh -c 'conf t' -c 'no {planned}'")
        inside("spine1", f"cat > /tmp/other.conf <<'END'\n{other}\nEND\nvtysh -f /tmp/other.conf")
        result = measured(20)
    assert failed_stages(result) == {20}
    assert "device spine1" in suspects(result), suspects(result)
    told = [one.found for one in result.findings if one.suspect == "device spine1"]
    assert any("4200009999" in one for one in told), told
    assert "4200009999" not in inside("spine1", "vtysh -c 'show running-config'")


@pytest.mark.instances(keep=1, of="a fault that validate names")
def test_stale_kernel_ecmp_after_a_flap_names_the_kernel_of_the_leaf():
    """BGP says two paths, the kernel has one: only a look at the kernel's routes sees it.

    FRR 8.4 with kernel next-hop objects, which our frr.conf switches off, loses a member
    of the group on a link flap and does not put it back.
    """
    leaf = "leaf-p1-r0"
    with mended_afterwards():
        inside(leaf, "sed -i '/no zebra nexthop kernel enable/d' /etc/frr/frr.conf")
        inside(leaf, "systemctl restart frr")
        assert any(flap_leaves_one_path(leaf) for _ in range(5)), "FRR 8.4's fault did not show"
        result = measured(20)
    sessions = {one.verdict for one in result.findings if one.check == "bgp"}
    assert sessions == {Verdict.PASS}
    assert failed_stages(result) == {20}
    stale = [one for one in result.findings if one.verdict is Verdict.FAIL]
    assert {one.check for one in stale} == {"route"}
    assert {one.device for one in stale} == {leaf}
    assert any("kernel" in one.suspect + one.found for one in stale), stale


REMOTE = "10.255.0.3/32"  # the loopback of leaf-p2-r0, reached over both spines


def hops(leaf: str) -> list[dict[str, bool]]:
    """The next hops of FRR to the remote loopback that it uses; `fib`: the kernel took it."""
    told = json.loads(inside(leaf, f"vtysh -c 'show ip route {REMOTE} json'"))
    return [hop for hop in told.get(REMOTE, [{}])[0].get("nexthops", []) if hop.get("active")]


def kernel_paths(leaf: str) -> int:
    """How many paths the kernel has to it."""
    kernel = inside(leaf, f"ip -4 route show {REMOTE}")
    return kernel.count("nexthop via") or kernel.count(" dev ")


def has_both(leaf: str) -> bool:
    """FRR uses both paths, and has heard of the kernel that it has them."""
    return [bool(hop.get("fib")) for hop in hops(leaf)] == [True, True]


def flap_leaves_one_path(leaf: str) -> bool:
    """Take a link down until FRR has noticed, and up again; whether the kernel stays behind."""
    until(lambda: has_both(leaf))
    inside(leaf, "ip link set swp5 down")
    try:
        until(lambda: len(hops(leaf)) == 1)
    finally:
        inside(leaf, "ip link set swp5 up")
    until(lambda: has_both(leaf))
    return kernel_paths(leaf) == 1


def until(true: Callable[[], bool]) -> None:
    """Poll; two minutes are far more than BGP needs."""
    give_up = time.monotonic() + 120
    while not true():
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.2)


# The leaf's two cables to the spines, and each in the other's place.
RIGHT = (("leaf-p1-r0:swp5", "spine1:swp1"), ("leaf-p1-r0:swp6", "spine2:swp1"))
SWAPPED = (("leaf-p1-r0:swp5", "spine2:swp1"), ("leaf-p1-r0:swp6", "spine1:swp1"))


@pytest.mark.instances(keep=1, of="a fault that stops apply")
def test_two_swapped_cables_stop_apply_at_the_gate_that_sees_both_ends():
    """Swapped while power was off, cables stop a rollout of all leaves at the first one."""
    leaves = [one for one in open_site("lab").switches if one.tier == "leaf"]
    with mended_afterwards():
        try:
            recable(SELECTION.lab, SWAPPED)
            for leaf in leaves:
                inside(leaf.name, f"vtysh -c 'conf t' -c 'no router bgp {leaf.asn}'")
            stopped = apply_site(SELECTION, "", dry_run=False, say=silent)
        finally:
            recable(SELECTION.lab, RIGHT)
    stopped_at_the_swap(stopped)


def stopped_at_the_swap(stopped: ApplyResult) -> None:
    assert stopped.exit_code == 1
    assert stopped.waves[-1].name == "leaves-canary"
    reasons = " ".join(stopped.waves[-1].reasons)
    assert "swapped" in reasons, reasons
    assert "leaf-p1-r0:swp5" in reasons
    assert "leaf-p1-r0:swp6" in reasons


@pytest.mark.full
def test_a_new_lab_with_two_swapped_cables_stops_there_too(tmp_path):
    """Mis-cabled by --wiring from the start; from nothing, all else is brought up before."""
    from deploy.session import Selection

    name = lab_name("swap")
    good = (site_folder("lab") / "wiring.csv").read_text()
    swapped = good.replace("leaf-p1-r0,swp5,spine1,swp1", "leaf-p1-r0,swp5,spine2,swp1", 1)
    swapped = swapped.replace("leaf-p1-r0,swp6,spine2,swp1", "leaf-p1-r0,swp6,spine1,swp1", 1)
    assert swapped != good
    wiring = tmp_path / "wiring.csv"
    wiring.write_text(swapped)
    lab.down(name)
    try:
        lab.up(site_folder("lab"), name, wiring=wiring, say=silent)
        stopped = apply_site(Selection("lab", name), "", dry_run=False, say=silent)
    finally:
        lab.down(name)
    stopped_at_the_swap(stopped)
