"""`railbed asbuilt` and `railbed import`: exit codes, diffs, and files that stay whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from inventory import open_site
from tests.deploy.command_line import railbed

ROOT = Path(__file__).parents[3]
EVIDENCE = ROOT / "tests/evidence"
MANIFEST = (
    "SERVICE_TAG,HOSTNAME,ADMIN_MAC,ADMIN_IP,BMC_IP\n"
    "LAB-ND-1,node-p1-1,02:52:42:02:00:01,,\nRMA-2,node-p1-2,02:52:42:02:0A:02,,\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site-of-imports"
    ignored = shutil.ignore_patterns("wiring.csv")
    shutil.copytree(ROOT / "inventory/sites/lab", folder, ignore=ignored)
    return folder


def test_a_manifest_is_shown_then_written_then_no_news(site, tmp_path):
    manifest = tmp_path / "pxe_mapping_file.csv"
    manifest.write_text(MANIFEST)
    arguments = ("asbuilt", "import", str(manifest), "--as", "dell-omnia", "--site", str(site))
    before = (site / "asbuilt.csv").read_text()
    shown = railbed(*arguments)
    assert shown.returncode == 1, shown.stderr
    assert "2 added, 1 changed, 0 removed, 18 unchanged; nothing written" in shown.stdout
    assert (site / "asbuilt.csv").read_text() == before
    assert railbed(*arguments, "--write").returncode == 0
    assert open_site(site).node["node-p1-2"].management.serial == "RMA-2"
    after = (site / "asbuilt.csv").read_bytes()
    again = railbed(*arguments, "--write", "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout)["unchanged"] == 21
    assert (site / "asbuilt.csv").read_bytes() == after
    assert sorted(path.name for path in site.iterdir()) == ["asbuilt.csv", "fabric.yml"]


def test_a_conflict_is_a_problem_and_nothing_is_written(site, tmp_path):
    manifest = tmp_path / "m.csv"
    manifest.write_text("SN,N,M\nLAB-ND-2,node-p1-1,02:52:42:02:00:02\n")
    before = (site / "asbuilt.csv").read_text()
    columns = "serial=SN,name=N,management=M"
    arguments = ("asbuilt", "import", str(manifest), "--columns", columns, "--write")
    said = railbed(*arguments, "--site", str(site))
    assert said.returncode == 2
    assert "if the machine was moved, say --moved" in said.stderr
    assert "node-p1-2 eth0 has it" in said.stderr
    assert (site / "asbuilt.csv").read_text() == before


def test_a_first_import_makes_the_file(site, tmp_path):
    (site / "asbuilt.csv").unlink()
    manifest = tmp_path / "m.csv"
    manifest.write_text(MANIFEST)
    arguments = ("asbuilt", "import", str(manifest), "--as", "dell-omnia", "--site", str(site))
    assert railbed(*arguments).returncode == 1
    assert not (site / "asbuilt.csv").exists()
    assert railbed(*arguments, "--write").returncode == 0
    assert "node-p1-1" not in open_site(site).undeployable


def test_learning_as_planned_missing_and_nothing(site, tmp_path):
    lldp = tmp_path / "lldp"
    lldp.mkdir()
    seen = lldp / "leaf-p1-r0.json"
    shutil.copy(EVIDENCE / "lldpcli/four_neighbours.json", seen)
    arguments = ("asbuilt", "learn", "--lldp", str(lldp), "--site", str(site))
    good = railbed(*arguments)
    assert good.returncode == 0, good.stdout
    assert "4 seen: 4 as planned, 0 swapped" in good.stdout
    shutil.copy(EVIDENCE / "lldpcli/one_neighbour.json", seen)
    told = railbed(*arguments, "--json")
    assert told.returncode == 1
    assert len(json.loads(told.stdout)["missing"]) >= 3
    shutil.copy(EVIDENCE / "lldpcli/no_neighbour.json", seen)
    assert railbed(*arguments).returncode == 3


def test_a_name_from_the_wire_is_printed_as_it_is_and_moves_no_cursor(site, tmp_path):
    lldp = tmp_path / "lldp"
    lldp.mkdir()
    identity = {"id": {"type": "ifname", "value": "x"}}
    entry = {"chassis": {"[/red]\x1b[2J": identity}, "port": identity}
    text = json.dumps({"lldp": {"interface": {"swp1": entry}}})
    (lldp / "leaf-p1-r0.json").write_text(text)
    said = railbed("asbuilt", "learn", "--lldp", str(lldp), "--site", str(site))
    assert said.returncode == 1
    assert r"[/red]\x1b[2J" in said.stdout


def test_new_macs_are_written_once_their_serials_are_known(site, tmp_path):
    lines = (site / "asbuilt.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("node-p2-2")]
    (site / "asbuilt.csv").write_text("\n".join(kept) + "\n")
    port = next(
        end.port
        for one in open_site(site).cables
        for end, other in ((one.a, one.b), (one.b, one.a))
        if other.device == "node-p2-2" and end.device == "oob1"
    )
    circuit = port.encode().hex()
    context = f'{{"ISC":{{"relay-agent-info":{{"sub-options":"0x01{len(port):02x}{circuit}"}}}}}}'
    leases = tmp_path / "kea-leases4.csv"
    leases.write_text(
        "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,"
        f"state,user_context,pool_id\n10.88.1.9,02:52:42:02:00:44,,60,1,1,0,0,,0,{context},0\n"
    )
    arguments = ("asbuilt", "learn", "--leases", str(leases), "--site", str(site), "--write")
    without = railbed(*arguments)
    assert without.returncode == 1
    assert "no serial number: --manifest" in without.stdout
    manifest = tmp_path / "expected_machines.json"
    machine = {"bmc_mac_address": "02:00:00:00:00:01", "chassis_serial_number": "SN-44"}
    machine["interfaces"] = [{"mac_address": "02:52:42:02:00:44"}]  # type: ignore[assignment]
    manifest.write_text(json.dumps({"expected_machines": [machine]}))
    known = railbed(*arguments, "--manifest", str(manifest), "--as", "nvidia-nico")
    assert "+ node-p2-2 eth0 02:52:42:02:00:44 SN-44" in known.stdout
    assert open_site(site).node["node-p2-2"].management.serial == "SN-44"


def test_a_spreadsheet_is_compared_and_its_cables_written(site, tmp_path):
    plan = open_site(site)
    folder = tmp_path / "sheet"
    folder.mkdir()
    cables = [f"{one.a.device},{one.a.port},{one.b.device},{one.b.port}" for one in plan.cables]
    (folder / "cables.csv").write_text("\n".join(["a_device,a_port,b_device,b_port", *cables]))
    (folder / "devices.csv").write_text("name\n" + "\n".join(plan.devices[1:]) + "\n")
    arguments = ("import", "csv", str(folder), "--site", str(site))
    shown = railbed(*arguments)
    assert shown.returncode == 1
    assert f"missing device: {plan.devices[0]}" in shown.stdout
    assert not (site / "cables.csv").exists()
    (folder / "devices.csv").write_text("name\n" + "\n".join(plan.devices) + "\n")
    assert railbed(*arguments, "--write").returncode == 0
    assert railbed(*arguments).returncode == 0
    assert (site / "cables.csv").read_text().count("\n") == len(plan.cables) + 1


BAD = [
    ("asbuilt", "import", "/nonexistent", "--as", "dell-omnia"),
    ("asbuilt", "import", "/nonexistent"),
    ("asbuilt", "import", "/nonexistent", "--as", "dell-omnia", "--columns", "serial=x"),
    ("asbuilt", "import", "README.md", "--as", "acme"),
    ("asbuilt", "learn"),
    ("asbuilt", "learn", "--leases", "README.md"),
    ("asbuilt", "learn", "--lldp", "/nonexistent"),
    ("import", "csv", "/nonexistent"),
    ("import", "netbox", "--url", "http://127.0.0.1:1", "--token", "abc"),
    ("import", "netbox", "--url", "http://127.0.0.1:1", "--port", "abc"),
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_use_is_a_sentence_and_exit_2(arguments):
    said = railbed(*arguments)
    assert said.returncode == 2, said.stderr
    assert "Traceback" not in said.stderr + said.stdout
    assert said.stderr.strip()
