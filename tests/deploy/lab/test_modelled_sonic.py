"""The lab's model of SONiC: what CONFIG_DB asks of Linux, and what its programs do.

What a push meets there is in tests/deploy/switches/test_sonic_push.py.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from deploy.lab import modelled
from deploy.lab.models.sonic.box import CONFIG_DB, FPM, Refused, Switch
from deploy.lab.models.sonic.buffermgr import buffers
from deploy.lab.models.sonic.orchagent import Orchagent, events, port_oid, started
from deploy.lab.models.sonic.programs import cfggen, config, db_dump
from deploy.lab.models.sonic.sonic_yang import SonicYangException
from deploy.lab.models.sonic.tables import Hashes, hashes, tables
from deploy.lab.models.sonic.wanted import wanted
from deploy.lab.models.trees import Tree, merged
from deploy.lab.models.wanted import Port
from inventory import open_site, site_folder
from inventory.topology.wiring import load_wiring
from switch_configs import render
from switch_configs.answers import answers
from switch_configs.answers.lossless import PortLossless, Room
from switch_configs.qos import port_qos
from tests.switch_configs.sites import Mapping, small_with
from tests.tree import ROOT

SITE, LEAF = "lab-sonic", "leaf-p1-r0"
GOLDENS = sorted((ROOT / "tests/golden/small/sonic").rglob("config_db.json"))
FRR = "etc/sonic/frr/frr.conf"
FULL = ROOT / "tests/golden/small/sonic/leaf-p1-r0/etc/sonic/config_db.json"
UP = Port("Ethernet4", True, 9214, has_ipv6=True)


@pytest.fixture(scope="module")
def text() -> str:
    return render(open_site(SITE), LEAF).files[0].text


class Held(Switch):
    """A switch in a folder; `done` is what its services were told."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self.folder, self.db = folder, hashes(tree)
        self.done: list[str] = []
        (folder / "etc/sonic/frr").mkdir(parents=True)
        (folder / "etc/sonic/config_db.json").write_text(json.dumps(tree))
        self.db = self.boots()

    def path(self, name: str) -> Path:
        return self.folder / name

    def holds(self, database: str) -> Hashes:
        return self.db if database == CONFIG_DB else {}

    def writes(self, held: Hashes) -> None:
        self.db |= {key: {**self.db.get(key, {}), **row} for key, row in held.items()}

    def loads(self, held: Hashes) -> None:
        self.done.append("loads")
        self.db = held

    def stops(self) -> None:
        self.done.append("stops")

    def starts(self) -> None:
        self.done.append("starts")


@pytest.fixture
def switch(tmp_path: Path, text: str) -> Held:
    return Held(tmp_path, json.loads(text))


def changed(text: str, **rows: Tree) -> str:
    return json.dumps(merged(json.loads(text), rows))


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.parts[-4])
def test_redis_holds_all_that_we_print(path):
    said = json.loads(path.read_text())
    assert tables(hashes(said)) == {
        table: {key: row or {"NULL": "NULL"} for key, row in rows.items()}
        for table, rows in said.items()
    }


def test_what_linux_is_asked(text):
    asked = wanted(text)
    assert (asked.hostname, asked.forwards, asked.lldp) == (LEAF, {4: True, 6: True}, (30, 120))
    assert asked.ports["Ethernet4"] == UP
    assert (asked.ports["Ethernet0"].address, asked.ports["lo"].address) == (
        "10.16.0.0/31", "10.255.0.1/32",
    )  # fmt: skip
    assert (asked.ports["eth0"].vrf, asked.routes) == ("mgmt", {"mgmt": {"0.0.0.0/0": "10.88.0.1"}})
    assert not asked.unsaid_is_up, "a port without a row is down"


@pytest.mark.parametrize(
    ("rows", "port"),
    [
        (
            {"PORT": {"Ethernet4": {"admin_status": "down"}}},
            Port("Ethernet4", False, 9214, "", True),
        ),
        ({"PORT": {"Ethernet4": {"mtu": "1500"}}}, Port("Ethernet4", True, 1500, "", True)),
        (
            {"INTERFACE": {"Ethernet4": {"ipv6_use_link_local_only": "disable"}}},
            Port("Ethernet4", True, 9214),
        ),
        (
            {"INTERFACE": {"Ethernet4|10.9.0.1/31": {}, "Ethernet4|fc00::1/64": {}}},
            Port("Ethernet4", True, 9214, "10.9.0.1/31", True),
        ),
        ({"PORT": {"Ethernet7": {"lanes": "7"}}}, Port("Ethernet7", False, 9100)),
    ],
)
def test_a_row_changes_its_port(text, rows, port):
    assert wanted(changed(text, **rows)).ports[port.name] == port


def test_without_its_table_the_way_of_management_is_in_the_default_one(text):
    off = {"vrf_global": {"mgmtVrfEnabled": "false"}}
    asked = wanted(changed(text, MGMT_VRF_CONFIG=off))
    assert (asked.ports["eth0"].vrf, asked.routes) == ("", {"": {"0.0.0.0/0": "10.88.0.1"}})


def test_a_reload_stops_everything_and_brings_a_file_with_what_the_image_has(switch, tmp_path):
    file = tmp_path / "new.json"
    file.write_text(json.dumps({"PORT": {"Ethernet0": {"mtu": "1500"}}}))
    assert "Restarting SONiC target" in config(switch, ["reload", "-y", "-f", str(file)])
    assert switch.done == ["stops", "loads", "starts"]
    assert switch.tables["PORT"] == {"Ethernet0": {"mtu": "1500"}}
    assert "bgp" in switch.tables["FEATURE"]
    config(switch, ["save", "-y"])
    assert json.loads(switch.path("etc/sonic/config_db.json").read_text()) == switch.tables


def test_what_a_later_release_does_not_model_is_refused_before_anything_stops(
    switch, tmp_path, monkeypatch
):
    file = tmp_path / "new.json"
    switch.release = "202505"
    for rows, error in (
        ({"PORT": {"Ethernet0": {"mtu": "9217"}}}, SonicYangException),
        ({"VENDOR_X": {"a": {}}}, Refused),
    ):
        file.write_text(json.dumps(rows))
        with pytest.raises(error):
            config(switch, ["reload", "-y", "-f", str(file)])
    assert switch.done == []
    monkeypatch.setattr("sys.stdin", io.StringIO(file.read_text()))
    config(switch, ["reload", "-y", "-f", "/dev/stdin"])
    assert "VENDOR_X" in switch.tables, "what comes by standard input is not judged"


@pytest.mark.parametrize("verb", ["apply-patch", "checkpoint", "replace", "rollback"])
def test_what_no_push_uses_is_no_command(switch, verb):
    with pytest.raises(Refused, match=f'No such command "{verb}"'):
        config(switch, [verb, "x"])


def test_rows_that_are_written_leave_what_they_do_not_name(switch, tmp_path):
    file = tmp_path / "rows.json"
    file.write_text(json.dumps({"PORT": {"Ethernet0": {"description": "x"}}}))
    cfggen(switch, ["-j", str(file), "--write-to-db"])
    row = switch.tables["PORT"]["Ethernet0"]
    assert (row["description"], row["mtu"]) == ("x", "9214")
    dumped = json.loads(db_dump(switch, ["-n", CONFIG_DB, "-k", "PORT|Ethernet0", "-y"]))
    assert {key: (one["type"], one["value"]) for key, one in dumped.items()} == {
        "PORT|Ethernet0": ("hash", row)
    }
    assert json.loads(db_dump(switch, ["-n", "STATE_DB", "-k", "TRANSCEIVER_*", "-y"])) == {}


def test_frr_starts_with_its_file_where_nothing_else_makes_one(switch, text):
    switch.path(FRR).write_text("hostname x\n")
    for _ in range(2):
        said = switch.routing(json.loads(text))
        assert said == switch.path(FRR).read_text() == "hostname x\n" + "\n".join(FPM) + "\n"
    made = switch.routing({"DEVICE_METADATA": {"localhost": {"hostname": "y"}}})
    assert made.startswith("hostname y\n")
    assert not switch.path(FRR).exists()


def test_its_switches_are_models_and_begin_with_what_a_person_types():
    plan = open_site(SITE)
    models = modelled.models(plan)
    assert set(models) == set(plan.switch)
    disk = {str(path): text for path, text in models[LEAF].disk("ssh-ed25519 AA railbed\n").items()}
    assert disk["etc/default/modelled"] == "SYSTEM=sonic\n"
    assert disk["etc/systemd/system/modelled.service"] == "", "its units are SONiC's own"
    assert disk["etc/ssh/keys/admin"] == "ssh-ed25519 AA railbed\n"
    assert disk["usr/local/bin/config"].endswith(' "${0##*/}" "$@"\n')
    begun = disk["etc/sonic/config_db.json"]
    asked = wanted(begun)
    at = plan.switch[LEAF].management
    assert (asked.hostname, asked.ports["eth0"].address) == (LEAF, str(at.address))
    assert asked.routes == {"": {"0.0.0.0/0": str(at.gateway)}}
    assert "split-unified" not in begun
    wires = load_wiring(site_folder(SITE) / "wiring.csv")
    mine = {str(wire.a.port) for wire in wires if wire.a.device == LEAF} - {"eth0"}
    assert mine <= set(json.loads(begun)["PORT"])


# -- the lossless class -------------------------------------------------------------------------


@pytest.fixture
def full() -> Hashes:
    """CONFIG_DB of a switch that pauses."""
    return hashes(json.loads(FULL.read_text()))


def told(held: Hashes, agent: Orchagent, port: str) -> PortLossless | str:
    """What a port is seen to do, as its databases are dumped and read."""
    known = answers("sonic").lossless
    assert known is not None
    names = {one.partition("|")[2] for one in held if one.startswith("PORT|")}
    databases = {
        "ASIC_DB": agent.asic,
        "APPL_DB": buffers(held),
        "COUNTERS_DB": {"COUNTERS_PORT_NAME_MAP": {one: port_oid(one) for one in names}},
    }
    texts = []
    for line in known.lines:
        words = line.replace("'", "").split()
        dumped = databases[words[2]]
        found = {one: row for one, row in dumped.items() if one.startswith(words[4].rstrip("*"))}
        texts.append(
            json.dumps({one: {"type": "hash", "value": row} for one, row in found.items()})
        )
    return known.ports(texts, [port])[port]


def test_a_port_of_the_lossless_class_pauses_with_room(full):
    seen = told(full, started(full), "Ethernet0")
    assert isinstance(seen, PortLossless), seen
    assert (seen.obeys, seen.asks, seen.trust) == ((3,), (3,), "dscp")
    assert (seen.dscps, seen.stopped) == ((26,), (26,))
    assert seen.rooms == (Room(3, "pg_lossless_400000_30m_mtu9216_profile", 272384),)


def test_each_port_is_an_object_of_its_own(full):
    rows = [one.partition("|")[2] for one in full if one.startswith("PORT|")]
    assert len({port_oid(one) for one in rows}) == len(rows) > 1
    objects = [one for one in started(full).asic if ":SAI_OBJECT_TYPE_PORT:" in one]
    assert len(objects) == len(rows)


def test_a_port_that_is_not_there_has_no_object(full):
    agent = started(full)
    agent.hears([("DEL", "PORT|Ethernet0", {}), ("DEL", "PORT_QOS_MAP|Ethernet0", {})])
    assert told(full, agent, "Ethernet0") == (
        "the answer cannot be used: SONiC has no "
        f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{port_oid('Ethernet0')}"
    )


def test_what_a_row_enables_no_more_is_paused_no_more(full):
    agent, name = started(full), "PORT_QOS_MAP|Ethernet0"
    less = full | {name: {one: to for one, to in full[name].items() if one != "pfc_enable"}}
    agent.hears(events(full, less))
    seen = told(less, agent, "Ethernet0")
    assert isinstance(seen, PortLossless), seen
    assert (seen.obeys, seen.trust) == ((), "dscp")
    gone = {one: row for one, row in less.items() if one != name}
    agent.hears(events(less, gone))
    seen = told(gone, agent, "Ethernet0")
    assert isinstance(seen, PortLossless), seen
    assert (seen.obeys, seen.trust, seen.dscps) == ((), "none", ())


@pytest.mark.parametrize(
    ("lost", "change"),
    [
        ("CABLE_LENGTH|AZURE", {}),
        ("PORT|Ethernet0", {"admin_status": "down"}),
        ("PORT|Ethernet0", {"speed": "1"}),
        ("LOSSLESS_TRAFFIC_PATTERN|AZURE", {}),
        ("BUFFER_POOL|ingress_lossless_pool", {}),
    ],
)
def test_without_what_headroom_follows_from_there_is_none(full, lost, change):
    held = {one: row for one, row in full.items() if one != lost or change}
    held |= {lost: full[lost] | change} if change else {}
    assert "BUFFER_PG_TABLE:Ethernet0:3" in buffers(full)
    assert "BUFFER_PG_TABLE:Ethernet0:3" not in buffers(held)


@pytest.mark.parametrize(
    ("speed", "lanes", "cable", "worth"),
    [
        ("25000", "0", "40m", (71680, 19456, 52224)),
        ("400000", "0,1,2,3", "300m", (697344, 19456, 677888)),
        ("800000", "0,1,2,3,4,5,6,7", "40m", (410624, 38912, 362496)),
    ],
)
def test_headroom_is_that_of_the_published_table(full, speed, lanes, cable, worth):
    """sonic-buildimage, x86_64-nvidia_sn5600-r0/ACS-SN5600/pg_profile_lookup.ini."""
    port = {"admin_status": "up", "mtu": "9216", "lanes": lanes, "speed": speed}
    held = full | {"PORT|Ethernet0": port, "CABLE_LENGTH|AZURE": {"Ethernet0": cable}}
    held["LOSSLESS_TRAFFIC_PATTERN|AZURE"] = {"mtu": "1024", "small_packet_percentage": "100"}
    found = buffers(held)[f"BUFFER_PROFILE_TABLE:pg_lossless_{speed}_{cable}_mtu9216_profile"]
    size, xon, xoff = worth
    assert (int(found["xon"]), int(found["xoff"])) == (xon, xoff)
    assert int(found["size"]) - size in (0, 1024)


def test_a_wide_port_of_a_lower_speed_has_a_profile_of_its_own(full):
    port = full["PORT|Ethernet0"] | {"lanes": "0,1,2,3,4,5,6,7", "speed": "400000"}
    made = buffers(full | {"PORT|Ethernet0": port})
    (name,) = (one for one in made if one.endswith("_8lane_profile"))
    narrow = made[name.replace("_8lane", "")]
    assert int(made[name]["xon"]) == 2 * int(narrow["xon"])
    assert made[name]["xoff"] == narrow["xoff"]


def whole_cages_to_nodes(site: Mapping) -> None:
    site["topology"]["breakout"] = {"nodes": 1, "fabric": 2}


def test_of_ports_alike_but_for_their_lanes_the_plan_has_what_the_switch_works_out():
    """NICs of 400 Gb/s in whole cages of 800, and links of 400 in halves, all over 30 m."""
    plan = small_with("sonic", whole_cages_to_nodes)
    switch = plan.switch[LEAF]
    text = next(one.text for one in render(plan, LEAF).files if one.path.endswith("config_db.json"))
    held, xons = hashes(json.loads(text)), set[tuple[int, int]]()
    made = buffers(held)
    for port in switch.ports:
        assert (port.rate_gbps, port.cable_m) == (400, 30)
        asked = port_qos(switch, plan.lossless, port)
        assert asked
        assert asked.headroom
        profile = made[f"BUFFER_PG_TABLE:{port.name}:3"]["profile"]
        room = made[f"BUFFER_PROFILE_TABLE:{profile}"]
        mine = asked.headroom.xon_bytes, asked.headroom.xoff_bytes, asked.headroom.size_bytes
        assert mine == tuple(int(room[one]) for one in ("xon", "xoff", "size"))
        xons.add((port.ways, mine[0]))
    assert xons == {(1, 38912), (2, 19456)}


def test_a_shared_pool_leaves_a_port_what_must_be_its_own(full):
    pool = "BUFFER_POOL|ingress_lossless_pool"
    name = "BUFFER_PROFILE_TABLE:pg_lossless_400000_30m_mtu9216_profile"
    alone, shared = (buffers(full | {pool: full[pool] | {"xoff": one}})[name] for one in "01")
    assert int(alone["size"]) == int(alone["xon"]) + int(alone["xoff"])
    assert (shared["size"], shared["xoff"]) == (shared["xon"], alone["xoff"])


def test_where_few_packets_are_small_less_is_kept_and_nothing_added(full):
    """sonic-swss PR 4757 adds 2 KiB there, in master and 202605: no release of this model."""
    name = "BUFFER_PROFILE_TABLE:pg_lossless_400000_30m_mtu9216_profile"
    rooms = []
    for percentage in ("100", "0"):
        traffic = {"mtu": "4178", "small_packet_percentage": percentage}
        made = buffers(full | {"LOSSLESS_TRAFFIC_PATTERN|AZURE": traffic})
        rooms.append(int(made[name]["xoff"]))
    # 89107 bytes in flight, of which 1.53 % triple, and a packet.
    assert rooms == [272384, 94 * 1024]
