"""Each rule on NICs finds another word in a server's text; what is right has no problem."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site
from switch_configs import render
from validation.audit.audit import audit, judged, problems
from validation.audit.box import Box, box
from validation.audit.hosts.facts import NicFacts, RouteFacts, ShareFacts
from validation.audit.hosts.host import Host, host
from validation.audit.hosts.known import not_judged
from validation.audit.hosts.planned import planned_host, planned_hosts
from validation.audit.known import SERVERS, table
from validation.audit.network import network
from validation.audit.rule import Problem
from validation.audit.rules import rules

from . import bundle, test_left_out

LEAVES = ("leaf-p1-r0", "leaf-p1-r1")


@cache
def leaves() -> Mapping[str, Mapping[str, str]]:
    plan = open_site("pod-256")
    return {name: {one.path: one.text for one in render(plan, name).files} for name in LEAVES}


@cache
def box_of(name: str) -> Box:
    found = box(name, leaves()[name])
    assert isinstance(found, Box)
    return found


def beside_leaves(texts: Mapping[str, str]) -> tuple[Problem, ...]:
    """What is wrong with a server of these texts between the two leaves."""
    found = host(bundle.NAME, texts)
    assert found
    return problems(network(map(box_of, LEAVES), [found]))


def with_word(path: str, old: str, new: str) -> Mapping[str, str]:
    """The server with another word in one file."""
    texts = dict(bundle.texts())
    assert old in texts[path], (path, old)
    texts[path] = texts[path].replace(old, new, 1)
    return texts


QOS, NCCL, OUTPUTS = "/mlnx_qos_-i_ens1", "/etc/nccl.conf", "/outputs.txt"
NETPLAN, SYSCTL = "/etc/netplan/50-rails.yaml", "/sos_commands/kernel/sysctl_-a"
ADDRESSES = "/sos_commands/networking/ip_-d_address"
PCP = "trust state: dscp\ndscp2prio mapping:\n" + "".join(
    line + "\n" for line in bundle.mlnx_qos().splitlines() if "dscp:" in line
)
# Rule: file, word, other word, and the end of the place that is named.
SPOILT: dict[str, tuple[str, str, str, str]] = {
    "nic-trust": (QOS, PCP, "trust state: pcp\n", "mlnx_qos_-i_ens1:2"),
    "nic-pfc": (QOS, "0   0   0   1   0", "0   0   0   0   1", "ens1:18"),
    "nic-dscp": (QOS, "\tprio:3 dscp:26,\n", "\tprio:4 dscp:26,\n", "ens1:4"),
    "nic-dscp-beside": (QOS, "prio:0 dscp:00", "prio:3 dscp:00", "ens1:4"),
    "nic-tos": (OUTPUTS, "\n106\n", "\n96\n", "outputs.txt:2"),
    "nic-tclass": (OUTPUTS, "tclass=106", "tclass=96", "outputs.txt:28"),
    "nccl-tc": (NCCL, "NCCL_IB_TC=106", "NCCL_IB_TC=41", "nccl.conf:2"),
    "marks-differ": ("/etc/ucx/ucx.conf", "106", "41", "ucx.conf:1"),
    "marks-ce": (NCCL, "NCCL_IB_TC=106", "NCCL_IB_TC=107", "nccl.conf:2"),
    "nic-roce-v1": (OUTPUTS, "RoCE v2", "IB/RoCE v1", "outputs.txt:6"),
    "gid-index": (NCCL, "INDEX=3", "INDEX=1", "nccl.conf:3"),
    "nic-global-pause": (OUTPUTS, "RX:\t\toff", "RX:\t\ton", "outputs.txt:21"),
    "nic-dcbx": (QOS, "OS controlled", "Firmware controlled", "ens1:1"),
    "nic-ecn": (OUTPUTS, "roce_rp/enable/3:1", "roce_rp/enable/3:0", "outputs.txt:32"),
    "nic-cnp": (OUTPUTS, "cnp_dscp:48", "cnp_dscp:26", "outputs.txt:30"),
    "nic-cnp-priority": (OUTPUTS, "cnp_802p_prio:6", "cnp_802p_prio:3", "outputs.txt:31"),
    "nic-fec": (OUTPUTS, "encoding: RS", "encoding: BaseR", "outputs.txt:26"),
    "nic-rate": ("/sos_commands/networking/ethtool_ens1", "400000", "200000", "ethtool_ens1:3"),
    "nic-mtu": (ADDRESSES, "mtu 9000", "mtu 9300", "address:1"),
    "nics-mtu": (ADDRESSES, "mtu 9000", "mtu 4200", "address:5"),
    "nics-differ": (QOS, "0   0   0   1   0", "0   0   0   0   1", "ens2:18"),
    "nic-routes": (OUTPUTS, "1020:\tfrom 10.16.32.1 lookup 102\n", "", "ip_-d_address:7"),
    "nic-rp-filter": (SYSCTL, "ens2.rp_filter = 2", "ens2.rp_filter = 1", "sysctl_-a:7"),
    "nccl-hca": (NCCL, "mlx5_1", "mlx5_7", "nccl.conf:1"),
    "nic-cable": (QOS, "Cable len: 30", "Cable len: 7", "ens1:15"),
    "nic-buffer": (QOS, "buffer      0   0", "buffer      1   0", "ens1:19"),
    "nic-gateway": (OUTPUTS, "via 10.16.0.0 dev", "via 10.16.9.0 dev", "outputs.txt:14"),
    "nic-twin": (ADDRESSES, "inet 10.16.32.1/31", "inet 10.16.0.1/31", "address:7"),
    "nic-table": (OUTPUTS, "1010:", "32770:", "outputs.txt:9"),
    "rails-sysctl": (SYSCTL, "ens2.arp_ignore = 1", "ens2.arp_ignore = 0", "sysctl_-a:6"),
    "sysctl-port": (SYSCTL, "ens2.arp_ignore", "ens9.arp_ignore", "sysctl_-a:6"),
    "nccl-range": (NCCL, "10.16.0.0/16", "10.17.0.0/16", "nccl.conf:4"),
    "named-ports": (NCCL, "IFNAME==ens1", "IFNAME==eth9", "nccl.conf:5"),
    "host-two-truths": (NETPLAN, "9000", "4200", "ip_-d_address:1"),
}
FAMILIES = ("alike_servers", "nic_ends", "nics", "rails", "servers")


def test_a_server_that_is_right_beside_its_switches_has_no_problem():
    found = audit({**leaves(), bundle.NAME: bundle.texts()})
    assert found.problems == ()
    assert found.inconclusive == ()
    assert [link.by for link in found.network.nic_links] == [
        "addresses of 10.16.0.0/31",
        "addresses of 10.16.32.0/31",
    ]


def test_every_rule_on_servers_is_tried():
    of_hosts = [f"validation.audit.rules.{name}" for name in FAMILIES]
    assert {rule.id for rule in rules() if type(rule).__module__ in of_hosts} == OF_HOSTS
    assert len(OF_HOSTS) >= 12


@pytest.mark.parametrize("rule", SPOILT)
def test_a_rule_finds_another_word_and_its_line(rule):
    path, old, new, place = SPOILT[rule]
    mine = [one for one in beside_leaves(with_word(path, old, new)) if one.rule == rule]
    assert mine
    assert mine[0].place.endswith(place)
    assert mine[0].subject.startswith(bundle.NAME)
    assert mine[0].fix
    assert mine[0].why


def told(*hosts: Host, boxes: tuple[Box, ...] = ()) -> set[str]:
    return {one.rule for one in problems(network(boxes, hosts))}


def one_host(**changes: object) -> Host:
    """The server with changed facts of its first NIC."""
    found = host(bundle.NAME, bundle.texts())
    assert found
    first, *rest = found.facts.nics
    nics = (replace(first, **changes), *rest)  # type: ignore[arg-type]
    return replace(found, facts=replace(found.facts, nics=nics))


def test_an_end_that_negotiates_alone_is_found():
    leaf = box_of(LEAVES[0])
    ports = tuple(replace(port, autoneg=True) for port in leaf.facts.ports)
    boxes = (replace(leaf, facts=replace(leaf.facts, ports=ports)),)
    assert "nic-autoneg" in told(one_host(autoneg=False), boxes=boxes)
    assert "nic-autoneg" not in told(one_host(autoneg=True), boxes=boxes)


def in_one_subnet(sysctls: Mapping[str, str]) -> Host:
    found = host(bundle.NAME, bundle.texts())
    assert found
    nics = tuple(
        replace(nic, addresses=(f"10.9.0.{number}/24",))
        for number, nic in enumerate(found.facts.nics, 1)
    )
    return replace(found, facts=replace(found.facts, nics=nics, sysctls=sysctls, rules=()))


def test_rails_in_one_subnet_need_rules_and_answer_for_themselves():
    own = {"net.ipv4.conf.ens1.arp_ignore": "0", "net.ipv4.conf.*.arp_announce": "2"}
    assert {"nic-arp", "nic-routes"} <= told(in_one_subnet(own))
    # The larger of all's and the port's own counts (ip-sysctl of the kernel).
    assert "nic-arp" not in told(in_one_subnet({**own, "net.ipv4.conf.all.arp_ignore": "1"}))
    assert "nic-arp" not in told(in_one_subnet({}))


def test_shares_of_a_port_add_up():
    shares = tuple(ShareFacts(0, "ets", 50) for _ in range(8))
    assert "nic-weights" in told(one_host(shares=shares))
    assert "nic-weights" not in told(one_host(shares=(*shares[:7], ShareFacts(3, "ets", 50))))
    twice = (*shares[:6], ShareFacts(0, "ets", 40), ShareFacts(3, "ets", 50))
    assert "nic-weights" in told(one_host(shares=twice))


def test_what_a_nic_serves_first_is_what_its_port_does():
    boxes = (box_of(LEAVES[0]),)
    good = [ShareFacts({3: 3, 6: 6}.get(one, 0), "ets", 50) for one in range(8)]
    good[6] = ShareFacts(6, "strict", 0)
    assert "nic-strict" not in told(one_host(shares=tuple(good)), boxes=boxes)
    for at, share in ((3, ShareFacts(3, "strict", 0)), (6, ShareFacts(6, "ets", 0))):
        bad = (*good[:at], share, *good[at + 1 :])
        assert "nic-strict" in told(one_host(shares=bad), boxes=boxes)


def test_what_three_rails_have_and_the_fourth_lacks_is_found():
    good = planned_host(open_site("pod-256"), "node-p1-01")
    first = good.facts.roce_nics[0]

    def with_first(nic: NicFacts, routes: tuple[RouteFacts, ...]) -> Host:
        nics = (nic, *(one for one in good.facts.nics if one.name != nic.name))
        return replace(good, facts=replace(good.facts, nics=nics, routes=routes))

    routes = good.facts.routes or ()
    wider = tuple(
        replace(one, prefix="10.16.0.0/17")
        if (one.port, one.table) == (first.name, "main")
        else one
        for one in routes
    )
    assert told(with_first(first, routes)) == set()
    assert told(with_first(first, wider)) == {"rails-main"}
    assert "nic-no-address" in told(with_first(replace(first, addresses=None), routes))


def test_two_tools_that_set_one_thing_in_two_ways_are_found():
    texts = {**bundle.texts(), "/etc/network/interfaces": "iface ens1 inet static\n  mtu 4200\n"}
    del texts[ADDRESSES]
    (found,) = [one for one in beside_leaves(texts) if one.rule == "host-two-truths"]
    assert "9000 in gpu-a/etc/netplan/50-rails.yaml:5" in found.found


def test_the_odd_one_of_servers_of_one_kind_is_found():
    good = one_host()
    same = [replace(good, name=f"gpu-{one}") for one in "bcd"]
    odd = replace(one_host(cnp_dscp=10), name="gpu-e")
    assert "servers-differ" not in told(*same)
    mine = [one for one in problems(network((), (*same, odd))) if one.rule == "servers-differ"]
    assert [one.subject for one in mine] == ["gpu-e:ens1"]


def test_a_nic_whose_cable_nobody_knows_is_judged_by_what_all_ports_agree_on():
    texts = {
        path: text
        for path, text in bundle.texts().items()
        if path not in (NETPLAN, ADDRESSES) and "10.16" not in path
    }
    texts[QOS] = texts[QOS].replace("0   0   0   1   0", "0   0   0   0   1")
    found = audit({**leaves(), bundle.NAME: texts})
    assert not found.network.nic_links
    assert "every switch port that pauses" in next(
        one.found for one in found.problems if one.rule == "nic-pfc"
    )


def test_what_a_text_does_not_say_is_silent_and_listed():
    found = host("x", {"/etc/nccl.conf": "NCCL_IB_TC=106\n", QOS: bundle.mlnx_qos()})
    assert found
    assert told(found, boxes=(box_of(LEAVES[0]),)) == set()
    assert {"ens1.mtu_bytes", "ens1.tos", "NCCL_IB_HCA", "rules"} <= set(found.facts.not_said)
    assert not {"ens1.trust", "NCCL_IB_TC"} & set(found.facts.not_said)


@pytest.mark.parametrize("site", ["lab", "pod-256"])
def test_the_nodes_of_a_site_have_no_problem_beside_its_own_switches(site):
    plan = open_site(site)
    boxes = [
        box(name, {one.path: one.text for one in render(plan, name).files}) for name in plan.switch
    ]
    hosts = tuple(planned_hosts(plan))
    seen = network((one for one in boxes if isinstance(one, Box)), hosts)
    assert len(hosts) == len(plan.node)
    assert not any(one.facts.unread for one in hosts)
    roce = {(one.name, nic.name) for one in hosts for nic in one.facts.roce_nics}
    assert roce <= {(link.host.name, link.nic.name) for link in seen.nic_links}
    assert problems(seen) == ()


def test_a_planned_node_that_is_set_otherwise_is_found():
    """The same rules that find nothing find a NIC that pauses another priority."""
    plan = open_site("pod-256")
    good = planned_host(plan, "node-p1-01")

    def spoilt(nic: NicFacts) -> NicFacts:
        return replace(nic, pfc_priorities=(4,)) if nic.name == "enp24s0np0" else nic

    bad = replace(good, facts=replace(good.facts, nics=tuple(map(spoilt, good.facts.nics))))
    moved = replace(nics_of(good)["enp24s0np0"], addresses=("10.16.0.3/31",))
    away = replace(good, facts=replace(good.facts, nics=(moved,)))
    boxes = (box_of(LEAVES[0]),)
    assert told(good, boxes=boxes) == set()
    assert {"nic-pfc", "nics-differ"} <= told(bad, boxes=boxes)
    # Its cable is known by the port's description then.
    assert "nic-address" in told(away, boxes=boxes)


def nics_of(one: Host) -> Mapping[str, NicFacts]:
    return {nic.name: nic for nic in one.facts.nics}


def test_what_no_text_says_is_listed_by_rule():
    only = host("x", {QOS: bundle.mlnx_qos()})
    assert only
    silent = {one.rule: one for one in not_judged([only])}
    assert (silent["nic-fec"].how, silent["nic-fec"].why) == ("run time", "nic.fec is not said")
    assert (silent["nic-tos"].how, silent["nic-tos"].boxes) == ("not said", ("x",))
    assert "nic-trust" not in silent
    assert {name for name, row in table() if row[-1] != "-"} == OF_HOSTS
    assert {one.system for one in silent.values()} == {SERVERS}


def test_a_nic_that_does_not_say_its_class_is_not_called_good_where_its_port_pauses():
    """Outputs of one NIC are no answer for the other; a mark may be said by NCCL alone."""
    whole = dict(bundle.texts())
    found = audit({**leaves(), bundle.NAME: {**whole, "/outputs.txt": whole["/outputs.txt"][:0]}})
    assert found.problems == ()
    assert found.inconclusive == tuple(
        f"{bundle.NAME}:{nic}: its switch port pauses, and nothing says its ecn_priorities"
        for nic in ("ens1", "ens2")
    )
    assert found.exit_code == 3
    silent = {one.rule: one for one in found.not_judged if one.system == SERVERS}
    assert silent["nic-ecn"].why == "nic.ecn_priorities is not said"
    one = "/mlnx_qos_-i_ens2"
    half = audit({**leaves(), bundle.NAME: {path: whole[path] for path in whole if path != one}})
    assert [at for each in half.not_judged if each.rule == "nic-trust" for at in each.boxes] == [
        f"{bundle.NAME}:ens2"
    ]
    assert any("ens2" in why and "trust" in why for why in half.inconclusive)


def test_a_nic_is_not_judged_by_a_port_whose_system_does_not_say_it():
    """Linux pauses by dcb or not at all, and FRR's text says neither."""
    plan = open_site("lab")
    boxes = [box(LEAVES[0], {one.path: one.text for one in render(plan, LEAVES[0]).files})]
    seen = network((one for one in boxes if isinstance(one, Box)), planned_hosts(plan))
    nics = [replace(link.nic, pfc_priorities=(3,)) for link in seen.nic_links]
    links = tuple(replace(link, nic=nic) for link, nic in zip(seen.nic_links, nics, strict=True))
    assert links
    told = judged(replace(seen, nic_links=links))
    assert not [one for one in told.problems if one.rule == "nic-pfc"]
    unknown = [one for one in told.not_judged if one.rule == "nic-pfc" and one.how == "unknowable"]
    assert [(one.system, one.boxes) for one in unknown] == [("linux_frr", (LEAVES[0],))]


# What no word in one file makes wrong, and the test that tells it.
ELSEWHERE = {
    "nic-address": test_a_planned_node_that_is_set_otherwise_is_found,
    "nic-arp": test_rails_in_one_subnet_need_rules_and_answer_for_themselves,
    "nic-autoneg": test_an_end_that_negotiates_alone_is_found,
    "nic-no-address": test_what_three_rails_have_and_the_fourth_lacks_is_found,
    "nic-strict": test_what_a_nic_serves_first_is_what_its_port_does,
    "nic-weights": test_shares_of_a_port_add_up,
    "rails-main": test_what_three_rails_have_and_the_fourth_lacks_is_found,
    "servers-differ": test_the_odd_one_of_servers_of_one_kind_is_found,
    "left-out": test_left_out.left_out,
}
OF_HOSTS = {*SPOILT, *ELSEWHERE}


@pytest.mark.parametrize("rule", ELSEWHERE)
def test_what_no_word_makes_wrong_is_asked_for_by_its_name(rule):
    assert f'"{rule}"' in inspect.getsource(ELSEWHERE[rule])
