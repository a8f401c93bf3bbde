"""Switches that are models: their text makes a real fabric, and a wrong line breaks it.

The lab is brought up by `apply` over real sshd, with each system's own way back. A run tries one
site, drawn by its seed, because a lab is what costs; `--full` tries all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import pytest

from deploy import lab
from deploy.context import no_journal
from deploy.demo import run_demo, site_of
from deploy.rollout.change import apply_site
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.preconditions import untried
from deploy.rollout.runbook import ApplyResult
from deploy.session import Selection, open_context
from inventory import Plan, open_site, site_folder
from tests.deploy.lab.traces import forget
from tests.labs import applied, lab_name

from .chain import inside, silent
from .drilled import pulled

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
    pytest.mark.instances(keep=1, of="systems of modelled switches", by="fabric"),
]
SYSTEMS = ("cumulus", "eos", "mixed", "nxos", "sonic")
LEAF, FAR, SPINE = "leaf-p1-r0", "leaf-p1-r1", "spine1"
_AROUND = " !,{}"  # what stands around the words of a line


@dataclass(frozen=True)
class Words:
    """How a system is told things. `stray` is a harmless line that nobody planned (RFC 5737).

    `begins` and `ends` stand around a change; `shuts`, `opens` and `unknown` are of a port.
    `has_shell`: its logins get a shell, and no terminal of its own.
    """

    begins: tuple[str, ...]
    ends: tuple[str, ...]
    runs: str
    startup: str
    shuts: tuple[str, ...]
    opens: tuple[str, ...]
    unknown: tuple[str, ...]
    refusal: str
    stray: tuple[str, ...]
    reload: tuple[str, ...]
    has_shell: bool = False


EOS = Words(
    begins=("configure",),
    ends=("end",),
    runs="show running-config",
    startup="/mnt/flash/startup-config",
    shuts=("interface {port}", "shutdown"),
    opens=("interface {port}", "no shutdown"),
    unknown=("interface {port}", "mtus 1500"),
    refusal="% Invalid",
    stray=("ip prefix-list STRAY", "seq 5 permit 192.0.2.0/24"),
    reload=("reload now",),
)
WORDS = {
    "eos": EOS,
    "nxos": replace(
        EOS,
        begins=("configure terminal",),
        startup="/mnt/cfg/startup-config",
        stray=("ip prefix-list STRAY seq 5 permit 192.0.2.0/24",),
        reload=("reload", "y"),
    ),
    "cumulus": Words(
        begins=(),
        ends=("nv config apply -y",),
        runs="nv config show",
        startup="/etc/nvue.d/startup.yaml",
        shuts=("nv set interface {port} link state down",),
        opens=("nv unset interface {port} link state",),
        unknown=("nv set interface {port} link mtus 1500",),
        refusal="'1500' was unexpected",
        stray=(
            "nv set router policy prefix-list STRAY rule 5 action permit",
            "nv set router policy prefix-list STRAY rule 5 match 192.0.2.0/24",
        ),
        reload=("sudo -n reboot",),
        has_shell=True,
    ),
    "sonic": Words(
        begins=(),
        ends=(),
        runs="sonic-cfggen -d --print-data",
        startup="/etc/sonic/config_db.json",
        shuts=("sudo -n config interface shutdown {port}",),
        opens=("sudo -n config interface startup {port}",),
        unknown=("sudo -n config interface mtus {port} 1500",),
        refusal='No such command "mtus"',
        stray=("sonic-db-cli CONFIG_DB HSET 'PORT|Ethernet4' description STRAY",),
        reload=("sudo -n reboot",),
        has_shell=True,
    ),
}


@dataclass(frozen=True)
class Fabric:
    """A lab whose switches are models, by the eyes of its first leaf."""

    selection: Selection

    @cached_property
    def plan(self) -> Plan:
        return open_site(self.selection.site)

    @cached_property
    def sessions(self) -> dict[str, str]:
        """The far end of each port that has one."""
        mine = self.plan.switch[LEAF].sessions
        return {str(one.port): f"{one.peer.device}:{one.peer.port}" for one in mine}

    @property
    def lab(self) -> str:
        return self.selection.lab

    @property
    def config(self) -> Path:
        return self.selection.state_dir / "ssh" / "config"

    def words(self, device: str = LEAF) -> Words:
        return WORDS[self.plan.switch[device].dialect]

    def typed(self, *lines: str, device: str = LEAF) -> str:
        """What a person sees who logs in, types this and logs out."""
        has_shell = self.words(device).has_shell
        way = ["-T"] if has_shell else ["-tt"]
        first = "exec 2>&1" if has_shell else "terminal length 0"
        done = subprocess.run(
            ["ssh", *way, "-F", str(self.config), device],
            input="".join(f"{line}\n" for line in (first, *lines, "exit")),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout.replace("\r", "")

    def configured(self, *lines: str, port: str = "", device: str = LEAF) -> str:
        words = self.words(device)
        said = (line.format(port=port) for line in lines)
        return self.typed(*words.begins, *said, *words.ends, device=device)

    def running(self) -> list[str]:
        """What runs, without the words of the login."""
        words = self.words()
        return self.typed(words.runs).splitlines()[0 if words.has_shell else 3 :]

    def sessions_up(self) -> int:
        """How many sessions FRR has on the leaf, by FRR itself."""
        said = inside(LEAF, "vtysh -c 'show bgp ipv4 unicast summary json' || true", self.lab)
        return said.count('"state":"Established"')

    def reaches(self) -> bool:
        """Whether a packet gets from one leaf to the other and back."""
        here, there = (self.plan.switch[one].loopback for one in (LEAF, FAR))
        script = f"ping -c 1 -W 1 -I {here} {there} >&2 && echo yes || echo no"
        return inside(LEAF, script, self.lab).strip() == "yes"

    def ways(self) -> int:
        """How many paths Linux has from one leaf to the other."""
        there = self.plan.switch[FAR].loopback
        return inside(LEAF, f"ip route show {there}", self.lab).count("nexthop ")

    def is_whole(self) -> bool:
        """A session is up a moment before its routes are there."""
        return self.sessions_up() == self.ways() == 2 and self.reaches()

    def boots(self) -> int:
        """How often the leaf has come to the end of a boot."""
        (leaf,) = [one for one in lab.status(self.lab).machines if one.name == LEAF]
        return leaf.starts if leaf.state == "running" else 0

    def apply(self) -> ApplyResult:
        return apply_site(self.selection, "switches", dry_run=False, say=silent)


@pytest.fixture(scope="module", params=SYSTEMS)
def fabric(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Fabric]:
    """Its OOB server and switches as planned; SONiC's have classes and marking."""
    site = site_of(request.param)
    if request.param == "sonic":
        site = classed(tmp_path_factory.mktemp("classed") / "site", 90000)
    with applied("model", site, ("oob", "switches")) as selection:
        open_context(selection, silent, no_journal)  # ssh's own files are this lab's
        yield Fabric(selection)


def waits_until(holds: Callable[[], bool], limit_s: float = 120) -> None:
    give_up = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < give_up, f"it does not come within {limit_s:g} s"
        time.sleep(0.3)


def test_its_text_makes_real_sessions_and_a_second_apply_changes_nothing(fabric: Fabric):
    assert len(fabric.sessions) == 2
    assert fabric.is_whole()
    heard = inside(LEAF, "lldpcli -f keyvalue show neighbors", fabric.lab)
    far = re.findall(r"chassis.name=(\S+)|port.(?:local|ifname)=(\S+)", heard)
    assert {
        f"{name}:" + port for (name, _), (_, port) in zip(far[::2], far[1::2], strict=True)
    } == set(fabric.sessions.values())
    text = fabric.running()
    again = fabric.apply()
    assert (again.exit_code, again.changed) == (0, ())
    assert fabric.running() == text
    for told in untried(fabric.plan, tuple(fabric.plan.switch)):
        assert "only on a model of it" in told


def test_a_port_that_a_drill_pulls_is_off_meanwhile_and_back_after(fabric: Fabric):
    off = partial(waits_until, lambda: fabric.sessions_up() == 1)
    assert pulled(fabric.selection, LEAF, min(fabric.sessions), off) == ""
    waits_until(fabric.is_whole)


def test_a_line_that_it_does_not_know_is_refused_and_changes_nothing(fabric: Fabric):
    before = inside(LEAF, "cat /etc/frr/frr.conf", fabric.lab)
    said = fabric.configured(*fabric.words().unknown, port=min(fabric.sessions))
    assert fabric.words().refusal in said
    assert inside(LEAF, "cat /etc/frr/frr.conf", fabric.lab) == before


def eos_breaks(fabric: Fabric, _: Path) -> None:
    ports = (line for one in fabric.sessions for line in (f"interface {one}", "no ipv6 enable"))
    said = fabric.typed("configure session wrong", *ports, "commit timer 00:00:30")
    assert "% " not in said


def nxos_breaks(fabric: Fabric, folder: Path) -> None:
    wrong, file = folder / "wrong.cfg", "bootflash:/wrong.cfg"
    right = inside(LEAF, f"cat {fabric.words().startup}", fabric.lab)
    wrong.write_text(right.replace("  ipv6 address use-link-local-only\n", ""))
    sends = ["scp", "-q", "-O", "-F", str(fabric.config), str(wrong), f"{LEAF}:{file}"]
    subprocess.run(sends, check=True, timeout=60)
    said = fabric.typed(f"configure replace {file} commit-timeout 30", f"delete {file} no-prompt")
    assert "Configure replace completed successfully" in said


def cumulus_breaks(fabric: Fabric, _: Path) -> None:
    ports = (f"nv set interface {one} ip ipv6 enable off" for one in fabric.sessions)
    assert "applied [rev_id" in fabric.typed(*ports, "nv config apply -y --confirm 30s")


def sonic_breaks(fabric: Fabric, _: Path) -> None:
    """The timer is the one that a person can start there: systemd's."""
    exact = "--timer-property=AccuracySec=100ms"
    reload = "config reload -y -f /etc/sonic/config_db.json"
    timer = f"sudo -n systemd-run --on-active=30 {exact} {reload}"
    off = "sonic-db-cli CONFIG_DB HSET 'INTERFACE|{}' ipv6_use_link_local_only disable"
    assert "Running timer" in fabric.typed(timer, *map(off.format, fabric.sessions))


# No port to a spine has IPv6 any more, until a timer ends; who did it logs out.
BREAKS = {
    "cumulus": cumulus_breaks,
    "eos": eos_breaks,
    "nxos": nxos_breaks,
    "sonic": sonic_breaks,
}


def test_a_wrong_text_breaks_traffic_until_its_timer_brings_back_what_ran_after_logout(
    fabric: Fabric, tmp_path: Path
):
    BREAKS[fabric.plan.switch[LEAF].dialect](fabric, tmp_path)
    waits_until(lambda: fabric.sessions_up() == 0, limit_s=25)
    assert not fabric.reaches()
    waits_until(fabric.is_whole)


def test_a_restart_loads_the_startup_file_and_nothing_that_was_not_saved(fabric: Fabric):
    before = fabric.running()
    fabric.configured(*fabric.words().shuts, port=min(fabric.sessions))
    waits_until(lambda: fabric.sessions_up() == 1)
    assert fabric.running() != before
    since = fabric.boots()
    fabric.typed(*fabric.words().reload)
    waits_until(lambda: fabric.boots() == since + 1)
    waits_until(fabric.is_whole)
    assert fabric.running() == before
    saved = inside(LEAF, f"cat {fabric.words().startup}", fabric.lab)
    assert {line.strip(_AROUND) for line in saved.splitlines()} <= {
        "", *(line.strip(_AROUND) for line in before)
    }  # fmt: skip


def classed(copy: Path, kmax_bytes: int, *also_dscps: int) -> str:
    """A copy of SONiC's site whose switches have classes and marking, with these values."""
    shutil.copytree(site_folder(site_of("sonic")), copy)
    ecn = f"  ecn: {{kmin_bytes: 30000, kmax_bytes: {kmax_bytes}}}"
    mode = f"ecn\n{ecn}\n  also_dscps: {[*also_dscps]}\n "
    for name, said in (("profiles/switches.yml", "ecn"), ("fabric.yml", mode)):
        text = (copy / name).read_text()
        assert text.count("marking-only") == 1
        (copy / name).write_text(text.replace("marking-only", said))
    return str(copy)


def test_values_of_qos_change_while_a_switch_runs(fabric: Fabric, tmp_path: Path):
    """No port goes down and no container starts again (`switch_configs/sonic/followed.py`).

    One spine has a map that nobody planned, which only a reload takes away.
    """
    if fabric.plan.switch[LEAF].dialect != "sonic":
        pytest.skip("the ways of the other systems are all one")
    other = Selection(classed(tmp_path / "other", 80000, 34), fabric.lab)
    to = "|".join(one for one, far in fabric.sessions.items() if far.startswith(f"{SPINE}:"))
    ports = f"grep . /sys/class/net/Ethernet*/carrier_changes | grep -vE '/({to})/'"
    looks = f"{ports}; systemctl show -p InvocationID swss bgp"
    before, spine = inside(LEAF, looks, fabric.lab), inside(SPINE, looks, fabric.lab)
    fabric.typed("sonic-db-cli CONFIG_DB HSET 'DSCP_TO_TC_MAP|STRAY' 0 0", device=SPINE)
    preview = apply_site(other, "switches", dry_run=True, say=silent)
    impacts = {one.device: one.impact for one in preview.differences}
    assert impacts == dict.fromkeys(fabric.plan.switch, "runtime") | {SPINE: "reload"}
    done = apply_site(other, "switches", dry_run=False, say=silent)
    assert (done.exit_code, set(done.changed)) == (0, set(fabric.plan.switch)), done.outcome
    assert inside(LEAF, looks, fabric.lab) == before
    assert inside(SPINE, looks, fabric.lab) != spine
    asic = fabric.typed("sonic-db-dump -n ASIC_DB -k '*' -y")
    assert '"SAI_WRED_ATTR_GREEN_MAX_THRESHOLD": "80000"' in asic
    fault = 'echo \'{"refuses": ["WRED_PROFILE"]}\' > /run/modelled-faults'
    inside(LEAF, fault, fabric.lab)
    worse = Selection(classed(tmp_path / "worse", 70000, 34), fabric.lab)
    refused = apply_site(worse, "switches", dry_run=False, say=silent)
    assert refused.exit_code == 1
    assert f"{LEAF}: apply rows: " in refused.outcome
    assert "not taken by the ASIC: WRED_PROFILE|" in refused.outcome
    assert "the device has its old configuration again" in refused.outcome
    assert inside(LEAF, f"{looks}; rm /run/modelled-faults", fabric.lab) == before
    back = apply_site(fabric.selection, "switches", dry_run=False, say=silent, accept_loss=True)
    assert back.exit_code == 0, back.outcome
    assert inside(LEAF, looks, fabric.lab) == before


@pytest.mark.full
def test_a_push_under_which_a_session_breaks_goes_back_and_is_named(fabric: Fabric, monkeypatch):
    """A spine shuts its port as soon as the leaf has committed."""
    spine, port = fabric.sessions[min(fabric.sessions)].split(":")
    asked = FabricCheck.missing

    def missing(check: FabricCheck, switch: str, _: float, *, whole: bool) -> tuple[str, ...]:
        fabric.configured(*fabric.words(spine).shuts, port=port, device=spine)
        return asked(check, switch, time.monotonic() + 5, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    fabric.configured(*fabric.words().stray)
    before = fabric.running()
    assert "STRAY" in str(before)
    try:
        result = fabric.apply()
        assert result.exit_code == 1
        assert f"{LEAF}: the fabric does not work with it: " in result.outcome
        assert spine in result.outcome
        assert "the device has its old configuration again" in result.outcome
        assert fabric.running() == before
    finally:
        fabric.configured(*fabric.words(spine).opens, port=port, device=spine)
        monkeypatch.undo()
    waits_until(fabric.is_whole)
    mended = fabric.apply()
    assert (mended.exit_code, mended.changed) == (0, (LEAF,))
    assert "STRAY" not in str(fabric.running())


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_demo_of_a_system_ends_as_it_must(capsys, system):
    """Also its nodes, their loads, and a link that is taken down and named."""
    from rich.console import Console

    name = lab_name("edemo")
    try:
        assert run_demo(keep=False, out=Console(), name=name, site=site_of(system)) == 0
    finally:
        forget(name)
    assert "All as it must be" in capsys.readouterr().out
