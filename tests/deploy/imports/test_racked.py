"""A site with racks, BMCs and OOB switches, from an empty list to machines in their places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory import open_site
from inventory.plan import Plan
from tests.deploy.command_line import railbed
from tests.inventory.imported import racked_site

KEA = (
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,"
    "state,user_context,pool_id\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return racked_site(tmp_path / "racked-site")


def leased(mac: str, relay: str, circuit: str) -> str:
    """A line of Kea's lease file, as from a relay that sends circuit id and remote id."""
    options = "".join(
        f"{code:02x}{len(text):02x}{text.encode().hex()}"
        for code, text in ((1, circuit), (2, relay))
    )
    agent = f'{{"ISC":{{"relay-agent-info":{{"sub-options":"0x{options}"}}}}}}'
    return f"10.88.1.9,{mac},,60,1,1,0,0,,0,{agent},0\n"


def seats(plan: Plan, device: str, port: str) -> tuple[str, str]:
    """The OOB switch and its port that a device's port is plugged into."""
    cable = next(
        one
        for one in plan.cables
        if (device, port) in ((one.a.device, one.a.port), (one.b.device, one.b.port))
    )
    far = cable.b if cable.a.device == device else cable.a
    return far.device, far.port


def test_learnt_from_leases_and_a_manifest(site, tmp_path):
    """Which MAC sits where comes from option 82, which serial it has from the maker."""
    plan = open_site(site)
    machines, lines = [], [KEA]
    for number, node in enumerate(plan.node, start=1):
        macs = {
            port: f"02:00:00:00:{at:02x}:{number:02x}" for at, port in enumerate(("eth0", "bmc"))
        }
        lines += [leased(mac, *seats(plan, node, port)) for port, mac in macs.items()]
        machines.append(
            {
                "bmc_mac_address": macs["bmc"].upper(),
                "chassis_serial_number": f"SN-{number}",
                "interfaces": [{"mac_address": macs["eth0"].upper()}],
            }
        )
    (tmp_path / "leases.csv").write_text("".join(lines))
    (tmp_path / "em.json").write_text(json.dumps({"expected_machines": machines}))
    learn = ("asbuilt", "learn", "--leases", str(tmp_path / "leases.csv"), "--site", str(site))
    known = ("--manifest", str(tmp_path / "em.json"), "--as", "nvidia-nico")
    told = railbed(*learn, *known, "--write", "--json")
    assert told.returncode == 1, told.stderr  # nothing is known of switches and PDUs yet
    report = json.loads(told.stdout)
    assert len(report["rows"]["added"]) == 8
    assert not report["strangers"] + report["without_serial"]
    assert {one.partition(":")[0].partition("-")[0] for one in report["missing"]} >= {"leaf", "pdu"}
    after = open_site(site)
    assert not set(after.node) & set(after.undeployable)
    assert {one.bmc.mac for one in after.nodes if one.bmc} == {
        f"02:00:00:00:01:0{one}" for one in (1, 2, 3, 4)
    }
    again = json.loads(railbed(*learn, *known, "--write", "--json").stdout)
    assert not again["rows"]["added"]
    assert len(again["as_planned"]) == 8


def test_a_manifest_places_machines_by_rack_and_unit(site, tmp_path):
    plan = open_site(site)
    lines = ["SN,Rack,U,BMC,LAN"]
    for rack in plan.racks:
        for number, one in enumerate(rack.devices):
            if one.device in plan.node:
                mac = f"02:00:00:{len(lines):02x}:{number:02x}"
                lines.append(f"S{len(lines)},{rack.name},{one.unit},{mac}:01,{mac}:02")
    manifest = tmp_path / "made.csv"
    manifest.write_text("\n".join(lines) + "\n")
    columns = "serial=SN,rack=Rack,unit=U,bmc=BMC,management=LAN"
    arguments = ("asbuilt", "import", str(manifest), "--columns", columns, "--site", str(site))
    assert railbed(*arguments, "--write").returncode == 0
    assert not set(plan.node) & set(open_site(site).undeployable)
    assert railbed(*arguments).returncode == 0


def test_a_spreadsheet_speaks_of_racks_and_units(site, tmp_path):
    plan = open_site(site)
    places = {one.device: (rack.name, one.unit) for rack in plan.racks for one in rack.devices}
    pdus = {pdu.name: rack.name for rack in plan.racks for pdu in rack.pdus}
    listed = [f"{name},{rack},{unit}" for name, (rack, unit) in places.items()]
    listed += [f"{name},{rack}," for name, rack in pdus.items()]
    listed += [f"{name},," for name in plan.devices if name not in places]
    folder = tmp_path / "sheet"
    folder.mkdir()
    (folder / "devices.csv").write_text("\n".join(["name,rack,position", *listed, ""]))
    arguments = ("import", "csv", str(folder), "--site", str(site), "--json")
    assert json.loads(railbed(*arguments).stdout)["differences"] == []
    rack, unit = places["node-p1-1"]
    text = (folder / "devices.csv").read_text()
    moved = text.replace(f"node-p1-1,{rack},{unit}\n", f"node-p1-1,{rack},{unit + 7}\n")
    (folder / "devices.csv").write_text(moved)
    (said,) = json.loads(railbed(*arguments).stdout)["differences"]
    assert (said["what"], said["theirs"], said["ours"]) == (
        "other position",
        str(unit + 7),
        str(unit),
    )
