"""Readers of EOS and NX-OS: healthy, broken, refused, and what contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers.forms import Bgp, Link, Neighbour, Peer, RibRoute
from switch_configs.answers.said import FeatureOff, Said, asn
from switch_configs.eos.answers import bgp as eos_bgp
from switch_configs.eos.answers import lldp as eos_lldp
from switch_configs.eos.answers import ports as eos_ports
from switch_configs.eos.answers import routes as eos_routes
from switch_configs.eos.answers.routing import EOS
from switch_configs.nxos.answers import bgp as nxos_bgp
from switch_configs.nxos.answers import forwarding as nxos_forwarding
from switch_configs.nxos.answers import lldp as nxos_lldp
from switch_configs.nxos.answers import ports as nxos_ports
from switch_configs.nxos.answers import routes as nxos_routes
from switch_configs.nxos.answers.routing import NXOS
from tests.validation.healthy import Refused
from tests.validation.shows import eos, nxos
from tests.validation.shows.readings import FAR, small_switch
from tests.validation.shows.state import Device, Network, Route

LEAF = 4200000100
SPINE = 4200000000
HEARD = {
    "Ethernet1/1": (Neighbour("node1", "rail0"),),
    "Ethernet1/2": (Neighbour("spine1", "Ethernet1/1"),),
    "Ethernet1/3": (Neighbour("spine2", "Ethernet1/1"),),
}
SESSIONS = Bgp(
    LEAF,
    {
        "10.1.0.0": Peer("10.1.0.0", "Established", SPINE, LEAF),
        "Ethernet1/2": Peer("Ethernet1/2", "Established", SPINE, LEAF),
        "Ethernet1/2.301": Peer("Ethernet1/2.301", "Active", SPINE, LEAF),
    },
)
BOTH = ("Ethernet1/2", "Ethernet1/3")
Reader = Callable[[Said], Any]


def said(value: object, status: int = 0) -> Said:
    text = value if isinstance(value, str) else json.dumps(value)
    return Said("show", status, text)


def changed(value: Any, change: Callable[[Any], None]) -> Said:
    copy = json.loads(json.dumps(value))
    change(copy)
    return said(copy)


def test_who_is_heard():
    here = small_switch()
    assert eos_lldp.neighbours(said(eos.lldp(here))) == HEARD
    assert nxos_lldp.neighbours(said(nxos.lldp(here))) == HEARD
    here.ports["Ethernet1/2"].heard.append(("hub", "7"))
    two = (Neighbour("hub", "7"), Neighbour("spine1", "Ethernet1/1"))
    assert eos_lldp.neighbours(said(eos.lldp(here)))["Ethernet1/2"] == two
    assert nxos_lldp.neighbours(said(nxos.lldp(here)))["Ethernet1/2"] == two


def test_nobody_is_heard_in_each_systems_words():
    here = small_switch()
    for port in here.ports.values():
        port.heard = []
    assert eos_lldp.neighbours(said(eos.lldp(here))) == {}
    assert nxos_lldp.neighbours(Said("show", 1, "", nxos.NOBODY)) == {}


def test_an_old_eos_has_the_neighbours_port_in_quotes():
    def older(told: Any) -> None:
        for entry in told["lldpNeighbors"].values():
            for one in entry["lldpNeighborInfo"]:
                del one["neighborInterfaceInfo"]["interfaceId_v2"]

    assert eos_lldp.neighbours(changed(eos.lldp(small_switch()), older)) == HEARD


@pytest.mark.parametrize("name", ["", "null", "not advertised"])
def test_a_neighbour_without_a_name_has_none(name):
    told = {"l_port_id": "Eth1/1", "sys_name": name, "port_id": "Eth2/1"}
    table = {"TABLE_nbor_detail": {"ROW_nbor_detail": told}}
    assert nxos_lldp.neighbours(said(table)) == {"Ethernet1/1": (Neighbour("", "Ethernet2/1"),)}


def test_sessions_of_all_tables_by_address_and_by_port():
    assert eos_bgp.sessions(said(eos.bgp(small_switch()))) == SESSIONS
    assert nxos_bgp.sessions(said(nxos.bgp(small_switch()))) == SESSIONS


@pytest.mark.parametrize(
    ("told", "number"),
    [("65002.2048", 65002 * 65536 + 2048), (65001, 65001), ("4200000000", 4200000000)],
)
def test_asns_plain_and_as_asdot(told, number):
    assert asn(told, "x") == number


@pytest.mark.parametrize("told", [None, True, "", "1.2.3", "1.65536", "-1", 2**32, "AS1"])
def test_what_is_no_asn(told):
    with pytest.raises(Unreadable, match="no ASN"):
        asn(told, "x")


def test_an_eos_without_bgp_has_no_asn():
    assert eos_bgp.sessions(said({"vrfs": {}, "warnings": ["BGP inactive"]})) == Bgp(None, {})


def test_selected_routes():
    for found in (
        eos_routes.selected(said(eos.routes(small_switch()))),
        nxos_routes.selected(said(nxos.rib(small_switch()))),
    ):
        assert found[FAR] == RibRoute("bgp", BOTH)
        assert found[Network("10.16.0.0/19")] == RibRoute("static", ())
        assert found[Network("10.1.0.0/31")].ports == ("Ethernet1/3",)
        assert len(found) == 5


def forwards(here: Device) -> dict[str, Any]:
    return {
        "eos": eos_routes.programmed(said(eos.routes(here))),
        "nxos": nxos_forwarding.forwarded(said(nxos.fib(here))),
    }


def test_what_forwarding_has():
    for found in forwards(small_switch()).values():
        assert found[FAR].ports == BOTH
        assert found[Network("10.16.0.0/19")].ports == ()
        assert not [one for one in found if one.prefixlen == 32 and one.network_address in FAR]


def test_what_is_not_programmed_has_no_port():
    here = small_switch()
    here.routes[FAR] = Route("bgp", list(BOTH), held=[])
    assert forwards(here)["eos"][FAR].ports == ()
    assert FAR not in forwards(here)["nxos"]
    here.routes[FAR].held = ["Ethernet1/2"]
    assert forwards(here)["nxos"][FAR].ports == ("Ethernet1/2",)


@pytest.mark.parametrize("flag", ["hardwareProgrammed", "kernelProgrammed"])
def test_eos_needs_both_and_each_route_to_say_so(flag):
    def lose(told: Any) -> None:
        told["vrfs"]["default"]["routes"][str(FAR)][flag] = False

    def silence(told: Any) -> None:
        del told["vrfs"]["default"]["routes"][str(FAR)][flag]

    routes = eos.routes(small_switch())
    assert eos_routes.programmed(changed(routes, lose))[FAR].ports == ()
    with pytest.raises(Unreadable, match=flag):
        eos_routes.programmed(changed(routes, silence))


def test_eos_that_says_not_all_and_of_each_yes_contradicts_itself():
    def doubt(told: Any) -> None:
        told["vrfs"]["default"]["allRoutesProgrammedHardware"] = False

    with pytest.raises(Unreadable, match="contrary"):
        eos_routes.programmed(changed(eos.routes(small_switch()), doubt))


def modules(told: Any) -> list[Any]:
    return list(told["TABLE_module"]["ROW_module"])


def test_a_path_counts_where_every_line_card_has_it():
    def second(told: Any) -> None:
        card = json.loads(json.dumps(modules(told)[0]))
        card["module_number"] = "2"
        for row in card["TABLE_vrf"]["ROW_vrf"]["TABLE_prefix"]["ROW_prefix"]:
            if row["ip_prefix"] == str(FAR):
                row["TABLE_path"]["ROW_path"] = row["TABLE_path"]["ROW_path"][0]
        told["TABLE_module"]["ROW_module"].append(card)

    found = nxos_forwarding.forwarded(changed(nxos.fib(small_switch()), second))
    assert found[FAR].ports == ("Ethernet1/2",)


def test_a_supervisor_alone_shows_no_forwarding():
    def lose(told: Any) -> None:
        told["TABLE_module"]["ROW_module"] = modules(told)[1]

    with pytest.raises(Unreadable, match="line card"):
        nxos_forwarding.forwarded(changed(nxos.fib(small_switch()), lose))


def test_a_partial_install_is_not_read_as_whole():
    def part(told: Any) -> None:
        card = modules(told)[0]["TABLE_vrf"]["ROW_vrf"]["TABLE_prefix"]["ROW_prefix"]
        card[-1]["partial_install"] = "Yes"

    with pytest.raises(Unreadable, match="partial_install"):
        nxos_forwarding.forwarded(changed(nxos.fib(small_switch()), part))


def test_ports_up_down_and_switched_off():
    for found in (
        eos_ports.ports(said(eos.ports(small_switch()))),
        nxos_ports.ports(said(nxos.ports(small_switch()))),
    ):
        assert found["Ethernet1/1"] == Link("Ethernet1/1", 9214, admin_up=True, up=True)
        assert found["Ethernet1/4"] == Link("Ethernet1/4", 1500, admin_up=False, up=False)
        assert found["Ethernet1/5"] == Link("Ethernet1/5", 9214, admin_up=True, up=False)
        assert "Vlan10" not in found


def test_an_eos_port_that_is_up_and_down_at_once_is_not_up():
    def mix(told: Any) -> None:
        told["interfaces"]["Ethernet1/1"]["lineProtocolStatus"] = "lowerLayerDown"

    assert not eos_ports.ports(changed(eos.ports(small_switch()), mix))["Ethernet1/1"].up


def test_addresses():
    for found in (
        eos_ports.addresses(said(eos.ports(small_switch()))),
        nxos_ports.addresses(said(nxos.ports(small_switch()))),
    ):
        assert found["Ethernet1/1"] == ("10.16.0.0/31",)
        assert found["Ethernet1/2"] == ()
    told = said(nxos.ports(small_switch()))
    assert nxos_ports.addresses(told)["mgmt0"] == ("172.16.0.11/20",)


ALL: list[tuple[Reader, Callable[[Device], Any]]] = [
    (eos_lldp.neighbours, eos.lldp),
    (eos_bgp.sessions, eos.bgp),
    (eos_routes.selected, eos.routes),
    (eos_routes.programmed, eos.routes),
    (eos_ports.ports, eos.ports),
    (eos_ports.addresses, eos.ports),
    (nxos_lldp.neighbours, nxos.lldp),
    (nxos_bgp.sessions, nxos.bgp),
    (nxos_routes.selected, nxos.rib),
    (nxos_forwarding.forwarded, nxos.fib),
    (nxos_ports.ports, nxos.ports),
    (nxos_ports.addresses, nxos.ports),
]
REFUSALS = {
    "nothing": "",
    "nothing as a document": "{}",
    "a line of text": "% Invalid input\n",
    "a refusal in the document": '{"errors": ["Unavailable command (BGP is not running)"]}',
    "a list": "[]",
    "a table without rows": '{"TABLE_vrf": {"ROW_vrf": []}, "vrfs": [], "interfaces": []}',
}


@pytest.mark.parametrize("how", REFUSALS)
@pytest.mark.parametrize(("reader", "_shows"), ALL)
def test_a_refusal_with_status_0_is_unreadable(reader, _shows, how):
    with pytest.raises(Unreadable):
        reader(said(REFUSALS[how]))


@pytest.mark.parametrize(("reader", "shows"), ALL)
def test_an_answer_that_ended_badly_is_unreadable(reader, shows):
    with pytest.raises(Unreadable, match="status 1"):
        reader(said(shows(small_switch()), status=1))


NEEDED = [
    (eos_lldp.neighbours, eos.lldp, "neighborInterfaceInfo"),
    (eos_bgp.sessions, eos.bgp, "peerState"),
    (eos_bgp.sessions, eos.bgp, "peerAsn"),
    (eos_bgp.sessions, eos.bgp, "asn"),
    (eos_bgp.sessions, eos.bgp, "peers"),
    (eos_routes.selected, eos.routes, "routeType"),
    (eos_routes.selected, eos.routes, "vias"),
    (eos_routes.programmed, eos.routes, "hardwareProgrammed"),
    (eos_ports.ports, eos.ports, "mtu"),
    (eos_ports.ports, eos.ports, "interfaceStatus"),
    (eos_ports.ports, eos.ports, "forwardingModel"),
    (eos_ports.addresses, eos.ports, "interfaceAddress"),
    (nxos_lldp.neighbours, nxos.lldp, "sys_name"),
    (nxos_lldp.neighbours, nxos.lldp, "port_id"),
    (nxos_lldp.neighbours, nxos.lldp, "l_port_id"),
    (nxos_bgp.sessions, nxos.bgp, "state"),
    (nxos_bgp.sessions, nxos.bgp, "remoteas"),
    (nxos_bgp.sessions, nxos.bgp, "local-as"),
    (nxos_bgp.sessions, nxos.bgp, "vrfpeers"),
    (nxos_bgp.sessions, nxos.bgp, "TABLE_neighbor"),
    (nxos_routes.selected, nxos.rib, "ucast-nhops"),
    (nxos_routes.selected, nxos.rib, "clientname"),
    (nxos_routes.selected, nxos.rib, "ubest"),
    (nxos_routes.selected, nxos.rib, "attached"),
    (nxos_routes.selected, nxos.rib, "TABLE_path"),
    (nxos_forwarding.forwarded, nxos.fib, "module_number"),
    (nxos_forwarding.forwarded, nxos.fib, "vrf_name_out"),
    (nxos_forwarding.forwarded, nxos.fib, "ifname"),
    (nxos_forwarding.forwarded, nxos.fib, "ip_nexthop"),
    (nxos_ports.ports, nxos.ports, "eth_mtu"),
    (nxos_ports.ports, nxos.ports, "admin_state"),
    (nxos_ports.ports, nxos.ports, "state"),
    (nxos_ports.addresses, nxos.ports, "eth_ip_mask"),
]


@pytest.mark.parametrize(("reader", "shows", "key"), NEEDED)
def test_a_field_that_is_needed_and_missing_is_unreadable(reader, shows, key):
    with pytest.raises(Unreadable):
        reader(said(without(shows(small_switch()), key)))


def without(value: object, key: str) -> object:
    if isinstance(value, dict):
        return {name: without(one, key) for name, one in value.items() if name != key}
    return [without(one, key) for one in value] if isinstance(value, list) else value


def twice(told: Any, table: str, row: str) -> None:
    told[table][row].append(told[table][row][-1])


@pytest.mark.parametrize(
    ("reader", "value", "change", "why"),
    [
        (
            nxos_bgp.sessions,
            nxos.bgp(small_switch()),
            lambda told: told["TABLE_vrf"]["ROW_vrf"][0].update(vrfestablishedpeers="1"),
            "counts",
        ),
        (
            nxos_bgp.sessions,
            nxos.bgp(small_switch()),
            lambda told: twice(told, "TABLE_vrf", "ROW_vrf"),
            "twice",
        ),
        (
            nxos_ports.ports,
            nxos.ports(small_switch()),
            lambda told: twice(told, "TABLE_interface", "ROW_interface"),
            "twice",
        ),
        (
            nxos_forwarding.forwarded,
            nxos.fib(small_switch()),
            lambda told: modules(told)[0]["TABLE_vrf"]["ROW_vrf"].update(vrf_name_out="users"),
            "another table",
        ),
        (
            nxos_routes.selected,
            nxos.rib(small_switch()),
            lambda told: told["TABLE_vrf"]["ROW_vrf"].update({"vrf-name-out": "users"}),
            "another table",
        ),
    ],
)
def test_what_contradicts_itself_is_unreadable(reader, value, change, why):
    with pytest.raises(Unreadable, match=why):
        reader(changed(value, change))


BARE = "9.9.9.9"


@pytest.mark.parametrize("key", ["nexthopAddr", "vtepAddr"])
def test_a_path_of_eos_without_a_port_is_still_a_path(key):
    """A tunnel's far end and a bare next hop: neither may read as a route by the ports alone."""

    def stray(told: Any) -> None:
        vias = told["vrfs"]["default"]["routes"][str(FAR)]["vias"]
        vias.append({"nexthopAddr": "", key: BARE})

    told = changed(eos.routes(small_switch()), stray)
    assert eos_routes.selected(told)[FAR].ports == (BARE, *BOTH)
    assert eos_routes.programmed(told)[FAR].ports == (BARE, *BOTH)


@pytest.mark.parametrize("via", [{}, {"nexthopAddr": ""}, {"interface": ""}, {"vtepAddr": 9}])
def test_a_path_of_eos_to_nowhere_is_unreadable(via):
    def stray(told: Any) -> None:
        told["vrfs"]["default"]["routes"][str(FAR)]["vias"].append(via)

    for reader in (eos_routes.selected, eos_routes.programmed):
        with pytest.raises(Unreadable, match=str(FAR)):
            reader(changed(eos.routes(small_switch()), stray))


@pytest.mark.parametrize(
    ("path", "told"),
    [({"ipnexthop": BARE}, BARE), ({"ipnexthop": BARE, "ifname": "Null0"}, "Null0")],
)
def test_a_path_of_nxos_beside_the_ports_is_still_a_path(path, told):
    def stray(shown: Any) -> None:
        (family,) = [shown["TABLE_vrf"]["ROW_vrf"]["TABLE_addrf"]["ROW_addrf"]]
        for row in family["TABLE_prefix"]["ROW_prefix"]:
            if row["ipprefix"] == str(FAR):
                paths = row["TABLE_path"]["ROW_path"]
                paths.append({**path, "ubest": "true", "clientname": "bgp-1"})
                row["ucast-nhops"] = str(int(row["ucast-nhops"]) + 1)

    found = nxos_routes.selected(changed(nxos.rib(small_switch()), stray))
    assert found[FAR].ports == tuple(sorted((told, *BOTH)))


def test_a_state_that_is_a_number_says_nothing():
    told = changed(
        nxos.bgp(small_switch()),
        lambda told: told["TABLE_vrf"]["ROW_vrf"][1]["TABLE_neighbor"]["ROW_neighbor"].update(
            state="1"
        ),
    )
    with pytest.raises(Unreadable, match="number"):
        nxos_bgp.sessions(told)


@pytest.mark.parametrize(("reader", "shows"), [(eos_bgp.sessions, eos), (nxos_bgp.sessions, nxos)])
def test_a_link_local_neighbour_without_its_port_is_nobodys(reader, shows):
    text = json.dumps(shows.bgp(small_switch()))
    at = {"eos": "%Et1/2", "nxos": "%Ethernet1/2"}[shows.__name__.rpartition(".")[2]]
    with pytest.raises(Unreadable, match="at which port"):
        reader(said(text.replace(f'{at}"', '"', 1)))


def test_tables_may_be_lists_of_one_row_each():
    """As `show ip interface` prints them, in napalm's recorded data."""
    told = nxos.ports(small_switch())
    rows = told["TABLE_interface"]["ROW_interface"]  # type: ignore[index]
    apart = {"TABLE_interface": [{"ROW_interface": one} for one in rows]}
    assert nxos_ports.ports(said(apart)) == nxos_ports.ports(said(told))


def asked(here: Device, shows: Any, **other: str) -> Callable[[str], Said]:
    answers = {**shows.says(here), **other}

    def read(line: str) -> Said:
        text = answers[line]
        return Said(line, 1, "", text) if isinstance(text, Refused) else Said(line, 0, text)

    return read


def test_lldp_that_is_off_is_said():
    here = small_switch()
    here.runs_lldp = False
    for system, shows in ((EOS, eos), (NXOS, nxos)):
        with pytest.raises(FeatureOff, match="LLDP is switched off"):
            system.lldp(asked(here, shows))


def test_what_is_refused_though_the_feature_runs_is_unreadable():
    """A release that does not know the command must not look like a feature that is off."""
    here = small_switch()
    told = asked(here, nxos, **{nxos.LLDP: nxos.REFUSED, nxos.BGP: nxos.REFUSED})
    for reader in (NXOS.lldp, NXOS.bgp):
        with pytest.raises(Unreadable, match="is not off") as caught:
            reader(told)
        assert not isinstance(caught.value, FeatureOff)
    with pytest.raises(Unreadable, match="no JSON"):
        EOS.lldp(asked(here, eos, **{eos.LLDP: "% Invalid input\n"}))


def test_a_nexus_without_bgp_has_no_asn():
    here = small_switch()
    here.runs_bgp = False
    assert NXOS.bgp(asked(here, nxos)) == Bgp(None, {})
