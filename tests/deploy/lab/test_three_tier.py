"""Leaves, spines and superspines by real FRR from their rendered files, and a drain of a spine.

4 leaves in 2 pods, 4 spines, 4 superspines: the kernels' routes and the daemons are asked, and
datagrams between all leaves are counted. No VRF and no QoS: the kernel of a netns lab is the
host's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.fabric import netns_fabric
from deploy.lab.netns_run import NetnsTransport
from inventory import Plan, open_site
from inventory.generate import SMALL_THREE_TIER, generated_site
from inventory.plan import Switch
from switch_configs import dialect, intent
from switch_configs.frr import read, statements
from switch_configs.intent import Rendered, SwitchIntent
from switch_configs.linux_frr import frr
from switch_configs.wanted import wanted
from tests.switch_configs.sites import small

from .mesh import PORT, ends, traffic
from .traces import forget, traces

pytestmark = pytest.mark.lab
NAME = "tthree"
TRANSPORT = NetnsTransport(NAME)
DRAINED = "spine-p1-1"
UNNEEDED = "spine-p2-2"
RATE = 300
FRR = "/etc/frr/frr.conf"
_CONVERGES_S = 60


@pytest.fixture(
    scope="module", params=["unnumbered", pytest.param("numbered", marks=pytest.mark.full)]
)
def plan(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Plan]:
    size = replace(SMALL_THREE_TIER, numbered=request.param == "numbered")
    site = generated_site(tmp_path_factory.mktemp("site") / "three", size)
    slower_bfd(site / "fabric.yml")
    found = open_site(site)
    forget(NAME)
    netns_fabric(found, NAME, lambda _: None, lldp=False)
    wait_until(lambda: settled(found))
    yield found
    forget(NAME)
    assert traces(NAME) == []


def slower_bfd(fabric: Path) -> None:
    """A busy machine must not look like a broken link: 12 switches share its processors."""
    text = fabric.read_text()
    assert "bfd_interval_ms: 300" in text
    fabric.write_text(text.replace("bfd_interval_ms: 300", "bfd_interval_ms: 1000"))


def settled(plan: Plan) -> bool:
    up = sessions(plan)
    return established(plan) == up == watched(plan) and widths(plan) == designed(plan)


def wait_until(reached: Callable[[], bool]) -> float:
    """Seconds until it was so; the tests then say what it is, if it is not."""
    began = time.monotonic()
    while not reached() and time.monotonic() < began + _CONVERGES_S:
        time.sleep(0.2)
    return time.monotonic() - began


def ask(device: str, command: str) -> str:
    reply = TRANSPORT.run(device, command, 30)
    assert reply.exit_status == 0, f"{device}: {command}: {reply.error}"
    return reply.stdout.decode()


def ask_all(devices: list[str], command: str) -> dict[str, str]:
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(devices, pool.map(lambda one: ask(one, command), devices), strict=True))


def tier(plan: Plan, name: str) -> list[Switch]:
    return [one for one in plan.switches if one.tier == name]


def names(plan: Plan) -> list[str]:
    return [one.name for one in plan.switches]


def sessions(plan: Plan) -> dict[str, int]:
    return {one.name: len(one.sessions) for one in plan.switches}


def established(plan: Plan) -> dict[str, int]:
    """Sessions that are up, by switch."""
    answers = ask_all(names(plan), "vtysh -c 'show bgp summary json'")
    return {
        name: sum(
            peer["state"] == "Established"
            for peer in json.loads(answer).get("ipv4Unicast", {}).get("peers", {}).values()
        )
        for name, answer in answers.items()
    }


def watched(plan: Plan) -> dict[str, int]:
    """BFD sessions that are up, by switch."""
    answers = ask_all(names(plan), "vtysh -c 'show bfd peers json'")
    return {
        name: sum(one["status"] == "up" for one in json.loads(answer))
        for name, answer in answers.items()
    }


def routes(plan: Plan) -> dict[str, dict[str, list[str]]]:
    """The ports that the kernel of each switch sends a learnt prefix to."""
    answers = ask_all(names(plan), "ip -json route show proto bgp")
    return {
        name: {
            one["dst"]: sorted(hop["dev"] for hop in one.get("nexthops", [one]))
            for one in json.loads(answer)
        }
        for name, answer in answers.items()
    }


def announced(leaf: Switch) -> list[str]:
    """As the kernel shows them: a host's route has no length."""
    return [str(one).removesuffix("/32") for one in leaf.originates]


def widths(plan: Plan) -> dict[tuple[str, str], int]:
    """Equal paths in the kernel, by switch and prefix of a leaf."""
    found = routes(plan)
    prefixes = {one for leaf in tier(plan, "leaf") for one in announced(leaf)}
    return {
        (name, prefix): len(ports)
        for name, of in found.items()
        for prefix, ports in of.items()
        if prefix in prefixes
    }


def designed(plan: Plan) -> dict[tuple[str, str], int]:
    """All uplinks up to where the paths meet, then the one link down."""
    out = {}
    for leaf in tier(plan, "leaf"):
        for one in plan.switches:
            if one.name == leaf.name:
                continue
            is_below = one.tier == "superspine" or (one.tier == "spine" and one.pod == leaf.pod)
            out |= dict.fromkeys(
                [(one.name, prefix) for prefix in announced(leaf)],
                1 if is_below else one.ecmp_width,
            )
    return out


def test_every_session_is_up_and_watched_by_bfd(plan: Plan) -> None:
    assert established(plan) == sessions(plan)
    assert watched(plan) == sessions(plan)
    assert sum(sessions(plan).values()) == 2 * (4 * 2 + 4 * 2)


def test_the_kernels_have_every_leaf_over_the_designed_width(plan: Plan) -> None:
    assert widths(plan) == designed(plan)
    assert {one.ecmp_width for one in tier(plan, "leaf")} == {2}


def test_no_path_goes_through_a_leaf_or_up_again(plan: Plan) -> None:
    """Every path that the kernels' next hops allow, from every leaf to every other one."""
    found = routes(plan)
    tiers = {one.name: one.tier for one in plan.switches}
    for start in tier(plan, "leaf"):
        for end in tier(plan, "leaf"):
            for prefix in announced(end) if start != end else ():
                paths = list(paths_to(plan, found, [start.name], prefix, end.name))
                shapes = {tuple(tiers[one] for one in path) for path in paths}
                far = ("leaf", "spine", "superspine", "spine", "leaf")
                same_pod = start.pod == end.pod
                assert shapes == {("leaf", "spine", "leaf") if same_pod else far}
                assert len(paths) == (2 if same_pod else 4)


def paths_to(
    plan: Plan, found: dict[str, dict[str, list[str]]], path: list[str], prefix: str, end: str
) -> Iterator[list[str]]:
    """All ways along the kernels' next hops; a loop would not end, so it fails."""
    assert len(path) <= len(plan.switches), f"a loop: {path}"
    if path[-1] == end:
        yield path
        return
    peers = {port.name: port.peer.device for port in plan.switch[path[-1]].ports}
    for port in found[path[-1]][prefix]:
        yield from paths_to(plan, found, [*path, peers[port]], prefix, end)


def test_jumbo_datagrams_pass_between_every_pair_of_leaves(plan: Plan) -> None:
    """9000 bytes with DF, by ping and by datagrams of many flows over all paths."""
    for node, own in ends(plan).items():
        others = [one for name, of in ends(plan).items() for one in of if name != node]
        pings = [
            f"ping -q -M do -s 8972 -c 1 -W 2 -I {a} {b}"
            for a in own
            for b in others + own
            if a != b
        ]
        ask(node, "\n".join(["set -e", *pings]))
    with traffic(plan, NAME, RATE, payload_bytes=8972) as told:
        time.sleep(1)
    assert told.sent > RATE
    assert told.lost == []


def test_what_runs_is_what_was_rendered(plan: Plan) -> None:
    running = ask_all(names(plan), "vtysh -c 'show running-config'")
    for name, text in running.items():
        made = made_for(plan, name)
        assert statements(text) == statements(frr_conf(made))
        found, facts = read(text), wanted(made)
        assert (found.sessions, found.policies) == (facts.sessions, facts.policies)
        assert (found.originates, found.ecmp_width) == (facts.originates, facts.ecmp_width)


def running(device: str) -> list[str]:
    return statements(ask(device, "vtysh -c 'show running-config'"))


def made_for(plan: Plan, name: str, *, drained: bool = False) -> SwitchIntent:
    made = intent(plan, name, drained=drained)
    assert isinstance(made, SwitchIntent)
    return made


def frr_conf(made: SwitchIntent) -> str:
    rendered: Rendered = dialect(made.switch.dialect).render(made)
    return next(one.text for one in rendered.files if one.path == FRR)


def test_the_count_of_lost_packets_sees_a_short_hole(plan: Plan) -> None:
    with traffic(plan, NAME, RATE) as told:
        time.sleep(0.3)
        ask(DRAINED, HOLE)
        time.sleep(0.3)
    assert told.lost


def test_a_spine_is_drained_replaced_and_used_again_without_a_lost_packet(plan: Plan) -> None:
    made, words = made_for(plan, DRAINED), dialect("linux_frr")
    ask(DRAINED, COUNTER)
    with traffic(plan, NAME, RATE) as told:
        wait_until(lambda: through(DRAINED) > 0)
        ask(DRAINED, words.drain_command(made, drained=True))
        left_s = wait_until(lambda: not used(plan))
        time.sleep(0.2)  # What was on its way may still arrive.
        before = through(DRAINED)
        time.sleep(1)
        assert through(DRAINED) == before, "packets still pass a drained spine"
        restart_drained(plan)
        back_s = wait_until(lambda: established(plan) == sessions(plan))
        assert used(plan) == []
        drained = made_for(plan, DRAINED, drained=True)
        assert running(DRAINED) == statements(frr_conf(drained))
        ask(DRAINED, words.drain_command(made, drained=False))
        again_s = wait_until(lambda: widths(plan) == designed(plan))
        wait_until(lambda: through(DRAINED) > 0)
    assert widths(plan) == designed(plan)
    assert told.lost == []
    assert running(DRAINED) == statements(frr_conf(made))
    print(
        f"{told.sent} packets, 0 lost: left after {left_s:.1f} s, sessions back after "
        f"{back_s:.1f} s, used again after {again_s:.1f} s"
    )


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


def through(device: str) -> int:
    """Datagrams of the probe that a switch has forwarded since COUNTER."""
    rules = json.loads(ask(device, "nft -j list chain ip counted through"))["nftables"]
    (counted,) = [
        expr["counter"]["packets"]
        for rule in rules
        for expr in rule.get("rule", {}).get("expr", ())
        if "counter" in expr
    ]
    return int(counted)


def used(plan: Plan) -> list[str]:
    """Where a kernel still sends what is for a leaf to the spine that is drained.

    Superspines have no other way to its pod and keep theirs: nobody above asks them for it.
    """
    towards = {
        (one.name, port.name)
        for one in plan.switches
        for port in one.ports
        if port.peer.device == DRAINED and one.tier == "leaf"
    }
    prefixes = {one for leaf in tier(plan, "leaf") for one in announced(leaf)}
    return [
        f"{name}: {prefix} to {port}"
        for name, of in routes(plan).items()
        for prefix, ports in of.items()
        for port in ports
        if prefix in prefixes and (name, port) in towards
    ]


def restart_drained(plan: Plan) -> None:
    """Off with all cables for two seconds, then on again with the drained file."""
    made = made_for(plan, DRAINED, drained=True)
    ports = [one.name for one in made.switch.ports]
    down, up = (
        "\n".join(f"ip link set {port} {word}" for port in ports) for word in ("down", "up")
    )
    ask(DRAINED, f"{down}\n/usr/lib/frr/frrinit.sh stop >/dev/null 2>&1")
    time.sleep(2)
    ask(DRAINED, f"cat >{FRR} <<'END'\n{frr_conf(made)}END\n{up}")
    ask(DRAINED, "/usr/lib/frr/frrinit.sh start >/dev/null 2>&1")


def test_frr_shows_tables_of_users_as_they_are_rendered(plan: Plan) -> None:
    """On a switch that is not needed any more: this kernel has no VRF, and bgpd asks for none."""
    for name, drained in (("business-leaf-b1-1", False), ("business-spine1", True)):
        made = intent(small("linux_frr"), name, drained=drained)
        assert isinstance(made, SwitchIntent)
        text = frr.text(made)
        assert " vrf " in text
        start = f"cat >{FRR} <<'END'\n{text}END\n/usr/lib/frr/frrinit.sh restart >/dev/null"
        ask(UNNEEDED, start)
        wait_until(lambda text=text: running(UNNEEDED) == statements(text))
        assert running(UNNEEDED) == statements(text)
