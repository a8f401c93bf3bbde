"""The lab's models of switches: their command lines, and what their text asks of Linux.

Each class of tests is of every system that has a terminal of its own; one whose logins get a shell
of Linux has a file of its own here.
"""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from deploy import lab
from deploy.lab import modelled
from deploy.lab.models import blocks, frr
from deploy.lab.models.eos import routing as eos_routing
from deploy.lab.models.eos import shows as eos_shows
from deploy.lab.models.eos import text as eos_text
from deploy.lab.models.eos import wanted as eos_wanted
from deploy.lab.models.nxos import box as nxos_box
from deploy.lab.models.nxos import routing as nxos_routing
from deploy.lab.models.nxos import shows as nxos_shows
from deploy.lab.models.nxos import terminal as nxos_terminal
from deploy.lab.models.nxos import text as nxos_text
from deploy.lab.models.nxos import wanted as nxos_wanted
from deploy.lab.models.wanted import Port, Wanted, kernel_name, port_name
from deploy.lab.site import hardware, links, machines, planned_machines
from deploy.lab.spec import LabSpec, device_name
from inventory import open_site, site_folder
from switch_configs import render
from tests.tree import ROOT

HERE = Path(__file__).parent
LEAF = "leaf-p1-r0"
FILE = "bootflash:/x.cfg"


@dataclass(frozen=True)
class System:
    """A model, and a leaf of its lab. `up` is a port to a spine, `down` one to a node."""

    name: str
    words: blocks.Words
    wanted: Callable[[str], Wanted]
    routing: Callable[[str], frr.Routing]
    up: str
    down: str
    management: str

    @property
    def site(self) -> str:
        return f"lab-{self.name}"

    @property
    def text(self) -> str:
        return render(open_site(self.site), LEAF).files[0].text

    @property
    def goldens(self) -> list[Path]:
        return list((ROOT / "tests/golden/small" / self.name).rglob("*-config"))

    def reader(self, *typed: str) -> blocks.Reader:
        return blocks.Reader(self.words, typed)

    def frr_text(self, text: str) -> str:
        return frr.frr_text(self.routing(text))

    def changed(self, text: str, block: tuple[str, ...], line: str) -> str:
        return blocks.changed(text, block, line, self.words)


EOS = System(
    "eos", eos_text.WORDS, eos_wanted.wanted, eos_routing.routing,
    "Ethernet5/1", "Ethernet1/1", "Management1",
)  # fmt: skip
NXOS = System(
    "nxos", nxos_text.WORDS, nxos_wanted.wanted, nxos_routing.routing,
    "Ethernet1/5", "Ethernet1/1", "mgmt0",
)  # fmt: skip
SYSTEMS = (EOS, NXOS)
on_each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.name)


def test_each_system_with_a_model_is_tried():
    alone = (one.stem.removeprefix("test_modelled_") for one in HERE.glob("test_modelled_*.py"))
    assert tuple(sorted([*alone, *(one.name for one in SYSTEMS)])) == modelled.SYSTEMS


@on_each
def test_it_takes_all_that_we_print(system: System):
    assert len(system.goldens) > 5
    for path in system.goldens:
        reader, lines = blocks.Reader(system.words), path.read_text().splitlines()
        assert [one for one in lines if one != "end" and reader.refusal(one)] == []


@pytest.mark.parametrize(
    ("system", "block", "line"),
    [
        (EOS, (), "router bgp many"),
        (EOS, (), "ip"),
        (EOS, (), "swp1"),
        (EOS, (), "ip route 10.0.0.0/33 Null0"),
        (EOS, ("interface Ethernet1/1",), "mtus 9000"),
        (EOS, ("interface Ethernet1/1",), "ip address 10.1.1.256/24"),
        (EOS, ("router bgp 65000",), "neighbor up bfd 3 300 300"),
        (EOS, ("router bgp 65000", "address-family ipv4"), "neighbor up maximum-prefix 13"),
        (EOS, ("route-map in permit 10",), "set community graceful-shutdown"),
        (EOS, ("ip prefix-list in",), "seq 10 permit 10.0.0.0/8 between 16 24"),
        (NXOS, (), "router bgp many"),
        (NXOS, (), "ip routing"),
        (NXOS, (), "ip prefix-list in seq 10 permit 10.0.0.0/8 between 16 24"),
        (NXOS, (), "vrf instance MGMT"),
        (NXOS, ("interface Ethernet1/1",), "mtus 9000"),
        (NXOS, ("interface Ethernet1/1",), "ip address 10.1.1.256/24"),
        (NXOS, ("interface Ethernet1/1",), "ipv6 enable"),
        (NXOS, ("router bgp 65000",), "neighbor up peer group"),
        (NXOS, ("router bgp 65000", "template peer up"), "maximum-prefix 13"),
        (NXOS, ("route-map in permit 10",), "set community GSHUT"),
    ],
)
def test_what_another_system_or_a_slip_would_say_is_refused(system, block, line):
    assert system.reader(*block).refusal(line).strip(" ^\n").startswith("% Invalid")
    reader, inward = blocks.Reader(system.words), " " * system.words.deep
    for depth, one in enumerate(block):
        assert not reader.refusal(f"{inward * depth}{one}")
    assert "% Invalid" in reader.refusal(f"{inward * len(block)}{line}")


@on_each
def test_what_is_typed_goes_to_the_innermost_block_that_knows_it(system: System):
    reader = system.reader("router bgp 65000", "address-family ipv4")
    assert not reader.refusal("router-id 10.0.0.1")
    assert reader.blocks == ("router bgp 65000",)
    assert not reader.refusal("interface Ethernet1/1")
    assert reader.blocks == ("interface Ethernet1/1",)


def test_entries_of_eos_are_typed_below_the_name_of_their_prefix_list():
    """`ip prefix-list NAME` leads into a mode of its own (Arista EOS User Manual)."""
    reader = EOS.reader()
    for line in ("ip prefix-list MINE", "seq 5 permit 192.0.2.0/24"):
        assert not reader.refusal(line)
        assert reader.blocks == ("ip prefix-list MINE",)


@on_each
def test_a_typed_line_changes_its_block_alone(system: System):
    text, port, up = system.text, (f"interface {system.up}",), kernel_name(system.up)
    changed, inward = system.changed, " " * system.words.deep
    mtu = changed(text, port, "mtu 1500")
    assert mtu.count(f"{inward}mtu 9214\n") == text.count(f"{inward}mtu 9214\n") - 1
    assert system.wanted(mtu).ports[up].mtu_bytes == 1500
    assert sorted(changed(mtu, port, "mtu 9214").split()) == sorted(text.split())
    off = changed(text, port, "shutdown")
    assert not system.wanted(off).ports[up].is_up
    assert changed(off, port, "no shutdown") == text
    new = changed(text, ("route-map mine permit 10",), "set local-preference 5")
    assert new == f"{text}route-map mine permit 10\n{inward}set local-preference 5\n"
    loopback = next(one for one in text.splitlines() if one.lower().startswith("interface loop"))
    gone = changed(text, (), f"no {loopback}")
    assert "lo" not in system.wanted(gone).ports
    assert gone.count("\n") == text.count("\n") - 2


@on_each
def test_what_linux_is_asked(system: System):
    asked = system.wanted(system.text)
    up, down = (kernel_name(one) for one in (system.up, system.down))
    assert (asked.hostname, asked.forwards, asked.lldp) == (LEAF, {4: True, 6: True}, (5, 20))
    assert asked.ports[up] == Port(up, True, 9214, has_ipv6=True)
    assert asked.ports[down].address == "10.16.0.0/31"
    table = asked.ports[system.management].vrf
    assert (asked.routes, asked.ssh) == ({table: {"0.0.0.0/0": "10.88.0.1"}}, {"", table})
    inward = " " * system.words.deep
    bridged = system.wanted(system.text.replace(f"{inward}no switchport\n", "", 1))
    assert bridged.ports[down].address == "", "a switched port has no address"


def test_what_eos_says_of_a_bare_port():
    said = "hostname bare\nno lldp run\ninterface Ethernet1/1\n   ip address 10.0.0.1/31\n"
    bare = EOS.wanted(said)
    assert (bare.forwards, bare.lldp) == ({4: False, 6: False}, None)
    assert bare.ports["et1_1"] == Port("et1_1", True, 1500)
    off = EOS.changed(EOS.text, (f"interface {EOS.up}",), "no ipv6 enable")
    assert not EOS.wanted(off).ports["et5_1"].has_ipv6


def test_what_nxos_says_of_a_bare_port():
    routed = "  no switchport\n"
    bare = NXOS.wanted(f"interface Ethernet1/1\ninterface Ethernet1/2\n{routed}interface mgmt0\n")
    assert (bare.hostname, bare.lldp, bare.unsaid_is_up) == ("switch", None, True)
    assert [bare.ports[one].is_up for one in ("et1_1", "et1_2", "mgmt0")] == [True, False, True]
    shut = NXOS.wanted("system default switchport shutdown\ninterface Ethernet1/1\n")
    assert (shut.unsaid_is_up, shut.ports["et1_1"].is_up) == (False, False)
    port = (f"interface {NXOS.up}",)
    for line in ("ip forward", "ipv6 address use-link-local-only"):
        asked = NXOS.wanted(NXOS.changed(NXOS.text, port, f"no {line}")).ports["et1_5"]
        assert (asked.forwards, asked.has_ipv6) == (line != "ip forward", line == "ip forward")
    assert "  shutdown" not in NXOS.changed(NXOS.text, port, "shutdown"), "it is so unless told"


ASKED = (
    "ip route 10.16.0.0/18 blackhole",
    " neighbor {up} interface remote-as 4200000000",
    " neighbor {up} bfd",
    " neighbor {up} timers 3 9",
    " neighbor {up} timers connect 1",
    "  neighbor {up} maximum-prefix 13 warning-only",
    "  neighbor {up} route-map up-out out",
    " bgp bestpath as-path multipath-relax",
    "  network 10.255.0.1/32",
    "  maximum-paths 2",
    "ip prefix-list up-in seq {last} permit 10.255.0.0/16 ge 32 le 32",
    "bgp community-list standard {drained} permit graceful-shutdown",
)


@on_each
def test_what_frr_is_asked(system: System):
    text, is_eos = system.frr_text(system.text), system is EOS
    words = {
        "up": kernel_name(system.up),
        "last": 20 if is_eos else 10,
        "drained": "graceful-shutdown seq 5" if is_eos else "drained seq 10",
    }
    for line in ASKED:
        assert f"{line.format(**words)}\n" in text
    assert system.wanted(system.text).ports[system.management].vrf not in text
    assert ("ebgp-requires-policy" in text) is not is_eos, "NX-OS asks for no policies"


@pytest.mark.parametrize(
    ("system", "line", "lost"),
    [
        (EOS, "      neighbor up activate\n", "  neighbor {up} activate\n"),
        (
            EOS,
            "      neighbor up next-hop address-family ipv6 originate\n",
            "  neighbor {up} activate\n",
        ),
        (EOS, "      neighbor up route-map up-out out\n", "  neighbor {up} route-map up-out out\n"),
        (EOS, "   neighbor up bfd\n", " neighbor {up} bfd"),
        (EOS, "      network 10.255.0.1/32\n", "  network 10.255.0.1/32\n"),
        (EOS, "   maximum-paths 2 ecmp 2\n", "  maximum-paths 2\n"),
        (EOS, "ip route 10.16.0.0/18 Null0\n", "ip route "),
        (NXOS, "feature bgp\n", "router bgp "),
        (NXOS, "feature bfd\n", " neighbor {up} bfd"),
        (NXOS, "    bfd\n", " neighbor {up} bfd"),
        (NXOS, "    inherit peer up\n", "  neighbor {up} activate\n"),
        (NXOS, "      route-map up-out out\n", "  neighbor {up} route-map up-out out\n"),
        (NXOS, "    remote-as 4200000000\n", " neighbor {up} interface"),
        (NXOS, "    maximum-paths 2\n", "  maximum-paths 2\n"),
        (NXOS, "  reconnect-interval 1\n", " neighbor {up} timers connect 1\n"),
        (NXOS, "  bestpath as-path multipath-relax\n", " bgp bestpath as-path"),
        (NXOS, "bfd interval 300 min_rx 300 multiplier 3\n", " neighbor {up} bfd\n"),
        (NXOS, "ip route 10.16.0.0/18 Null0\n", "ip route "),
    ],
)
def test_what_the_text_does_not_say_frr_does_not_do(system, line, lost):
    lost = lost.format(up=kernel_name(system.up))
    assert line in system.text
    assert lost in system.frr_text(system.text)
    assert lost not in system.frr_text(system.text.replace(line, "", 1))


def test_what_eos_does_unless_told_otherwise_frr_is_told():
    policy = "   bgp missing-policy direction in action deny\n"
    assert " no bgp ebgp-requires-policy\n" in EOS.frr_text(EOS.text.replace(policy, ""))
    sends = EOS.frr_text(EOS.text.replace("   neighbor up send-community\n", ""))
    assert "  no neighbor et5_1 send-community all\n" in sends


def test_lines_of_a_feature_that_is_off_go_with_it_and_a_drain_is_said():
    box = nxos_box.without(NXOS.text, "bgp")
    assert "router bgp" not in box
    assert box.count("\n") < NXOS.text.count("\n") - 20
    assert "interface loopback0\n" in box
    leaving = NXOS.changed(NXOS.text, ("router bgp 4200000100",), "graceful-shutdown activate")
    assert " bgp graceful-shutdown\n" in NXOS.frr_text(leaving)


def test_a_replace_leaves_out_what_it_does_not_know_or_restores_all():
    box = nxos_box.NxosBox("version 10.6(1)\nhostname a\n", "")
    stray = "router ospf 1\n  router-id 10.0.0.1\nrouter bgp 1\n  router-id 10.0.0.1\n"
    wrong = f"version 10.6(1)\nhostname b\n{stray}interface mgmt0\n  mtus 9\n  mtu 1500\n"
    box.file(FILE, wrong.encode())
    told = box.replace(FILE, "verify-only")
    for line in ("router ospf 1", "router bgp 1", "  mtus 9"):
        assert f"Syntax error while parsing '{line}'" in told, "of a feature that is off, too"
    assert "parsing '  mtu 1500'" not in told
    assert nxos_box.BACK in box.replace(FILE, "commit-timeout 60")
    assert (box.hostname, box.store.is_timed) == ("a", False)
    assert nxos_box.DONE in box.replace(FILE, "best-effort commit-timeout 60")
    taken = "version 10.6(1)\nhostname b\ninterface mgmt0\n  mtu 1500\n"
    assert box.store.running == taken
    assert "commit timer is running" in box.replace(FILE, "best-effort commit-timeout 60")
    box.go_back()
    assert box.hostname == "a"
    box.file(FILE, wrong.replace("10.6(1)", "10.5(3)").encode())
    assert "FAILED" in box.replace(FILE, "best-effort commit-timeout 60")
    assert "no commit timer" in box.commit_replace()


def test_a_timer_runs_out_while_somebody_is_asked():
    """A terminal that waits for a yes or no, and gets none, keeps nothing from going back."""
    box = nxos_box.NxosBox("version 10.6(1)\nhostname a\n", "")
    box.second_s = 0.001
    box.file(FILE, b"version 10.6(1)\nhostname b\n")

    class Typist:
        said = b""

        def recv(self, _: int) -> bytes:
            if b"(y/n)" not in self.said:
                return b"reload\r\n"
            give_up = time.monotonic() + 60
            while box.hostname == "b" and time.monotonic() < give_up:
                time.sleep(0.01)
            return b""

        def sendall(self, data: bytes) -> None:
            self.said += data

        def close(self) -> None:
            pass

    assert nxos_box.DONE in box.replace(FILE, "commit-timeout 60")
    nxos_terminal.NxosTerminal(box, Typist()).run()
    assert box.hostname == "a"


def test_a_login_without_a_terminal_sends_files_where_that_is_served_and_does_nothing_else():
    box = nxos_box.NxosBox("feature scp-server\n", "")
    assert box.takes(f"scp -v -t {FILE}")
    assert not any(map(box.takes, ("id", f"scp -f {FILE}", "/usr/lib/openssh/sftp-server")))
    assert not nxos_box.NxosBox("hostname a\n", "").takes(f"scp -t {FILE}")
    here, there = socket.socketpair()
    with here, there:
        here.sendall(b"C0644 5 x\nhello\0")
        box.attend(f"scp -t {FILE}", there)
        assert here.recv(9) == b"\0\0\0"
    assert box.store.flash == {FILE: b"hello"}


@on_each
@pytest.mark.parametrize(
    ("held", "is_held"),
    [
        ({"nexthops": [{"dev": "et1_5"}, {"dev": "et1_6"}]}, True),
        ({"dev": "et1_5"}, False),
        (None, False),
    ],
)
def test_a_route_that_linux_does_not_forward_by_is_not_said_to_be(system, held, is_held):
    ways = [{"interfaceName": one, "active": True, "ip": "fe80::1"} for one in ("et1_5", "et1_6")]
    route = {"protocol": "bgp", "selected": True, "distance": 20, "metric": 0, "nexthops": ways}

    def run(*argv: str) -> object:
        if argv[0] == "vtysh":
            return {"10.255.0.2/32": [route]} if argv[2] == "show ip route json" else {}
        if "address" in argv:
            return []
        return [{"dst": "10.255.0.2", **held}] if held else []

    asked = system.wanted(system.text)
    if system is EOS:
        shown: Any = eos_shows.routes(run, asked)
        table = shown["vrfs"]["default"]
        (told,) = table["routes"].values()
        assert [one["interface"] for one in told["vias"]] == ["Ethernet1/5", "Ethernet1/6"]
        assert told["kernelProgrammed"] is told["hardwareProgrammed"] is is_held
        assert table["allRoutesProgrammedKernel"] is is_held
        return
    rib = json.dumps(nxos_shows.routes(run, asked))
    assert [rib.count(f'"Eth1/{one}"') for one in (5, 6)] == [1, 1]
    cards = json.dumps(nxos_shows.forwarding(run, asked))
    assert all(f'"Ethernet1/{one}"' in cards for one in (5, 6)) is is_held
    assert ("10.255.0.2/32" in cards) is bool(held)


def test_names_of_ports_fit_the_kernel_and_come_back():
    for port in ("Ethernet1/1", "Ethernet64/1", "Ethernet3", "Management1", "mgmt0"):
        assert kernel_name(port) == device_name(port)
        assert port_name(kernel_name(port)) == port
        assert len(kernel_name(port)) <= 15
    assert [device_name(one) for one in ("swp1s0", "Ethernet0", "rail0", "et1_1")] == [
        "swp1s0", "Ethernet0", "rail0", "et1_1",
    ]  # fmt: skip


@on_each
def test_its_switches_are_models_and_begin_with_what_a_person_types(system: System):
    plan = open_site(system.site)
    models = modelled.models(plan)
    assert set(models) == set(plan.switch)
    disk = {str(path): text for path, text in models[LEAF].disk("ssh-ed25519 AA railbed\n").items()}
    (text,) = [text for path, text in disk.items() if path.endswith("startup-config")]
    assert disk["etc/default/modelled"] == f"SYSTEM={system.name}\n"
    assert f"\nBindToDevice={system.management}\n" in "".join(disk.values())
    reader = blocks.Reader(system.words)
    assert not [one for one in text.splitlines() if reader.refusal(one)]
    asked = system.wanted(text)
    assert (asked.hostname, asked.users) == (LEAF, {"admin": ["ssh-ed25519 AA railbed"]})
    at = plan.switch[LEAF].management
    assert asked.ports[system.management].address == str(at.address)
    assert "router bgp" not in text
    folder = site_folder(system.site)
    known = hardware(folder / "asbuilt.csv")
    cables = links(folder / "wiring.csv", known)
    planned = planned_machines(plan, models)
    layers = {one.name: one.layer for one in machines(cables, known, planned)}
    assert {layers[name] for name in plan.switch} == {modelled.LAYER}
    assert {layers[name] for name in plan.node} == {"node"}


def test_a_switch_of_nxos_begins_with_the_release_of_its_plan():
    """A replace compares that with the file's, and is refused where they differ."""
    plan = open_site("lab-nxos")
    switch = plan.switch[LEAF]
    for release, version in (("10.5(3)F", "10.5(3)"), ("10.6(1)F", "10.6(1)")):
        other = replace(plan, switches=(replace(switch, release=release),))
        disk = modelled.models(other)[LEAF].disk("ssh-ed25519 AA railbed\n")
        (begin,) = [text for path, text in disk.items() if path.name == "startup-config"]
        assert begin.startswith(f"version {version} Bios:version\n")


def asked_of(site: str, patch: pytest.MonkeyPatch) -> LabSpec:
    """What `lab up` would build."""
    found: list[LabSpec] = []

    def build(wanted: LabSpec, *_: object) -> None:
        found.append(wanted)
        raise InterruptedError

    patch.setattr("deploy.lab.lab.build", build)
    with pytest.raises(InterruptedError):
        lab.up(site_folder(site), "asked")
    return replace(found[0], since=0)


def test_a_lab_of_other_programs_is_another_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """They are on its disks and not in the image: without that it would be told as up."""
    before = {site: asked_of(site, monkeypatch) for site in ("lab-eos", "lab")}
    models = shutil.copytree(modelled.MODELS, tmp_path / "models")
    monkeypatch.setattr(modelled, "MODELS", models)
    assert asked_of("lab-eos", monkeypatch) == before["lab-eos"]
    with (models / "terminal.py").open("a") as program:
        program.write("# Says something else.\n")
    assert asked_of("lab-eos", monkeypatch) != before["lab-eos"]
    assert asked_of("lab", monkeypatch) == before["lab"]


def test_a_cable_carries_what_is_planned_as_far_as_a_host_can():
    assert modelled.rate_mbps(open_site("lab-eos")) == 1000
    assert modelled.rate_mbps(open_site("lab")) == 200
    assert modelled.rate_mbps(open_site("pod-256")) == modelled.DATA_RATE_MBPS
    assert modelled.models(open_site("lab")) == {}
