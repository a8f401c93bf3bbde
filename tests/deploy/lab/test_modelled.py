"""The lab's models of EOS: their command line, and what its text asks of the Linux under it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.lab import modelled
from deploy.lab.models.eos import shows
from deploy.lab.models.eos.routing import frr_text
from deploy.lab.models.eos.text import Reader, changed
from deploy.lab.models.eos.wanted import Port, eos_name, kernel_name, wanted
from deploy.lab.site import hardware, links, machines
from deploy.lab.spec import device_name
from inventory import open_site, site_folder
from switch_configs import render
from tests.tree import ROOT

SITE = "lab-eos"
PLAN = open_site(SITE)
LEAF = "leaf-p1-r0"
TEXT = render(PLAN, LEAF).files[0].text


@pytest.mark.parametrize(
    "text",
    sorted((ROOT / "tests/golden/small/eos").rglob("startup-config")),
    ids=lambda one: one.parts[-4],
)
def test_it_takes_all_that_we_print(text: Path):
    reader = Reader()
    refused = [one for one in text.read_text().splitlines() if one != "end" and reader.refusal(one)]
    assert not refused


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ((), "router bgp many"),
        ((), "ip"),
        ((), "swp1"),
        ((), "ip route 10.0.0.0/33 Null0"),
        (("interface Ethernet1/1",), "mtus 9000"),
        (("interface Ethernet1/1",), "ip address 10.1.1.256/24"),
        (("router bgp 65000",), "neighbor up bfd 3 300 300"),
        (("router bgp 65000", "address-family ipv4"), "neighbor up maximum-prefix 13"),
        (("route-map in permit 10",), "set community graceful-shutdown"),
        (("ip prefix-list in",), "seq 10 permit 10.0.0.0/8 between 16 24"),
    ],
)
def test_what_another_system_or_a_slip_would_say_is_refused(block, line):
    assert Reader(block).refusal(line).startswith("% Invalid input")
    reader = Reader()
    for depth, one in enumerate(block):
        assert not reader.refusal(f"{'   ' * depth}{one}")
    assert reader.refusal(f"{'   ' * len(block)}{line}").startswith("% Invalid input")


def test_what_is_typed_goes_to_the_innermost_block_that_knows_it():
    reader = Reader(("router bgp 65000", "address-family ipv4"))
    assert not reader.refusal("router-id 10.0.0.1")
    assert reader.blocks == ("router bgp 65000",)
    assert not reader.refusal("interface Ethernet1/1")
    assert reader.blocks == ("interface Ethernet1/1",)


def test_a_typed_line_changes_its_block_alone():
    port = ("interface Ethernet5/1",)
    mtu = changed(TEXT, port, "mtu 1500")
    assert mtu.count("   mtu 9214\n") == TEXT.count("   mtu 9214\n") - 1
    assert wanted(mtu).ports["et5_1"].mtu_bytes == 1500
    assert changed(mtu, port, "mtu 9214").split() != mtu.split()
    off = changed(TEXT, port, "shutdown")
    assert not wanted(off).ports["et5_1"].is_up
    assert changed(off, port, "no shutdown") == TEXT
    assert not wanted(changed(TEXT, port, "no ipv6 enable")).ports["et5_1"].has_ipv6
    new = changed(TEXT, ("route-map mine permit 10",), "set local-preference 5")
    assert new == f"{TEXT}route-map mine permit 10\n   set local-preference 5\n"
    gone = changed(TEXT, (), "no interface Loopback0")
    assert "lo" not in wanted(gone).ports
    assert gone.count("\n") == TEXT.count("\n") - 2


def test_what_linux_is_asked():
    asked = wanted(TEXT)
    assert (asked.hostname, asked.forwards, asked.lldp) == (LEAF, {4: True, 6: True}, (5, 10))
    assert asked.ports["et5_1"] == Port("et5_1", True, 9214, has_ipv6=True)
    assert asked.ports["et1_1"].address == "10.16.0.0/31"
    assert asked.ports["Management1"].vrf == "MGMT"
    assert (asked.routes, asked.ssh) == ({"MGMT": {"0.0.0.0/0": "10.88.0.1"}}, {"", "MGMT"})
    bridged = wanted(TEXT.replace("   no switchport\n", "", 1))
    assert bridged.ports["et1_1"].address == "", "a switched port has no address"
    bare = wanted("hostname bare\nno lldp run\ninterface Ethernet1/1\n   ip address 10.0.0.1/31\n")
    assert (bare.forwards, bare.lldp) == ({4: False, 6: False}, None)
    assert bare.ports["et1_1"] == Port("et1_1", True, 1500)


def test_what_frr_is_asked():
    text = frr_text(TEXT)
    for line in (
        "ip route 10.16.0.0/18 blackhole",
        " neighbor et5_1 interface remote-as 4200000000",
        " neighbor et5_1 bfd 3 300 300",
        " neighbor et5_1 timers 3 9",
        "  neighbor et5_1 maximum-prefix 13 warning-only",
        "  neighbor et5_1 route-map up-out out",
        "  network 10.255.0.1/32",
        "  maximum-paths 2",
        "ip prefix-list up-in seq 20 permit 10.255.0.0/16 ge 32 le 32",
        "bgp community-list standard graceful-shutdown seq 5 permit graceful-shutdown",
    ):
        assert f"{line}\n" in text
    assert "MGMT" not in text
    assert "ebgp-requires-policy" not in text, "FRR asks for policies by itself"


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("      neighbor up activate\n", "  neighbor et5_1 activate\n"),
        (
            "      neighbor up next-hop address-family ipv6 originate\n",
            "  neighbor et5_1 activate\n",
        ),
        ("      neighbor up route-map up-out out\n", "  neighbor et5_1 route-map up-out out\n"),
        ("   neighbor up bfd\n", " neighbor et5_1 bfd"),
        ("      network 10.255.0.1/32\n", "  network 10.255.0.1/32\n"),
        ("   maximum-paths 2 ecmp 2\n", "  maximum-paths 2\n"),
        ("ip route 10.16.0.0/18 Null0\n", "ip route "),
    ],
)
def test_what_the_text_does_not_say_frr_does_not_do(line, lost):
    assert line in TEXT
    assert lost in frr_text(TEXT)
    assert lost not in frr_text(TEXT.replace(line, ""))


def test_what_eos_does_unless_told_otherwise_frr_is_told():
    policy = "   bgp missing-policy direction in action deny\n"
    assert " no bgp ebgp-requires-policy\n" in frr_text(TEXT.replace(policy, ""))
    sends = frr_text(TEXT.replace("   neighbor up send-community\n", ""))
    assert "  no neighbor et5_1 send-community all\n" in sends


@pytest.mark.parametrize(
    ("held", "is_held"),
    [
        ({"nexthops": [{"dev": "et5_1"}, {"dev": "et6_1"}]}, True),
        ({"dev": "et5_1"}, False),
        (None, False),
    ],
)
def test_a_route_that_linux_does_not_forward_by_is_not_said_to_be(held, is_held):
    ways = [{"interfaceName": one, "active": True, "ip": "fe80::1"} for one in ("et5_1", "et6_1")]
    route = {"protocol": "bgp", "selected": True, "distance": 20, "metric": 0, "nexthops": ways}

    def run(*argv: str) -> object:
        if argv[0] == "vtysh":
            return {"10.255.0.2/32": [route]}
        return [{"dst": "10.255.0.2", **held}] if held else []

    shown: Any = shows.routes(run, wanted(TEXT))
    table = shown["vrfs"]["default"]
    (told,) = table["routes"].values()
    assert [one["interface"] for one in told["vias"]] == ["Ethernet5/1", "Ethernet6/1"]
    assert told["kernelProgrammed"] is told["hardwareProgrammed"] is is_held
    assert table["allRoutesProgrammedKernel"] is is_held


def test_names_of_ports_fit_the_kernel_and_come_back():
    for port in ("Ethernet1/1", "Ethernet64/1", "Ethernet3", "Management1"):
        assert kernel_name(port) == device_name(port)
        assert eos_name(kernel_name(port)) == port
        assert len(kernel_name(port)) <= 15
    assert [device_name(one) for one in ("swp1s0", "Ethernet0", "rail0", "et1_1")] == [
        "swp1s0", "Ethernet0", "rail0", "et1_1",
    ]  # fmt: skip


def test_its_switches_are_models_and_begin_with_what_a_person_types():
    models = modelled.models(PLAN)
    assert set(models) == set(PLAN.switch)
    assert modelled.models(open_site("lab")) == {}
    (path,) = models[LEAF].disk("ssh-ed25519 AAAA railbed\n")
    text = models[LEAF].disk("ssh-ed25519 AAAA railbed\n")[path]
    reader = Reader()
    assert not [one for one in text.splitlines() if reader.refusal(one)]
    asked = wanted(text)
    assert (asked.hostname, asked.users) == (LEAF, {"admin": ["ssh-ed25519 AAAA railbed"]})
    assert asked.ports["Management1"].address == str(PLAN.switch[LEAF].management.address)
    assert "router bgp" not in text
    folder = site_folder(SITE)
    known = hardware(folder / "asbuilt.csv")
    cables = links(folder / "wiring.csv", known)
    systems = {name: one.system for name, one in models.items()}
    layers = {one.name: one.layer for one in machines(cables, known, systems)}
    assert {layers[name] for name in PLAN.switch} == {"eos"}
    assert {layers[name] for name in PLAN.node} == {"node"}


def test_a_cable_carries_what_is_planned_as_far_as_a_host_can():
    assert modelled.rate_mbps(PLAN) == 1000
    assert modelled.rate_mbps(open_site("lab")) == 200
    assert modelled.rate_mbps(open_site("pod-256")) == modelled.DATA_RATE_MBPS
