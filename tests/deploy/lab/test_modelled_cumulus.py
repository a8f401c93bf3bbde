"""The lab's model of Cumulus Linux: what NVUE takes, and what its tree asks of Linux and of FRR.

What a push meets there is in tests/deploy/switches/test_cumulus_push.py.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from deploy.lab import modelled
from deploy.lab.models.cumulus import daemon_run
from deploy.lab.models.cumulus import nv as program
from deploy.lab.models.cumulus.nvue import answer, new, restart, told
from deploy.lab.models.cumulus.routing import routing
from deploy.lab.models.cumulus.tree import lines, read, said
from deploy.lab.models.cumulus.wanted import wanted
from deploy.lab.models.cumulus.words import refusal
from deploy.lab.models.frr import frr_text
from deploy.lab.models.trees import Tree
from deploy.lab.models.wanted import Port
from inventory import open_site, site_folder
from inventory.topology.wiring import load_wiring
from switch_configs import render
from tests.tree import ROOT

SITE, LEAF = "lab-cumulus", "leaf-p1-r0"
GOLDENS = sorted((ROOT / "tests/golden/small/cumulus").rglob("startup.yaml"))
OFF = "nv set interface swp5 link state down"


@pytest.fixture(scope="module")
def text() -> str:
    return render(open_site(SITE), LEAF).files[0].text


def switch(text: str) -> Tree:
    return new(read(text)["set"])


def nv(held: Tree, line: str, status: int = 0) -> str:
    ended, text = answer(held, line.removeprefix("nv ").split())
    assert ended == status, text
    return text


def applied(held: Tree) -> Tree:
    return dict(held["revisions"][held["applied"]]["tree"])


def frr_of(text: str) -> str:
    return frr_text(routing(text))


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.parts[-4])
def test_it_takes_all_that_we_print_and_prints_it_so_that_it_reads_the_same(path):
    tree = read(path.read_text())["set"]
    assert refusal(tree) == ""
    assert read("\n".join(["- set:", *said(tree)])) == {"set": tree}


@pytest.mark.parametrize(
    "line",
    [
        "interface swp5 link mtu 9217",
        "interface swp5 link mtus 1500",
        "interface swp5 ip address 10.1.1.256/24",
        "interface swp5 ipv4 address 10.1.1.1/24",  # of 5.15
        "interface Ethernet1/1/1/1/1 type swp",
        "router bgp state enabled",  # of 5.15
        "router bgp router-id many",
        "router bgp neighbor swp5 type unnumbered",
        "router policy route-map up rule 10 action allow",
        "vrf default router bgp neighbor swp5 bfd profile fabric",  # of 5.15
        "vrf default router bgp peer-group up address-family ipv4-unicast maximum-prefix 13",
        "vrf default router static 10.16.0.0/33 via blackhole",
        "system auto-save disabled",
        "hostname leaf1",
    ],
)
def test_what_is_no_word_of_its_release_is_refused(text, line):
    held = switch(text)
    assert "was unexpected" in nv(held, f"nv set {line}", status=1)
    assert (held["pending"], applied(held)) == ("", read(text)["set"])


def test_a_patch_that_says_what_there_is_not_is_refused_as_it_is_applied(text, tmp_path):
    held, file = switch(text), tmp_path / "wrong.yaml"
    file.write_text("- set:\n    interface:\n      swp5:\n        link:\n          mtus: 9000\n")
    nv(held, f"nv config patch {file}")
    why = nv(held, "nv config apply -y --confirm 60s", status=1)
    assert why.startswith(
        "Invalid config [rev_id: 2]\n  Config invalid at interface.swp5.link.mtus"
    )
    assert (applied(held), held["until"]) == (read(text)["set"], 0.0)
    nv(held, "nv config detach")
    nv(held, "nv unset router bgp router-id")
    assert "BGP requires router-id" in nv(held, "nv config apply -y", status=1)


def test_what_is_typed_is_shown_as_what_differs_and_applied(text):
    held = switch(text)
    nv(held, OFF)
    nv(held, "nv set interface swp5 ip address 10.0.0.1/31")
    nv(held, "nv set interface swp5 ip address 10.0.0.3/31")
    nv(held, "nv unset interface swp5 link mtu")
    shown = nv(held, "nv config diff").splitlines()
    assert [one.strip() for one in shown] == [
        "- unset:", "interface:", "swp5:", "link:", "mtu: {}",
        "- set:", "interface:", "swp5:", "ip:", "address:", "10.0.0.1/31: {}", "10.0.0.3/31: {}",
        "link:", "state:", "down: {}",
    ]  # fmt: skip
    nv(held, "nv config apply -y")
    port = wanted(told(applied(held))).ports["swp5"]
    assert port == Port("swp5", False, 9216, "10.0.0.1/31", has_ipv6=True)
    assert nv(held, "nv config diff") == ""
    assert held["startup"] == read(text)["set"], "it does not save by itself"
    nv(held, "nv config apply startup -y")
    assert applied(held) == read(text)["set"]


def test_a_tree_is_made_to_work_as_it_is_applied_and_as_a_timer_brings_back_the_last(text):
    held, done = switch(text), list[Tree]()
    for line in (OFF, "nv config apply -y --confirm 60s"):
        assert answer(held, line.split()[1:], done.append)[0] == 0
    assert done == [applied(held)]
    states = json.loads(nv(held, "nv config revision -o json"))
    assert states["2"] == {"state": "confirm"}
    held["later_s"] += 61
    answer(held, ["config", "revision", "-o", "json"], done.append)
    assert done[1:] == [read(text)["set"]] == [applied(held)]


def test_who_says_nothing_stops_neither_others_nor_the_timer(text, tmp_path, monkeypatch, capsys):
    at, booted = tmp_path / "nvued", tmp_path / "booted"
    (tmp_path / "startup.yaml").write_text(text)
    monkeypatch.setattr(program, "SOCKET", at)
    monkeypatch.setattr(daemon_run, "SOCKET", at)
    monkeypatch.setattr(daemon_run, "_STARTUP", tmp_path / "startup.yaml")
    monkeypatch.setattr(daemon_run, "_KEPT", tmp_path / "kept" / "revisions.json")
    monkeypatch.setattr(daemon_run, "did", lambda *_: True)
    done = list[Tree]()
    linux = SimpleNamespace(becomes=lambda told: done.append(read(told)["set"]))
    monkeypatch.setattr(daemon_run, "Under", lambda _: linux)
    monkeypatch.setenv("NOTIFY_SOCKET", str(booted))
    with (
        ThreadPoolExecutor(1) as pool,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
        socket.socket(socket.AF_UNIX) as silent,
    ):
        told.bind(str(booted))
        nvued = daemon_run.Nvued()
        threading.Thread(target=nvued.attend, daemon=True).start()
        assert told.recv(64) == b"READY=1"
        silent.connect(str(at))
        for line in (OFF, "nv config apply -y --confirm 1s"):
            asked = pool.submit(program.main, line.split()[1:])
            assert asked.result(timeout=60) == 0, capsys.readouterr()
        give_up = time.monotonic() + 60
        while len(done) < 3 and time.monotonic() < give_up:
            time.sleep(0.01)
        with nvued.changed:  # it has kept that, and waits again
            assert nvued.held["until"] == 0.0
    assert done[0] == done[2] == read(text)["set"] != done[1]
    assert len(done) == 3


@pytest.mark.parametrize("loads", [True, False])
def test_a_restart_brings_the_startup_file_where_something_loads_it(text, loads):
    held = switch(text)
    for line in (OFF, "nv config apply -y"):
        nv(held, line)
    restart(held, loads=loads)
    assert ("link state down" in "\n".join(lines(applied(held)))) is not loads


def test_what_linux_is_asked(text):
    asked = wanted(text)
    assert (asked.hostname, asked.forwards, asked.lldp) == (LEAF, {4: True, 6: True}, (10, 40))
    assert asked.ports["swp5"] == Port("swp5", True, 9214, has_ipv6=True)
    assert (asked.ports["swp1"].address, asked.ports["lo"].address) == (
        "10.16.0.0/31", "10.255.0.1/32",
    )  # fmt: skip
    assert asked.ports["eth0"].vrf == "mgmt"
    assert asked.routes == {"mgmt": {"0.0.0.0/0": "10.88.0.1"}}
    assert not asked.unsaid_is_up, "a port of which nothing is said is down"
    bare = wanted("- set:\n    interface:\n      swp1: {}\n      eth0: {}\n")
    assert (bare.hostname, bare.lldp, bare.routes) == ("cumulus", (30, 120), {})
    assert [one.mtu_bytes for one in bare.ports.values()] == [9216, 1500]
    off = text.replace(
        "      swp5:\n", "      swp5:\n        ip:\n          ipv6:\n            enable: off\n", 1
    )
    assert not wanted(off).ports["swp5"].has_ipv6


# What FRR is asked, the words for that, and others, with which it is asked otherwise.
ASKED = (
    (
        "ip route 10.16.0.0/18 blackhole",
        "via:\n                blackhole",
        "via:\n                10.0.0.1",
    ),
    ("router bgp 4200000100", "enable: on\n        router-id", "enable: off\n        router-id"),
    (" bgp bestpath as-path multipath-relax", "aspath-ignore: on", "aspath-ignore: off"),
    (" neighbor swp5 interface remote-as 4200000000", "remote-as: 42", "remote-as: 41"),
    (" neighbor swp5 bfd", "multiplier: 3\n                  enable: on", "multiplier: 3"),
    (" neighbor swp5 bfd", "min-rx-interval: 300", "min-rx-interval: 400"),
    (" neighbor swp5 timers 3 9", "hold: 9", "hold: 30"),
    (" neighbor swp5 timers connect 1", "connection-retry: 1", "connection-retry: 2"),
    (
        "  neighbor swp5 activate",
        "regular: on\n                    enable: on",
        "regular: on\n                    enable: off",
    ),
    ("  neighbor swp5 maximum-prefix 13 warning-only", "warning-only: on", "warning-only: off"),
    ("  neighbor swp5 route-map up-out out", "peer-group: up\n", "peer-group: down\n"),
    (
        "  network 10.255.0.1/32",
        "10.16.0.0/18: {}\n                  10.255.0.1/32: {}",
        "10.0.0.0/8: {}",
    ),
    ("  maximum-paths 2", "ebgp: 2", "ebgp: 4"),
    ("ip prefix-list up-in seq 20 permit 10.255.0.0/16 ge 32 le 32", "min-prefix-len: 32", "x: 1"),
    (
        "bgp community-list standard graceful-shutdown seq 10 permit graceful-shutdown",
        "65535:0",
        "1:1",
    ),
    (" match community graceful-shutdown", "  community-list: graceful-shutdown", "  x: y"),
    (" set local-preference 0", "local-preference: 0", "local-preference: 10"),
)


@pytest.mark.parametrize(("line", "words", "others"), ASKED)
def test_frr_is_asked_what_the_tree_says_and_nothing_else(text, line, words, others):
    assert words in text
    assert f"{line}\n" in frr_of(text)
    assert f"{line}\n" not in frr_of(text.replace(words, others, 1))
    assert "10.88.0" not in frr_of(text), "the way of management is not FRR's"


def test_its_switches_are_models_and_begin_with_what_a_person_types():
    plan = open_site(SITE)
    models = modelled.models(plan)
    assert set(models) == set(plan.switch)
    disk = {str(path): text for path, text in models[LEAF].disk("ssh-ed25519 AA railbed\n").items()}
    assert disk["etc/default/modelled"] == "SYSTEM=cumulus\n"
    assert disk["etc/sudoers.d/railbed"] == "cumulus ALL=(ALL) NOPASSWD: ALL\n"
    assert disk["usr/bin/nv"].endswith(' "$@"\n')
    begun = disk["etc/nvue.d/startup.yaml"]
    assert refusal(read(begun)["set"]) == ""
    asked = wanted(begun)
    assert (asked.hostname, asked.users) == (LEAF, {"cumulus": ["ssh-ed25519 AA"]})
    assert asked.ports["eth0"].address == str(plan.switch[LEAF].management.address)
    assert "router bgp" not in frr_of(begun)
    wires = load_wiring(site_folder(SITE) / "wiring.csv")
    assert {str(wire.a.port)[:3] for wire in wires if wire.a.device == LEAF} == {"swp", "eth"}
