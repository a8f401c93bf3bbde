"""Leaves, spines and superspines by real FRR from their rendered files, and a drain of a spine.

4 leaves in 2 pods, 4 spines, 4 superspines: the kernels' routes and the daemons are asked, and
datagrams between all leaves are counted. No VRF and no QoS: the kernel of a netns lab is the
host's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.lab.fabric import netns_fabric
from inventory import open_site
from switch_configs import dialect, intent
from switch_configs.frr import read, statements
from switch_configs.intent import SwitchIntent
from switch_configs.linux_frr import frr
from switch_configs.readback.wanted import wanted
from tests.generated.sites import SMALL_THREE_TIER, generated_site
from tests.labs import lab_name
from tests.switch_configs.sites import small

from .clos_state import Clos, announced, wait_until
from .mesh import PORT, ends, traffic
from .traces import forget, traces

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="a fabric of many machines in namespaces"),
]
NAME = lab_name("three")
DRAINED = "spine-p1-1"
UNNEEDED = "spine-p2-2"
RATE = 300
FRR = "/etc/frr/frr.conf"
RESTART = "/usr/lib/frr/frrinit.sh restart >/dev/null 2>&1"

# All that is forwarded is dropped for a moment.
HOLE = """
set -e
nft add table ip hole
nft add chain ip hole through '{ type filter hook forward priority 0; policy drop; }'
sleep 0.2
nft delete table ip hole
"""
# What is forwarded for the probe: control packets of the switch itself are not.
COUNTER = f"""
set -e
nft add table ip counted
nft add chain ip counted through '{{ type filter hook forward priority -1; }}'
nft add rule ip counted through udp dport {PORT} counter
"""


@pytest.fixture(
    scope="module", params=["unnumbered", pytest.param("numbered", marks=pytest.mark.full)]
)
def clos(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clos]:
    size = replace(SMALL_THREE_TIER, numbered=request.param == "numbered")
    site = generated_site(tmp_path_factory.mktemp("site") / "three", size)
    slower_bfd(site / "fabric.yml")
    found = Clos(open_site(site), NAME)
    forget(NAME)
    netns_fabric(found.plan, NAME, lambda _: None, lldp=False)
    wait_until(found.settled)
    yield found
    forget(NAME)
    assert traces(NAME) == []


def slower_bfd(fabric: Path) -> None:
    """A busy machine must not look like a broken link: 12 switches share its processors."""
    text = fabric.read_text()
    assert "bfd_interval_ms: 300" in text
    fabric.write_text(text.replace("bfd_interval_ms: 300", "bfd_interval_ms: 1000"))


def test_every_session_is_up_and_watched_by_bfd(clos: Clos) -> None:
    assert clos.established() == clos.sessions()
    assert clos.watched() == clos.sessions()
    assert sum(clos.sessions().values()) == 2 * (4 * 2 + 4 * 2)


def test_the_kernels_have_every_leaf_over_the_designed_width(clos: Clos) -> None:
    assert clos.widths() == clos.designed()
    assert {one.ecmp_width for one in clos.tier("leaf")} == {2}


def test_no_path_goes_through_a_leaf_or_up_again(clos: Clos) -> None:
    """Every path that the kernels' next hops allow, from every leaf to every other one."""
    found = clos.routes()
    tiers = {one.name: one.tier for one in clos.plan.switches}
    for start in clos.tier("leaf"):
        for end in clos.tier("leaf"):
            for prefix in announced(end) if start != end else ():
                paths = list(clos.paths(found, [start.name], prefix, end.name))
                shapes = {tuple(tiers[one] for one in path) for path in paths}
                far = ("leaf", "spine", "superspine", "spine", "leaf")
                same_pod = start.pod == end.pod
                assert shapes == {("leaf", "spine", "leaf") if same_pod else far}
                assert len(paths) == (2 if same_pod else 4)


def test_jumbo_datagrams_pass_between_every_pair_of_leaves(clos: Clos) -> None:
    """9000 bytes with DF, by ping and by datagrams of many flows over all paths."""
    for node, own in ends(clos.plan).items():
        others = [one for name, of in ends(clos.plan).items() for one in of if name != node]
        pings = [
            f"ping -q -M do -s 8972 -c 1 -W 2 -I {a} {b}"
            for a in own
            for b in others + own
            if a != b
        ]
        assert len(pings) == 6
        clos.ask(node, "\n".join(["set -e", *pings]))
    with traffic(clos.plan, NAME, RATE, payload_bytes=8972) as told:
        time.sleep(1)
    assert told.sent > RATE
    assert told.lost == []


def test_what_runs_is_what_was_rendered(clos: Clos) -> None:
    for name, text in clos.ask_all("vtysh -c 'show running-config'").items():
        made = made_for(clos, name)
        assert statements(text) == statements(frr_conf(made))
        found, facts = read(text), wanted(made)
        assert (found.sessions, found.policies) == (facts.sessions, facts.policies)
        assert (found.originates, found.ecmp_width) == (facts.originates, facts.ecmp_width)


def running(clos: Clos, device: str) -> list[str]:
    return statements(clos.ask(device, "vtysh -c 'show running-config'"))


def made_for(clos: Clos, name: str, *, drained: bool = False) -> SwitchIntent:
    made = intent(clos.plan, name, drained=drained)
    assert isinstance(made, SwitchIntent)
    return made


def frr_conf(made: SwitchIntent) -> str:
    rendered = dialect(made.switch.dialect).render(made)
    return next(one.text for one in rendered.files if one.path == FRR)


def test_the_count_of_lost_packets_sees_a_short_hole(clos: Clos) -> None:
    with traffic(clos.plan, NAME, RATE) as told:
        time.sleep(0.3)
        clos.ask(DRAINED, HOLE)
        time.sleep(0.3)
    assert told.lost


def test_a_spine_is_drained_replaced_and_used_again_without_a_lost_packet(clos: Clos) -> None:
    made, drained = made_for(clos, DRAINED), made_for(clos, DRAINED, drained=True)
    drain = dialect("linux_frr").drain_command
    clos.ask(DRAINED, COUNTER)
    with traffic(clos.plan, NAME, RATE) as told:
        wait_until(lambda: through(clos) > 0)
        clos.ask(DRAINED, drain(made, True))
        left_s = wait_until(lambda: not used(clos))
        time.sleep(0.2)  # What was on its way may still arrive.
        before = through(clos)
        time.sleep(1)
        assert through(clos) == before, "packets still pass a drained spine"
        restart(clos, frr_conf(drained))
        back_s = wait_until(lambda: clos.established() == clos.sessions())
        assert used(clos) == []
        assert running(clos, DRAINED) == statements(frr_conf(drained))
        clos.ask(DRAINED, drain(made, False))
        again_s = wait_until(lambda: clos.widths() == clos.designed())
        wait_until(lambda: through(clos) > before)
        assert through(clos) > before
    assert clos.widths() == clos.designed()
    assert told.lost == []
    assert running(clos, DRAINED) == statements(frr_conf(made))
    print(
        f"{told.sent} packets, 0 lost: left after {left_s:.1f} s, sessions back after "
        f"{back_s:.1f} s, used again after {again_s:.1f} s"
    )


def through(clos: Clos) -> int:
    """Datagrams of the probe that the spine has forwarded since COUNTER."""
    rules = json.loads(clos.ask(DRAINED, "nft -j list chain ip counted through"))["nftables"]
    (counted,) = [
        expr["counter"]["packets"]
        for rule in rules
        for expr in rule.get("rule", {}).get("expr", ())
        if "counter" in expr
    ]
    return int(counted)


def used(clos: Clos) -> list[str]:
    """Where the kernel of a leaf sends what is for another leaf to the spine that is drained.

    Superspines have no other way into its pod and keep theirs: nobody asks them for it, because
    the mark goes with the routes, and leaves of other pods use another spine too.
    """
    routes = clos.routes()
    prefixes = {one for leaf in clos.tier("leaf") for one in announced(leaf)}
    towards = {
        (leaf.name, session.port)
        for leaf in clos.tier("leaf")
        for session in leaf.sessions
        if session.peer.device == DRAINED
    }
    return [
        f"{name}: {prefix} to {port}"
        for name, port in sorted(towards)
        for prefix, ports in routes[name].items()
        if prefix in prefixes and port in ports
    ]


def restart(clos: Clos, text: str) -> None:
    """Off with all cables for two seconds, then on again with this file."""
    ports = [one.name for one in clos.plan.switch[DRAINED].ports]
    down, up = (
        "\n".join(f"ip link set {port} {word}" for port in ports) for word in ("down", "up")
    )
    clos.ask(DRAINED, f"{down}\n/usr/lib/frr/frrinit.sh stop >/dev/null 2>&1")
    time.sleep(2)
    clos.ask(DRAINED, f"cat >{FRR} <<'END'\n{text}END\n{up}\n{RESTART}")


def test_frr_shows_tables_of_users_as_they_are_rendered(clos: Clos) -> None:
    """On a switch that others can do without: this kernel has no VRF, and bgpd asks for none."""
    try:
        _shows_tables_of_users(clos)
    finally:
        own = frr_conf(made_for(clos, UNNEEDED))
        clos.ask(UNNEEDED, f"cat >{FRR} <<'END'\n{own}END\n{RESTART}")
        wait_until(clos.settled)


def _shows_tables_of_users(clos: Clos) -> None:
    for name, drained in (("business-leaf-b1-1", False), ("business-spine1", True)):
        made = intent(small("linux_frr"), name, drained=drained)
        assert isinstance(made, SwitchIntent)
        shown = statements(frr.text(made))
        assert any(" vrf " in one for one in shown)
        clos.ask(UNNEEDED, f"cat >{FRR} <<'END'\n{frr.text(made)}END\n{RESTART}")
        for _ in range(20):
            if running(clos, UNNEEDED) != shown:
                time.sleep(0.5)
        assert running(clos, UNNEEDED) == shown
