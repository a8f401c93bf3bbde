"""A NetBox as the owner of devices: read whole or not at all, repeatable, its token kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.imports.lists import ListImport, Options
from deploy.imports.netbox import NetboxSource, import_netbox
from deploy.imports.netbox_run import NetboxAccess
from deploy.session import Selection
from inventory import InventoryError, open_site
from inventory.plan import Plan
from inventory.state import state_dir
from inventory.topology.asbuilt import parse_asbuilt
from inventory.topology.wiring import load_wiring
from tests.deploy.fake_netbox import FakeNetbox, Record

LAB = Path(__file__).parents[3] / "inventory/sites/lab"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
WRITE = Options(write=True)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The lab's site without its cables by hand: an ordinary site."""
    folder = tmp_path / "site-of-netbox"
    shutil.copytree(LAB, folder, ignore=shutil.ignore_patterns("wiring.csv"))
    return folder


@pytest.fixture
def netbox(site: Path) -> FakeNetbox:
    """A NetBox that says the same as the site's plan and its as-built data."""
    fake = FakeNetbox(TOKEN)
    fill(fake, open_site(site), (site / "asbuilt.csv").read_text())
    return fake


@pytest.fixture
def url(netbox: FakeNetbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("RAILBED_TEST_TOKEN", TOKEN)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with netbox.serving() as address:
        yield address


def fill(fake: FakeNetbox, plan: Plan, asbuilt: str) -> None:
    built, _ = parse_asbuilt(asbuilt, "asbuilt.csv")
    roles = {plan.oob.name: "oob", **{one.name: one.tier for one in plan.switches}}
    reached = {one.name: one.management for one in plan.switches}
    reached |= {one.name: one.management for one in plan.nodes}
    devices: dict[str, Record] = {}
    ports: dict[tuple[str, str], Record] = {}
    for name in plan.devices:
        port = reached[name].port if name in reached else plan.oob.access_port
        serial = built.serial(name, port) or ""
        more = {"primary_ip4": {"address": str(reached[name].address)}} if name in reached else {}
        devices[name] = fake.add_device(name, roles.get(name, "node"), serial, **more)
    wired = {(end.device, end.port) for one in plan.cables for end in (one.a, one.b)}
    for device, port in sorted({*built.ports, *wired}):
        ports[device, port] = fake.add_interface(devices[device], port, built.mac(device, port))
    for cable in plan.cables:
        fake.add_cable(ports[cable.a.device, cable.a.port], ports[cable.b.device, cable.b.port])


def run(folder: Path, url: str, options: Options = WRITE, **more: object) -> ListImport:
    source = replace(NetboxSource(url, "env:RAILBED_TEST_TOKEN", timeout_s=0.5), **more)  # type: ignore[arg-type]
    return import_netbox(Selection(str(folder), "lab"), source, options)


def test_the_same_import_twice_changes_nothing(site, url):
    plan = open_site(site)
    first = run(site, url)
    assert first.written
    assert not first.differences
    text, cables = (site / "asbuilt.csv").read_text(), (site / "cables.csv").read_text()
    second = run(site, url)
    assert not second.written
    assert not second.merged.differs
    assert second.exit_code == 0
    assert (site / "asbuilt.csv").read_text() == text
    assert (site / "cables.csv").read_text() == cables
    # A NIC keeps the serial number of its own, and no address moves.
    after = open_site(site)
    assert [one.rails for one in after.nodes] == [one.rails for one in plan.nodes]
    assert {(wire.a, wire.b) for wire in load_wiring(site / "cables.csv")} == {
        (one.a, one.b) for one in plan.cables
    }


def test_without_write_nothing_is_written(site, url):
    before = (site / "asbuilt.csv").read_text()
    found = run(site, url, Options())
    assert found.merged.added  # the chassis rows
    assert found.exit_code == 1
    assert (site / "asbuilt.csv").read_text() == before
    assert not (site / "cables.csv").exists()


def test_a_changed_serial_shows_in_the_diff(site, netbox, url):
    run(site, url)
    device(netbox, "node-p1-1")["serial"] = "RMA-7"
    found = run(site, url, Options())
    changed = {(new.port, old.serial, new.serial) for old, new in found.merged.changed}
    assert changed == {("chassis", "LAB-ND-1", "RMA-7"), ("eth0", "LAB-ND-1", "RMA-7")}
    run(site, url)
    assert open_site(site).node["node-p1-1"].management.serial == "RMA-7"


def test_two_devices_that_changed_places_must_be_said_to(site, netbox, url):
    run(site, url)
    one, two = device(netbox, "node-p1-1"), device(netbox, "node-p2-1")
    one["serial"], two["serial"] = two["serial"], one["serial"]
    mine, other = (interface(netbox, name, "eth0") for name in ("node-p1-1", "node-p2-1"))
    mine["mac_address"], other["mac_address"] = other["mac_address"], mine["mac_address"]
    with pytest.raises(InventoryError, match="if the machine was moved, say --moved"):
        run(site, url)
    assert run(site, url, Options(moved=True, write=True)).written
    assert open_site(site).node["node-p1-1"].management.serial == "LAB-ND-3"


def test_a_mac_at_two_places_is_a_problem_and_nothing_is_written(site, netbox, url):
    before = (site / "asbuilt.csv").read_text()
    interface(netbox, "node-p1-1", "rail0")["mac_address"] = "02:52:42:10:00:02"
    with pytest.raises(InventoryError, match="each MAC once; node-p1-2 rail0 has it"):
        run(site, url)
    assert (site / "asbuilt.csv").read_text() == before


def test_what_differs_from_the_plan_is_said(site, netbox, url):
    device(netbox, "node-p2-2")["status"] = {"value": "decommissioning", "label": ""}
    device(netbox, "spine1")["role"] = {"slug": "leaf"}
    device(netbox, "spine2")["primary_ip4"] = {"address": "10.88.0.77/24"}
    netbox.add_device("printer", "printer", "P1")
    first, second = netbox.lists["dcim/cables"][:2]
    first["b_terminations"], second["b_terminations"] = (
        second["b_terminations"],
        first["b_terminations"],
    )
    netbox.lists["dcim/cables"].pop()
    found = run(site, url, Options())
    said = {(one.what, one.name) for one in found.differences}
    assert {
        ("missing device", "node-p2-2"),
        ("other role", "spine1"),
        ("other address", "spine2"),
        ("extra device", "printer"),
    } <= said
    assert sum(one.what == "other port" for one in found.differences) == 2
    assert sum(one.what == "missing cable" for one in found.differences) == 1


def test_prune_takes_out_what_netbox_no_longer_has(site, netbox, url):
    run(site, url)
    netbox.lists["dcim/devices"].remove(device(netbox, "node-p2-2"))
    assert not run(site, url, Options()).merged.removed
    found = run(site, url, Options(prune=True, write=True))
    assert {row.device for row in found.merged.removed} == {"node-p2-2"}
    assert open_site(site).undeployable == ("node-p2-2",)


def test_another_name_of_a_port_can_be_told(site, netbox, url):
    interface(netbox, "node-p1-1", "eth0")["name"] = "mgmt0"
    found = run(site, url, Options())
    assert any("(--port THEIRS=OURS renames one)" in note for note in found.notes)
    again = run(site, url, Options(), renamed={"mgmt0": "eth0"})
    assert not again.differences


BREAKS = {
    "error": "NetBox answers 500",
    "slow": "no answer within 0.5 s",
    "page": "cannot be read: |a reply cut short",
    "lost": "were announced",
    "html": "no JSON",
    "redirect": "no JSON",
}


@pytest.mark.parametrize("path", ["dcim/devices", "dcim/interfaces", "dcim/cables"])
@pytest.mark.parametrize("fault", BREAKS)
def test_a_reply_that_is_not_whole_writes_nothing(site, netbox, url, path, fault):
    before = (site / "asbuilt.csv").read_text()
    netbox.fault[path] = fault
    with pytest.raises(RailbedError, match=BREAKS[fault]) as raised:
        run(site, url)
    assert raised.value.exit_code == 2
    assert TOKEN not in str(raised.value)
    assert (site / "asbuilt.csv").read_text() == before
    assert not (site / "cables.csv").exists()


def test_the_token_goes_to_no_other_server(site, netbox, url):
    """A page's `next` that leads elsewhere is refused before anything is sent there."""
    netbox.max_page_size = 3
    netbox.fault["dcim/devices"] = "elsewhere"
    with pytest.raises(RailbedError, match=r"another server: 192\.0\.2\.1"):
        run(site, url)


def test_a_bad_token_is_named_as_that(site, url, monkeypatch):
    monkeypatch.setenv("RAILBED_TEST_TOKEN", "wrong")
    with pytest.raises(RailbedError, match=r"refuses the token \(403\)"):
        run(site, url)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "names no credential 'netbox_token'"),
        (TOKEN, "--token is no reference"),
        ("env:NOT_SET_AT_ALL", "env:NOT_SET_AT_ALL is not set"),
        ("file:nowhere", "file:nowhere cannot be read"),
    ],
)
def test_a_token_is_a_reference(site, url, token, said):
    with pytest.raises(RailbedError, match=said) as raised:
        run(site, url, token=token)
    assert TOKEN not in str(raised.value)


def test_a_token_in_a_file(site, url):
    state = state_dir(str(site), "")
    state.mkdir(parents=True)
    try:
        (state / "token").write_text(TOKEN + "\n")
        (state / "token").chmod(0o600)
        assert run(site, url, Options(), token="file:token").merged.added
    finally:
        shutil.rmtree(state)


def test_the_token_is_in_no_text_of_its_holder():
    assert TOKEN not in repr(NetboxAccess("http://127.0.0.1", TOKEN))


def test_an_old_netbox_and_an_unknown_site_are_refused(site, netbox, url):
    with pytest.raises(RailbedError, match=r"refuses the question.*nowhere is not one"):
        run(site, url, site="nowhere")
    netbox.version = "3.2.9"
    with pytest.raises(RailbedError, match=r"3\.2\.9 is too old"):
        run(site, url)


@pytest.mark.parametrize("url", ["ftp://x", "netbox", "http://127.0.0.1:1"])
def test_no_netbox_there(site, url, monkeypatch):
    monkeypatch.setenv("RAILBED_TEST_TOKEN", TOKEN)
    with pytest.raises(RailbedError, match=r"no web address|cannot be read"):
        run(site, url)


def test_power_and_breakout_cables_are_counted_not_compared(site, netbox, url):
    ends = netbox.lists["dcim/interfaces"][:2]
    netbox.add_cable(*ends, kind="dcim.powerport")
    found = run(site, url, Options())
    assert "1 cables do not join two interfaces, and were not compared" in found.notes
    assert not found.differences


def device(netbox: FakeNetbox, name: str) -> Record:
    return next(one for one in netbox.lists["dcim/devices"] if one["name"] == name)


def interface(netbox: FakeNetbox, device: str, name: str) -> Record:
    return next(
        one
        for one in netbox.lists["dcim/interfaces"]
        if (one["device"]["name"], one["name"]) == (device, name)
    )
