"""What Debian's own kernel does with rendered files: classes, marks, lists, zones, tables.

One machine is started and all is tried on it; each test looks at what came of one thing.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inventory.lossless.buffers import PortKind, marked_buffers
from inventory.plan import EcnMarking, SwitchPort
from switch_configs import dialect, intent, render
from switch_configs.intent import Rendered, SwitchIntent
from tests.switch_configs import sites
from tests.switch_configs.plans import lab
from tests.vm import memory

pytestmark = [pytest.mark.lab, pytest.mark.full]

MARKS = EcnMarking(30_000, 90_000, 5, "of this test")
DENIED = "10.16.0.7"
CE = 3
# Less than the DSCP of CNPs, and more than that of RoCE data.
NEW = 34
INTERFACES = "/etc/network/interfaces"


def leaf() -> tuple[Rendered, dict[str, Any]]:
    """A leaf of the lab, with classes that its profile does not have."""
    plan = lab("unnumbered")
    found = intent(plan, "leaf-p1-r0")
    assert isinstance(found, SwitchIntent)
    classes = sites.small("linux_frr").lossless.classes
    lanes = found.switch.hardware.lanes
    ports = [PortKind(one.rate_gbps, one.cable_m, lanes) for one in found.switch.ports]
    buffers = marked_buffers(found.switch.profile, "", ports, MARKS)

    def classed(*dscps: int) -> SwitchIntent:
        made = tuple(replace(one, dscps=dscps) if one.name == "roce" else one for one in classes)
        return replace(
            found,
            switch=replace(found.switch, buffers=buffers),
            lossless=replace(found.lossless, mode="ecn", classes=made),
        )

    old = found.lossless.dscp
    texts = [dialect("linux_frr").render(classed(*dscps)) for dscps in ((old,), (old, NEW), (NEW,))]
    expand, contract = (_steps(*pair) for pair in pairwise(texts))
    hosts = [_host(one) for one in found.switch.ports if one.direction == "down"][:2]
    cnp = next(one for one in classes if one.strict)
    words = {
        "device": found.switch.name,
        "hosts": hosts,
        "tos": plan.lossless.dscp << 2,
        "cnp_tos": cnp.dscps[0] << 2,
        "dscp": old,
        "new_dscp": NEW,
        "cnp_dscp": cnp.dscps[0],
        "expand": expand,
        "contract": contract,
    }
    return texts[0], words


def _host(port: SwitchPort) -> dict[str, str]:
    assert port.address is not None
    (other,) = set(port.address.network) - {port.address.ip}
    bits = port.address.network.prefixlen
    return {"port": port.name, "address": f"{other}/{bits}", "gateway": str(port.address.ip)}


def business() -> tuple[Rendered, dict[str, Any]]:
    plan = sites.small("linux_frr")
    switch = plan.switch["business-leaf-b1-1"]
    up = next(one for one in switch.sessions if one.vrf == "users")
    return render(plan, switch.name), {
        "device": switch.name,
        "members": [one.name for one in switch.ports if one.bond == 1],
        "uplink": up.port,
        "tag": up.vlan,
        "denied": DENIED,
        "loopback": str(switch.loopback),
    }


def oob() -> tuple[Rendered, dict[str, Any]]:
    plan = sites.small("linux_frr")
    switch = plan.oob_switch["oob-p1-net1"]
    vlans = {one.name: one.vlan for one in plan.oob.zones}
    zone = switch.management.zone
    same = [one.name for one in switch.ports if one.isolated and one.zones == (zone,)]
    trunk = next(one.name for one in switch.ports if not one.isolated)
    return render(plan, switch.name), {
        "device": switch.name,
        "same_zone": same[:2],
        "trunk": trunk,
        "tag": vlans[zone],
        "other_tag": next(one for name, one in vlans.items() if name != zone),
        "address": str(switch.management.address.ip),
    }


def push() -> dict[str, Any]:
    """Steps of three pushes, of all that is not FRR's and that the lab's image has."""
    made = render(sites.small("linux_frr"), "leaf-p1-r0")
    others = ("/etc/frr/", "/etc/rsyslog.d/", "/etc/lldpd.d/")
    new = replace(made, files=tuple(one for one in made.files if not one.path.startswith(others)))
    bare = replace(new, files=())
    less = replace(new, files=tuple(one for one in new.files if "queues" not in one.path))
    text = next(one.text for one in new.files if one.path == INTERFACES)
    whole = _steps(bare, new)
    return {
        "ports": re.findall(r"^auto (swp\S+)$", text, re.MULTILINE),
        "port": "swp1s0",
        "mtu": 9216,
        "paths": [one.path for one in new.files],
        "unconfirmed": [one for one in whole if one["phase"] not in ("confirm", "save")],
        "whole": whole,
        "less": _steps(new, less),
    }


def _steps(old: Rendered, new: Rendered) -> list[dict[str, str]]:
    return [
        {
            "name": one.name,
            "phase": one.phase,
            "command": one.command,
            "path": one.file.path if one.file else "",
            "text": one.file.text if one.file else "",
            "mode": one.file.mode if one.file else "",
        }
        for one in dialect("linux_frr").push_steps(old, new, 120)
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of it, by scene."""
    job = tmp_path_factory.mktemp("job")
    shutil.copy(Path(__file__).parent / "job.py", job / "job.py")
    for name, make in (("leaf", leaf), ("business", business), ("oob", oob)):
        rendered, words = make()
        (job / f"{name}.json").write_text(json.dumps(words))
        for file in rendered.files:
            path = job / rendered.device / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
    (job / "push.json").write_text(json.dumps(push()))
    said = memory.run_job(job)
    line = re.search(r"RESULT (\{.*\})$", said, re.MULTILINE)
    assert line, said[-3000:]
    result: dict[str, Any] = json.loads(line[1])
    for name in ("leaf", "business", "oob", "push"):
        assert "error" not in result[name], result[name]
    return result


@pytest.mark.parametrize("scene", ["leaf", "business", "oob"])
def test_ifupdown2_puts_every_interface_in_force(found, scene):
    """ifreload, and then ifquery finds every attribute; a second time changes nothing."""
    said = found[scene]
    left = [
        one
        for one in said["query"].splitlines()
        if "[fail]" in one and "(bridge pvid error)" not in one
    ]
    assert left == []
    assert "error" not in (said["reload"] + said["again"]).lower()
    assert said["nft"] == ""


def test_each_dscp_comes_into_its_band(found):
    """RoCE data in its band, CNPs in the strict one, every other DSCP in best effort."""
    said = found["leaf"]
    assert (said["tc"], said["ping"], said["jumbo"]) == ("", True, True)
    each = said["each_dscp"]
    grown = {
        band: each["after"]["bands"][band] - count
        for band, count in each["before"]["bands"].items()
    }
    assert (grown["1:1"], grown["1:2"]) == (3, 3)
    assert grown["1:3"] >= 3 * 62
    assert grown["1:3"] < 3 * 62 + 12, "what the hosts say beside it"
    assert sum(each["heard"].values()) == 3 * 64


@pytest.mark.parametrize(("step", "filters"), [(0, 6), (1, 4)], ids=["expand", "contract"])
def test_while_another_dscp_is_pushed_no_packet_leaves_in_a_wrong_band(found, step, filters):
    """By the kernel's own count of each band, which begins anew where queues do."""
    said = found["leaf"]["another"]["steps"][step]
    assert (said["said"], said["filters"]) == ("", filters)
    dscp, cnp, rest = said["sent"]
    assert min(said["sent"].values()) > 100
    assert said["heard"] == said["sent"], "lost while it was pushed"
    assert said["bands"]["1:2"] == said["sent"][dscp]
    assert said["bands"]["1:1"] == said["sent"][cnp]
    assert 0 <= said["bands"]["1:3"] - said["sent"][rest] < 12, "what the hosts say beside it"


def test_a_standing_queue_of_roce_data_is_marked(found):
    """Packets that may be marked are, and the kernel counts as many as come marked."""
    said = found["leaf"]["ect"]
    tos = {int(key): count for key, count in said["heard"].items()}
    marked = sum(count for key, count in tos.items() if key & CE == CE)
    assert marked > said["sent"] // 4
    assert said["after"]["marked"] - said["before"]["marked"] == marked
    assert sum(tos.values()) == said["sent"], "marked instead of dropped"


def test_what_may_not_be_marked_is_neither_marked_nor_dropped_early(found):
    said = found["leaf"]["not_ect"]
    assert sum(said["heard"].values()) == said["sent"]
    assert said["after"]["marked"] == said["before"]["marked"]
    assert said["after"]["early"] == said["before"]["early"]


def test_cnps_are_capped(found):
    """What a flood of CNPs gets is their share of the port, though their band is strict."""
    said = found["leaf"]["cnp"]
    cnp = next(one for one in sites.small("linux_frr").lossless.classes if one.strict)
    port = lab("unnumbered").switch["leaf-p1-r0"].ports[0]
    bits = said["heard"] * (1000 + 28 + 14) * 8
    share = port.rate_gbps * 1e9 * (cnp.rate_cap_percent or 0) / 100
    assert said["heard"] < said["sent"], "the flood was larger than the cap"
    assert bits / said["seconds"] < 1.3 * share


def test_a_bond_is_made_by_lacp(found):
    said = found["business"]["bond"]
    assert "Bonding Mode: IEEE 802.3ad" in said
    assert said.count("MII Status: up") >= 2


def test_users_reach_what_the_list_permits_and_no_more(found):
    said = found["business"]
    assert (said["gateway"], said["own"], said["permitted"]) == (True, True, True)
    assert said["denied"] is False
    assert said["jumbo"] is True


def test_tables_are_apart(found):
    """Users reach nothing of the default table, and one table's users nothing of another's."""
    said = found["business"]
    assert said["switch_reaches_default"] is True
    assert said["user_reaches_default"] is False
    assert said["user_reaches_loopback"] is False
    assert said["other_gateway"] is True
    assert said["from_other_table"] is False


def test_a_dscp_of_users_ends_at_the_port(found):
    assert found["business"]["dscp"] == {"0": 5}


def test_devices_of_a_zone_do_not_see_each_other(found):
    """Isolated ports reach the trunk only; the switch itself answers in one zone."""
    said = found["oob"]
    assert (said["device_to_trunk"], said["other_device_to_trunk"]) == (True, True)
    assert said["device_to_device"] is False
    assert said["trunk_to_switch"] is True
    assert said["untagged_on_trunk"] is False
    assert said["other_zone_to_device"] is False


def test_a_push_that_nobody_confirms_is_taken_back_whole(found):
    """Classes, ports and files are those of before; until then startup files are untouched."""
    said = found["push"]
    assert said["unconfirmed"] == ""
    assert (said["applied"]["bands"], said["applied"]["filters"] > 0) == (1, True)
    assert (said["applied"]["mtu"], said["applied"]["pending"]) == (True, True)
    assert "/etc/railbed/queues.tc" not in said["applied"]["files"]
    assert "is back" in said["back"]
    assert said["after_back"]["files"] == said["before"]["files"] == [INTERFACES]
    assert (said["after_back"]["bands"], said["after_back"]["filters"]) == (0, 0)


def test_a_confirmed_push_stays_and_what_is_no_longer_wanted_goes(found):
    said = found["push"]
    assert (said["whole"], said["less"]) == ("", "")
    assert (said["confirmed"]["bands"], said["confirmed"]["pending"]) == (1, False)
    assert "/etc/railbed/queues.tc" in said["confirmed"]["files"]
    left = [path for path in said["confirmed"]["files"] if "queues" not in path]
    assert said["taken_away"]["files"] == left
    assert (said["taken_away"]["bands"], said["taken_away"]["filters"]) == (0, 0)
