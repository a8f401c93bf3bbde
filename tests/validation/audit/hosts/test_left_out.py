"""What a server's files do not say, or say in words that nobody understands, is no pass."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site
from validation.audit.audit import audit, problems
from validation.audit.hosts.differences import host_differences
from validation.audit.hosts.host import Host, host
from validation.audit.hosts.planned import planned_host
from validation.audit.network import network

from . import bundle

NODE = "node-p1-01"
NETPLAN, WISHES = "/etc/netplan/60-railbed.yaml", "/etc/default/railbed-roce-nic"
LIST, SYSCTL = "/etc/railbed/network", "/etc/sysctl.d/60-railbed-roce-nic.conf"


@cache
def planned(name: str) -> Host:
    return planned_host(open_site("pod-256"), name)


def texts(name: str = NODE) -> dict[str, str]:
    """The files of a node of pod-256, by their paths there."""
    found = planned(name).texts
    return {f"/{path.partition('/')[2]}": text for path, text in found.items()}


def spoilt(path: str, old: str, new: str, name: str = NODE) -> Host:
    said = texts(name)
    assert old in said[path], (path, old)
    found = host(name, {**said, path: said[path].replace(old, new, 1)})
    assert found
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("optional: true", "optionax: true"),
        ("optional: true", "optional: 7"),
        ("mtu: 9000", "mtu: 9000\n      mtu: 9000"),
        ("link-local: []", "link-local: [x"),
        ("mode: 802.3ad", "mode: 802.3ax"),
        ("  bonds:\n", ""),
        ("network:", "networx:"),
        ('["enp41s0f1np1"', '["enp41s0f1np2"'),
    ],
)
def test_a_file_that_netplan_refuses_is_not_read(old, new):
    found = spoilt(NETPLAN, old, new)
    assert [file for file, _ in found.facts.unread] == [f"{NODE}{NETPLAN}"]
    assert found.facts.nics


@pytest.mark.parametrize(
    ("path", "old", "new", "topic"),
    [
        (WISHES, "each trust dscp", "each trusx dscp", "RoCE"),
        (WISHES, "each trust dscp", "each trust dscx", "RoCE"),
        (WISHES, "qos_tool auto", "qos_tool autx", "RoCE"),
        (LIST, "route enp24s0np0 main", "route enp24s0npx main", "routing"),
        (LIST, "address enp24s0np0", "addresx enp24s0np0", "routing"),
        (LIST, "nic enp24s0np0 mtu", "pci enp24s0np0 x\nnic enp24s0np0 mtu", "routing"),
        (WISHES, "only enp24s0np0 cable 30", "nic enp25s0np0 0000:19:00 -", "RoCE"),
        (SYSCTL, "rp_filter = 2", "rp_filtex = 2", "routing"),
        (SYSCTL, "rp_filter = 2", "rp_filter 2", "routing"),
    ],
)
def test_lines_that_nobody_understands_are_counted_and_no_pass(path, old, new, topic):
    said = {**texts()}
    said[path] = said[path].replace(old, new, 1)
    found = audit({NODE: said})
    assert found.unread == {(NODE, topic): 1}
    (line,) = found.network.hosts[0].facts.unread_lines
    assert line.place.startswith(f"{NODE}{path}:")
    assert f"{NODE}: 1 lines on {topic} are not understood here" in found.inconclusive


def test_a_script_that_sets_nics_by_a_variable_is_not_understood():
    script = "for nic in $NICS; do\n  mlnx_qos -i $nic --trust dscp\ndone\n"
    found = host("x", {"/opt/nics.sh": script, "/etc/nccl.conf": "NCCL_IB_TC=106\n"})
    assert found
    assert [one.place for one in found.facts.unread_lines] == ["x/opt/nics.sh:2"]


def left_out(*hosts: Host) -> set[tuple[str, str]]:
    return {
        (one.subject, one.found) for one in problems(network((), hosts)) if one.rule == "left-out"
    }


@pytest.mark.parametrize("what", ["trust", "pfc_priorities", "tos"])
def test_a_nic_of_which_nothing_is_said_that_is_said_of_the_other(what):
    good = host(bundle.NAME, bundle.texts())
    assert good
    first, *rest = good.facts.nics
    bare = replace(first, **{what: None})  # type: ignore[arg-type] # of any field
    found = left_out(replace(good, facts=replace(good.facts, nics=(bare, *rest))))
    assert not left_out(good)
    assert [subject for subject, _ in found] == [f"{bundle.NAME}:{first.name}"]
    assert what in next(iter(found))[1]


def test_a_server_that_lacks_a_line_of_its_like():
    alike = [host(f"node-p1-0{one}", texts(f"node-p1-0{one}")) for one in (2, 3)]
    others = [one for one in alike if one]
    for path, line in (
        (WISHES, "each trust dscp\n"),
        (WISHES, "each buffer 0,0,0,1,0,0,0,0\n"),
        (WISHES, "only enp24s0np0 cable 30\n"),
        (NETPLAN, "        transmit-hash-policy: layer3+4\n"),
        (SYSCTL, "net.ipv4.conf.enp41s0f0np0.ignore_routes_with_linkdown = 1\n"),
        (LIST, "master enp41s0f1np1 bond-biz\n"),
    ):
        found = left_out(*others, spoilt(path, line, ""))
        assert found
        assert {subject.partition(":")[0] for subject, _ in found} == {NODE}


def test_a_port_that_one_server_is_told_otherwise():
    names = ("node-p1-02", "node-p1-03")
    others = [other for one in names if (other := host(one, texts(one)))]
    odd = spoilt(NETPLAN, "lacp-rate: fast", "lacp-rate: slow")
    found = [one for one in problems(network((), (*others, odd))) if one.rule == "servers-differ"]
    assert [(one.subject, one.place) for one in found] == [
        (f"{NODE}:bond-biz", f"{NODE}{NETPLAN}:{line_of(odd, 'lacp-rate')}")
    ]


def line_of(one: Host, words: str) -> int:
    lines = one.texts[f"{one.name}{NETPLAN}"].splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def test_a_node_as_planned_differs_in_nothing_and_each_other_word_is_told():
    plan = open_site("pod-256")
    assert host_differences(plan, planned_host(plan, NODE)) == ()
    for path, old, new in (
        (WISHES, "cnp_dscp 48", "cnp_dscp 46"),
        (WISHES, "each ecn 3\n", ""),
        (NETPLAN, "mtu: 9000", "mtu: 9001"),
        (NETPLAN, "      optional: true\n", ""),
        (LIST, "rule enp24s0np0 1000", "rule enp24s0np0 1010"),
        (SYSCTL, "rp_filter = 2", "rp_filter = 1"),
    ):
        found = host_differences(plan, spoilt(path, old, new))
        assert any(f"{NODE}{path}" in one for one in found), (path, old)


def test_what_runs_otherwise_than_planned_is_a_difference_whatever_text_says_it():
    plan = open_site("pod-256")
    qos = bundle.mlnx_qos().replace("Cable len: 30", "Cable len: 7")
    found = host(NODE, {"/mlnx_qos_-i_enp24s0np0": qos})
    assert found
    (told,) = host_differences(plan, found)
    assert told.startswith("enp24s0np0.cable_m: 7, planned 30")


@pytest.mark.parametrize(("metres", "told"), [((61,), 1), ((61, 61), 0), ((61, 20), 0)])
def test_the_one_nic_with_another_cable_is_told_where_no_port_says_its_length(metres, told):
    first, *rest = planned(NODE).facts.nics
    odd = dict(zip([nic.name for nic in planned(NODE).facts.roce_nics], metres, strict=False))
    nics = tuple(replace(nic, cable_m=odd.get(nic.name, nic.cable_m)) for nic in (first, *rest))
    found = replace(planned(NODE), facts=replace(planned(NODE).facts, nics=nics))
    mine = [one for one in problems(network((), [found])) if one.rule == "nic-cable"]
    assert [one.found for one in mine] == [
        "its cable has 61 m, and those of all 9 other NICs 30 m"
    ] * told
