"""Orders on a lab of FRR: what is lost or in the wrong class, by the plan's waves and by the order.

Two spines, four leaves, four nodes of two rails (`two`), or a site of three tiers (`three`), in
namespaces; every switch runs FRR by its rendered file. Datagrams pass between all rails of
different nodes without end. Classes are rules of nftables on every device, by DSCP: a packet that a
version does not take into RoCE's class is counted and dropped there, as a full lossy queue would.
Nodes mark by their version's DSCP, and two nodes use the smaller of their MTUs.

A case is run twice: by the plan's own waves, then by the order found, in a new lab each. Drained is
what was sent from or to a rail below a leaf while that was drained for its change. Needs root.

Run as `python -m tests.bench.orders_lab two|three [CASE ...]`; one to five minutes for each case.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from deploy.lab.fabric import netns_fabric
from deploy.lab.paths import LabPaths
from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, intent
from switch_configs.intent import SwitchIntent
from tests.bench.results import result
from tests.deploy.lab.clos_state import Clos, wait_until
from tests.deploy.lab.mesh_probe import PORT
from tests.deploy.lab.traces import forget
from tests.generated.sites import SMALL_THREE_TIER, Size, generated_site
from tests.labs import lab_name
from validation.order.between import expanded
from validation.order.model import Device, End, Fabric, HostSide, Side, Version
from validation.order.order import Order, order_of
from validation.order.plans import fabric_of

NAME = lab_name("orders")
RATE = 100
FLOWS = 4
SETTLE_S = 2.0
FRR = "/etc/frr/frr.conf"
RESTART = "/usr/lib/frr/frrinit.sh restart >/dev/null 2>&1"
ROOT = Path(__file__).resolve().parents[2]
WAYS = ("dport", "sport")
SIZES = {
    "two": Size(pods=2, spines=2, rails=2, nodes_per_pod=2, site="orders"),
    "three": replace(SMALL_THREE_TIER, site="orders"),
}


@dataclass(frozen=True)
class Case:
    """What changes in `fabric.yml`, and the DSCP before and after."""

    before: dict[str, str]
    after: dict[str, str]
    dscps: tuple[int, int] = (26, 26)
    replaced: tuple[str, ...] = ()


SMALL = "ip_mtu_bytes: {hosts: 4000, switches: 4200}"
LARGE = "ip_mtu_bytes: {hosts: 9000, switches: 9216}"
CASES = {
    "dscp": Case({}, {}, (26, 34)),
    "mtu_up": Case({LARGE: SMALL}, {}),
    "mtu_down": Case({}, {LARGE: SMALL}),
    "asn": Case({}, {"spines: 4200000000": "spines: 4200005000"}),
    "spine": Case({}, {}, replaced=("spine",)),
    "leaf": Case({}, {}, replaced=("leaf",)),
}


def plan(folder: Path, size: Size, texts: dict[str, str]) -> Plan:
    """The site with some texts of its inventory changed."""
    site = generated_site(folder, size)
    path = site / "fabric.yml"
    text = path.read_text(encoding="utf-8").replace("bfd_interval_ms: 300", "bfd_interval_ms: 1000")
    for old, new in texts.items():
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return open_site(site)


def classed(fabric: Fabric, dscps: tuple[int, int]) -> Fabric:
    """The fabric with the classes that nftables will make of it: one DSCP before, one after."""
    devices = {}
    for name, device in fabric.devices.items():
        pair = (device.versions[0], device.versions[-1])
        words = (replace(pair[0], word="old"), replace(pair[1], word="new"))
        made = tuple(
            replace(one, ends={port: _sorted(end, dscp) for port, end in one.ends.items()})
            for one, dscp in zip(words, dscps, strict=True)
        )
        devices[name] = Device(name, device.level, made[:1] if made[0].same(made[1]) else made)
    return replace(fabric, devices=devices)


def _sorted(end: End, dscp: int) -> End:
    roce, strict = ((dscp, 3),), (48,)
    if isinstance(end, HostSide):
        return replace(end, roce=roce, strict=strict, dscp=dscp, cnp_dscp=48)
    return replace(end, roce=roce, strict=strict)


class Lab:
    """A lab in some version of each device, and what was declared drained when."""

    def __init__(self, fabric: Fabric, plans: tuple[Plan, Plan]) -> None:
        self.fabric, self.plans = fabric, plans
        self.at = dict.fromkeys(fabric.devices, 0)
        self.clos = Clos(plans[0], NAME)
        self.windows: list[tuple[float, float, frozenset[str]]] = []
        self.probes: dict[str, subprocess.Popen[str]] = {}
        self.misclassed = 0
        self.addresses = {
            node.name: {nic.port: str(nic.address.ip) for nic in node.rails}
            for node in plans[0].nodes
        }

    def version(self, name: str) -> Version:
        """The version that a device has."""
        return self.fabric.devices[name].versions[self.at[name]]

    def rules(self, name: str) -> str:
        """Classes of a device: what is not RoCE's is counted and dropped, hosts mark."""
        ends = tuple(self.version(name).ends.values())
        taken = ", ".join(sorted({str(dscp) for end in ends for dscp, _ in end.roce}))
        hook = "input" if isinstance(ends[0], HostSide) else "forward"
        lines = [
            "table ip roce { }", "delete table ip roce", "table ip roce {",
            f"chain sort {{ type filter hook {hook} priority -10;",
            *(f"udp {way} {PORT} ip dscp != {{ {taken} }} counter drop;" for way in WAYS),
            "}",
        ]  # fmt: skip
        if isinstance(ends[0], HostSide):
            lines += ["chain sends { type filter hook output priority -10;"]
            lines += [f"udp {way} {PORT} ip dscp set {ends[0].dscp};" for way in WAYS]
            lines += ["}"]
        return "nft -f - <<'END'\n" + "\n".join([*lines, "}", "END", ""])

    def sizes(self, changing: str = "", most: int = 0) -> None:
        """Tell senders the smaller MTU of both ends; of one that changes no more than `most`."""
        size = {name: _mtu(self.version(name)) for name in self.probes}
        if changing:
            size[changing] = min(size[changing], most)
        for name, probe in self.probes.items():
            told = {
                address: min(size[name], size[other])
                for other in self.probes
                if other != name
                for address in self.addresses[other].values()
            }
            _say(probe, {"sizes": told})
        for probe in self.probes.values():
            assert _answer(probe) == "sized"

    def sizes_on(self, name: str) -> str:
        """MTUs of the ports of a device."""
        return "\n".join(
            f"ip link set dev {place.split()[0]} mtu {end.ip_mtu_bytes}"
            for place, end in self.version(name).ends.items()
        )

    def push(self, name: str) -> None:
        """One version on: at once, unless the device must be away for it."""
        self.misclassed += self.count(name)
        before = _mtu(self.version(name))
        self.at[name] += 1
        if name in self.probes:
            self.sizes(name, before)
        self.clos.ask(name, self.rules(name) + self.sizes_on(name))
        if name in self.probes:
            self.sizes()

    def replace_with_frr(self, name: str, *, drained: bool) -> None:
        """One version on by restarting FRR with that version's file, cables off for a second."""
        self.misclassed += self.count(name)
        self.at[name] += 1
        ports = [place.split()[0] for place in self.version(name).ends]
        down, up = ("\n".join(f"ip link set {one} {to}" for one in ports) for to in ("down", "up"))
        stop = "/usr/lib/frr/frrinit.sh stop >/dev/null 2>&1"
        self.clos.ask(name, f"{down}\n{stop}\nsleep 1\n{self.rules(name)}{self.sizes_on(name)}")
        text = self.file(name, drained=drained)
        self.clos.ask(name, f"cat >{FRR} <<'END'\n{text}END\n{up}\n{RESTART}")

    def file(self, name: str, *, drained: bool) -> str:
        """FRR's file of a version: of the old or the new plan; between, of any other AS."""
        version = self.version(name)
        made = intent(self.plans[version.word in ("moved", "new")], name, drained=drained)
        assert isinstance(made, SwitchIntent)
        files = dialect("linux_frr").render(made).files
        text = next(one.text for one in files if one.path == FRR)
        sides = [end for end in version.ends.values() if isinstance(end, Side)]
        if any(end.peer_asn == "external" for end in sides):
            text = re.sub(r"remote-as \d+", "remote-as external", text)
        return text

    def drain(self, name: str, drained: bool) -> None:
        """Ask the neighbours to use it last, or as before."""
        made = intent(self.plans[0], name)
        assert isinstance(made, SwitchIntent)
        self.clos.ask(name, dialect("linux_frr").drain_command(made, drained))

    def one_by_one(self, name: str) -> None:
        """Drained, away, back in its next version, used again."""
        below = frozenset(
            self.addresses[cable.below][cable.below_port.split()[0]]
            for cable in self.fabric.down.get(name, ())
            if cable.below in self.addresses
        )
        begin = time.time()
        self.drain(name, True)
        time.sleep(SETTLE_S)
        usual = self.up(name)
        self.replace_with_frr(name, drained=True)
        wait_until(lambda: self.up(name) >= usual)
        time.sleep(SETTLE_S)
        self.drain(name, False)
        time.sleep(SETTLE_S)
        if below:
            self.windows.append((begin, time.time(), below))

    def up(self, name: str) -> int:
        """Sessions of a switch that are up."""
        peers = json.loads(self.clos.ask(name, "vtysh -c 'show bgp summary json'"))
        found = peers.get("ipv4Unicast", {}).get("peers", {}).values()
        return sum(one["state"] == "Established" for one in found)

    def count(self, name: str) -> int:
        """Packets that a device did not take into the class, since its last push."""
        said = json.loads(self.clos.ask(name, "nft -j list chain ip roce sort"))["nftables"]
        return sum(
            expr["counter"]["packets"]
            for rule in said
            for expr in rule.get("rule", {}).get("expr", ())
            if "counter" in expr
        )


@dataclass
class Counted:
    """What became of the datagrams of a run."""

    sent: int = 0
    lost: int = 0
    drained: int = 0
    misclassed: int = 0
    first: list[str] = field(default_factory=list)


@contextmanager
def standing(fabric: Fabric, plans: tuple[Plan, Plan]) -> Iterator[Lab]:
    """The lab in its old versions, with traffic."""
    forget(NAME)
    netns_fabric(plans[0], NAME, lambda _: None, lldp=False)
    lab = Lab(fabric, plans)
    try:
        wait_until(lab.clos.settled)
        for name in fabric.devices:
            lab.clos.ask(name, lab.rules(name))
        for name, own in lab.addresses.items():
            inside = ["ip", "netns", "exec", LabPaths(NAME).netns(name), sys.executable]
            lab.probes[name] = subprocess.Popen(
                [*inside, "-m", "tests.bench.orders_probe"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
            )  # fmt: skip
            others = [
                one for other, its in lab.addresses.items() if other != name for one in its.values()
            ]
            asked = {"own": list(own.values()), "others": others, "flows": FLOWS, "rate": RATE}
            _say(lab.probes[name], asked)
        for probe in lab.probes.values():
            assert _answer(probe) == "ready"
        for probe in lab.probes.values():
            _say(probe, {})
        lab.sizes()
        yield lab
    finally:
        for probe in lab.probes.values():
            probe.kill()
            probe.communicate()
        forget(NAME)


def counted(lab: Lab) -> Counted:
    """Stop, and count: what was sent from or to what was drained is apart."""
    found = Counted()
    for probe in lab.probes.values():
        _say(probe, {"stop": True})
    for probe in lab.probes.values():
        sent, when, lost = json.loads(_answer(probe))
        found.sent += sent
        gone = set(lost)
        for number, (at, own, other) in enumerate(when):
            if any(a <= at <= b and {own, other} & who for a, b, who in lab.windows):
                found.drained += 1
            elif number in gone:
                found.lost += 1
                found.first.append(f"{own} > {other} at {at:.2f}")
    return found


def run(fabric: Fabric, plans: tuple[Plan, Plan], change: Callable[[Lab], None]) -> Counted:
    """One run of a case, and what it cost the traffic."""
    with standing(fabric, plans) as lab:
        time.sleep(1)
        change(lab)
        time.sleep(1)
        found = counted(lab)
        found.misclassed = lab.misclassed + sum(map(lab.count, fabric.devices))
        ends = {name: len(one.versions) - 1 for name, one in fabric.devices.items()}
        assert lab.at == ends, lab.at
        return found


def by_waves(waves: list[list[str]]) -> Callable[[Lab], None]:
    """The plan's waves: in each all at once, nobody drained; a second for each wave's gate."""

    def change(lab: Lab) -> None:
        for names in waves:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda name: _plain(lab, name), names))
            time.sleep(1)

    return change


def _plain(lab: Lab, name: str) -> None:
    old, new = lab.fabric.devices[name].versions
    if old.asn != new.asn or old.box != new.box or _peers(old) != _peers(new):
        lab.replace_with_frr(name, drained=False)
        time.sleep(4)
    else:
        lab.push(name)


def _mtu(version: Version) -> int:
    return min(end.ip_mtu_bytes or 0 for end in version.ends.values())


def _peers(version: Version) -> dict[str, object]:
    return {port: end.peer_asn for port, end in version.ends.items() if isinstance(end, Side)}


def by_order(found: Order) -> Callable[[Lab], None]:
    """The steps of an order."""

    def change(lab: Lab) -> None:
        for step in found.steps:
            for name in step.devices:
                lab.one_by_one(name) if step.drained else lab.push(name)

    return change


def case(tiers: str, name: str) -> None:
    """Both runs of a case; a box that is exchanged is the first of its tier."""
    asked, size = CASES[name], SIZES[tiers]
    with tempfile.TemporaryDirectory() as folder:
        plans = (
            plan(Path(folder) / "a", size, asked.before),
            plan(Path(folder) / "b", size, asked.after),
        )
        boxes = [next(o.name for o in plans[0].switches if o.tier == t) for t in asked.replaced]
        fabric = classed(fabric_of(*plans, boxes), asked.dscps)
        waves = [[one for one in wave.devices if one in fabric.moving] for wave in plans[1].waves]
        found = order_of(fabric, [(str(at), tuple(names)) for at, names in enumerate(waves)])
        name = f"{tiers}_{name}"
        print(f"{name}: own waves: {found.own or 'right'}; {len(found.steps)} steps")
        naive = run(fabric, plans, by_waves([names for names in waves if names]))
        told(f"{name}_waves", naive, is_right=found.own is None)
        words = {step.after for step in found.steps} - {"new"}
        told(f"{name}_order", run(expanded(fabric) if words else fabric, plans, by_order(found)))


def told(name: str, found: Counted, *, is_right: bool = True) -> None:
    """The lines of a run; of wrong waves something must be seen to be lost."""
    print(f"{name}: {found.sent} sent, {found.lost} lost, {found.misclassed} in the wrong class, "
          f"{found.drained} drained; {'; '.join(found.first[:2])}")  # fmt: skip
    if is_right:
        print(result(f"orders_lab_{name}_lost", found.lost, "datagrams", 0))
        print(result(f"orders_lab_{name}_misclassed", found.misclassed, "packets", 0))
    else:
        print(result(f"orders_lab_{name}_seen", found.lost, "datagrams", 1, most=False))


def _say(process: subprocess.Popen[str], line: object) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


if __name__ == "__main__":
    tiers, *names = sys.argv[1:] or ["two"]
    for one in names or CASES:
        case(tiers, one)
