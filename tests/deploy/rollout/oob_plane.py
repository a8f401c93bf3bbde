"""A site's OOB plane of modelled switches that carry its zones as their running text says.

A frame goes over a cable where both its ends run the zone's VLAN and no plug is out; so whoever is
behind a switch is reached, or is not, by what each switch on the way runs. The way is found over
the cables of the plan, with no code of ours. Switches of the fabric and nodes answer and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

import pytest

from deploy.context import Context, no_journal
from deploy.imports.new_site import Answers, new_site
from deploy.lab.models.cumulus.tree import read
from deploy.record.journal import Record
from deploy.rollout.runbook import ApplyResult, rollout
from deploy.switches import switch_push
from deploy.transport.ssh_run import AS_ROOT
from inventory import open_site
from inventory.plan import OobSwitch, Plan, PortRef
from switch_configs import render
from tests.deploy.fake_nvue import Daemon, Tree, merged
from tests.deploy.rollout.models import Nobody, made_quick
from tests.deploy.switches.test_cumulus_push import Switch as NvueSwitch
from tests.deploy.switches.test_eos_push import key
from tests.generated.sites import make_up_asbuilt
from validation.evidence.gather import Reply

SERVER = "oob1"
FIRST, SECOND, CORE = "oob-aggregation1", "oob-aggregation2", "oob-core1"
VLANS = {"netmgmt": "10", "hostmgmt": "20", "bmc": "30", "power": "40", "collectors": "50"}
OTHER = {"service": {"lldp": {"tx-interval": "30"}}}
# Few cages, so that a small site has two of them and a core above.
_PROFILE = """\
few-cages:
  dialect: cumulus
  release: "5.14.0"
  management_port: eth0
  ports: {count: 3, name: "swp{n}", rate_gbps: 100, lanes: 4}
  lossless: marking-only
  source: made up for tests
"""


_ABOVE = "aggregation_profile: few-cages\n    core_profile: few-cages"


def stock_site(folder: Path) -> Plan:
    """As `railbed init --oob-switches` makes it, but for what racks hang on."""
    answers = Answers(
        nodes=8, node_profile="hgx-h100", dialect="cumulus", kind="two-tier", storage="none",
        business="none", oob_switches=True, growth=1.0,
    )  # fmt: skip
    new_site(folder, answers, None, dry_run=False)
    (folder / "profiles").mkdir(exist_ok=True)
    (folder / "profiles" / "switches.yml").write_text(_PROFILE)
    path = folder / "fabric.yml"
    text = re.sub(r"aggregation_profile: \S+", _ABOVE, path.read_text())
    path.write_text(re.sub(r"\n +breakout: 2 *(?=\n\n# Who)", "", text))
    make_up_asbuilt(folder)
    return open_site(folder)


def planned(plan: Plan, name: str) -> Tree:
    """The tree of what is rendered, as NVUE holds it."""
    text = next(one.text for one in render(plan, name).files if one.path.endswith(".yaml"))
    tree: Tree = read(text[text.index("- set:") :])["set"]
    return tree


@dataclass
class Switch(NvueSwitch):
    """A model that is reached where the plane reaches it."""

    reached: Callable[[], bool] = lambda: True
    programs: ClassVar[dict[str, str]] = NvueSwitch.programs | {"systemd-run": "exit 0"}

    @property
    def is_reachable(self) -> bool:
        return self.reached()


@dataclass
class Plane:
    """The cables, the switches, and what is broken: `dead` says which ports carry nothing now.

    Who is `off` answers nobody. `asked` are the ends to which the OOB server was told to connect;
    `is_cut_short`: its answers lack their end.
    """

    plan: Plan
    switches: dict[str, Switch]
    context: Context
    said: list[str]
    dead: Callable[[PortRef], bool] = lambda _: False
    is_cut_short: bool = False
    off: set[str] = field(default_factory=set)
    asked: list[list[str]] = field(default_factory=list)

    def carries(self, end: PortRef, vlan: str) -> bool:
        if end.device not in self.switches:
            return True
        tree = self.switches[end.device].runs["interface"].get(end.port, {})
        domain = tree.get("bridge", {}).get("domain", {}).get("br_default", {})
        runs_it = vlan == domain.get("access") or vlan in domain.get("vlan", {})
        return runs_it and not self.dead(end)

    def reaches(self, name: str, zone: str) -> bool:
        """Whether a frame of the zone gets from the OOB server to a device, over any cables."""
        todo, seen = [SERVER], {SERVER}
        while todo:
            here = todo.pop()
            for cable in self.plan.cables:
                ends = {cable.a.device: cable.a, cable.b.device: cable.b}
                if cable.plane != "oob" or here not in ends:
                    continue
                (there,) = (one for one in ends if one != here)
                if there in seen or not all(
                    self.carries(end, VLANS[zone]) for end in ends.values()
                ):
                    continue
                if there == name:
                    return True
                if there in self.switches:
                    seen.add(there)
                    todo.append(there)
        return False

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """The OOB server connects to whom it is told; switches of the plane have a shell."""
        if device == SERVER and "/dev/tcp/" in script:
            ends = script.split("<<'.'\n")[1].split("\n.\n", maxsplit=1)[0].splitlines()
            self.asked.append(ends)
            took = [end for end in ends if self.answers(*self.whose[end.split()[0]])]
            end = "" if self.is_cut_short else "end\n"
            return Reply("\n".join([*took, end]).encode(), 0, "")
        model = self.switches.get(device)
        if model is None:
            return Nobody().run(device, script, timeout_s)
        if not model.is_reachable:
            return Reply(b"", None, "no route to host")
        here = script.replace("PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH", "")
        done = model.shell(AS_ROOT, here.encode(), timeout_s)
        return Reply(done.stdout, done.returncode, done.stderr.decode() if done.returncode else "")

    @cached_property
    def whose(self) -> dict[str, tuple[str, str]]:
        """Name and zone by address."""
        zones = self.plan.oob.zones
        found = {str(one.address): (one.name, at.name) for at in zones for one in at.leases}
        own = ((one.management.address.ip, one.name) for one in self.plan.oob_switches)
        return found | {str(address): (name, "netmgmt") for address, name in own}

    def answers(self, name: str, zone: str) -> bool:
        return name not in self.off and self.reaches(name.removesuffix("-bmc"), zone)

    def apply(self, only: str = "oob-switches") -> ApplyResult:
        with closing(Record(self.context.state_dir / "record.sqlite")) as record:
            run = record.begin_run(self.context.site, self.plan.digest)
            return rollout(self.context, self, record, run, only)

    def confirmed(self) -> list[str]:
        """The switches in the order in which they were confirmed, by the record."""
        with closing(Record(self.context.state_dir / "record.sqlite")) as record:
            rows = [row for run in record.runs() for row in record.changes(run.id)]
        return [one.device for one in rows if one.phase == "confirm" and "done" in one.detail]


@contextmanager
def modelled(plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plane]:
    """All switches of the OOB plane, which run their plan but for one value, and are reached."""
    made_quick(monkeypatch)
    at = folder / "state"
    at.mkdir()
    (at / "id_ed25519").write_text(key()[0])
    (at / "id_ed25519").chmod(0o600)
    said: list[str] = []
    context = Context(
        plan, plan.site, at, at / "config", at / "known_hosts", said.append, no_journal
    )
    switches: dict[str, Switch] = {}
    plane = Plane(plan, switches, context, said)
    with ExitStack() as opened:
        for name, one in plan.oob_switch.items():
            switches[name] = model = Switch(folder / name, name, one.management)
            model.reached = partial(plane.reaches, name, "netmgmt")
            opened.enter_context(_started(plan, model, one))
        monkeypatch.setattr(switch_push, "connect", lambda name, *_: switches[name].login())
        yield plane


def _started(plan: Plan, model: Switch, one: OobSwitch) -> Daemon:
    (model.root / "etc/cumulus/acl/policy.d").mkdir(parents=True)
    return model.start(merged(planned(plan, one.name), OTHER))


def of_one_wave(plan: Plan, *names: str) -> Plan:
    """A plan whose waves hold no others."""
    kept = (replace(wave, devices=tuple(n for n in wave.devices if n in names))
            for wave in plan.waves)  # fmt: skip
    return replace(plan, waves=tuple(wave for wave in kept if wave.devices))
