"""The twin of a site is the site, sliced, but for what it names: exceptions and what it lacks."""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from deploy import lab
from deploy.errors import RailbedError
from deploy.lab import host
from deploy.lab.paths import LabPaths
from deploy.rehearsal import rehearse as rehearsal
from deploy.rehearsal.growth import new_nodes
from deploy.rehearsal.logins import put_secrets
from deploy.rehearsal.rehearse import Asked
from deploy.rehearsal.slices import Slice, sizes, sliced
from deploy.rehearsal.told import twin_text
from deploy.rehearsal.twin_site import Twin, make
from inventory import open_site
from inventory.load.site import PROFILES
from inventory.plan import Plan
from inventory.starter import ASBUILT_CSV, CannotBuildError, Wish
from tests.bench.stock_sites import wishes
from tests.deploy.command_line import railbed
from tests.shipped import loaded

from .stock import of, site

WISHES = wishes()
# What of a node is hardware, or its maker's packages: the twin names each that its site asks for.
OF_HARDWARE = {
    "arch", "collectives", "containers", "gpu_driver", "gpu_storage", "gpus", "memory_norm",
    "os", "profile", "software", "tuning", "acceptance", "bmc", "boot", "management",
}  # fmt: skip


@pytest.fixture
def twin(tmp_path):
    def build(wish: Wish, asked: Slice = Slice(), most: int = 45) -> tuple[Plan, Twin]:  # noqa: B008
        folder = site(tmp_path / "site", wish)
        return open_site(folder), make(str(folder), tmp_path / "twin", asked, most)

    return build


@pytest.mark.instances(keep=2)
@pytest.mark.parametrize("wish", WISHES, ids=range(len(WISHES)))
def test_every_stock_site_has_a_twin_that_fits_or_is_refused(twin, wish):
    """Its devices are those of the site, by name, loopback and AS number."""
    try:
        whole, made = twin(wish)
    except CannotBuildError:
        return
    assert len(made.plan.devices) <= 45
    assert set(made.plan.devices) <= set(whole.devices)
    assert not made.plan.undeployable
    told = " ".join(one.where for one in made.exceptions)
    for name, switch in made.plan.switch.items():
        there = whole.switch[name]
        assert (switch.loopback, switch.asn, switch.tier) == (
            there.loopback, there.asn, there.tier,
        )  # fmt: skip
        assert switch.management.address == there.management.address or "addresses of" in told
    left_out = {*whole.devices} - {*made.plan.devices}
    assert bool(left_out) == any("devices" in one.what or one.why.startswith("of a slice")
                                 for one in made.left_out)  # fmt: skip


def test_a_site_that_fits_is_whole_and_its_switches_get_its_texts(twin):
    whole, made = twin(of())
    assert set(made.plan.devices) == set(whole.devices)
    assert made.same_texts == len(whole.switches)
    assert not [one for one in made.exceptions if "addresses" in one.where or "text" in one.where]


def test_what_a_node_has_otherwise_is_hardware_or_named(twin):
    """A setting that nobody names would hide what the site meets."""
    whole, made = twin(of())
    named = {one.where.split(": ")[-1].split(".")[-1] for one in made.exceptions}
    named |= {one.what.split(": ")[-1].split(".")[-1] for one in made.left_out}
    assert {"os", "boot", "clock", "limits", "gpu_driver", "gpus"} <= named
    for node in made.plan.nodes:
        mine, there = asdict(node), asdict(whole.node[node.name])
        otherwise = {key for key in mine if mine[key] != there[key]} - OF_HARDWARE
        assert otherwise <= {"rails", "nics"}
        for key in otherwise:
            for one, other in zip(mine[key], there[key], strict=True):
                assert {part for part in one if one[part] != other[part]} <= {"gpu", "mac"}


def test_fabric_yml_differs_by_what_is_named_alone(twin, tmp_path):
    _, made = twin(of())
    before, after = (loaded(tmp_path / one / "fabric.yml") for one in ("site", "twin"))
    differ = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    # Profiles have names of their own, and nothing is said of no device.
    assert differ <= {"compute", "servers", "oob", "overrides", "switch_services", "credentials"}
    (account,) = after["switch_services"]["accounts"]
    assert f"switch_services.accounts.{account['name']}" in {one.where for one in made.exceptions}
    assert after["compute"] | {"node_profile": ""} == before["compute"] | {"node_profile": ""}
    assert after["oob"] | {"time": 0} == before["oob"] | {"time": 0}
    assert [one.site for one in made.exceptions if one.where == "oob.time.clock"] == ["set"]


def test_planes_that_no_machine_can_carry_are_left_out_by_name(twin):
    _, made = twin(of(business="own", oob_switches=True))
    lacks = {one.what for one in made.left_out}
    assert {"the business plane", "switches of the OOB plane"} <= lacks
    assert not made.plan.oob_switches
    assert {one.plane for one in made.plan.cables} == {"compute", "oob", "storage"}


def test_a_person_says_how_many(twin):
    whole, made = twin(of(nodes=16), Slice(nodes_per_pod=1, spines=1))
    assert len([one for one in made.plan.nodes if one.pod]) == len({one.pod for one in whole.nodes
                                                                   if one.pod})  # fmt: skip
    assert len([one for one in made.plan.switches if one.tier == "spine"
                and one.name.startswith("spine")]) == 1  # fmt: skip


def test_more_than_there_is_is_refused_and_so_is_a_twin_that_does_not_fit(tmp_path):
    folder = str(site(tmp_path / "site", of()))
    with pytest.raises(RailbedError, match="the site has 1 pods, 3 are asked for"):
        rehearsal.looked_at(Asked(folder, Slice(pods=3)))
    with pytest.raises(RailbedError, match="the smallest twin of this site has"):
        make(folder, tmp_path / "twin", Slice(), 5)


def test_a_change_that_brings_machines_is_refused_by_name(tmp_path):
    """Of the same slice: what the site's twin leaves out is no change."""
    folder = site(tmp_path / "site", of())
    text = (folder / "fabric.yml").read_text()
    for name, spines in (("same", 2), ("less", 1)):
        shutil.copytree(folder, tmp_path / name)
        (tmp_path / name / "fabric.yml").write_text(
            text.replace("  spines: 2 ", f"  spines: {spines} ", 1)
        )
    asked = Asked(str(folder), Slice(nodes_per_pod=1), change=str(tmp_path / "same"))
    twin, later = rehearsal.looked_at(asked)
    assert later is not None
    assert later.plan.digest == twin.plan.digest
    with pytest.raises(RailbedError, match="the change has other machines: spine2"):
        rehearsal.looked_at(replace(asked, change=str(tmp_path / "less")))
    with pytest.raises(RailbedError, match="the change has other machines: spine2"):
        rehearsal.looked_at(replace(asked, site=str(tmp_path / "less"), change=str(folder)))


def test_a_change_of_a_site_of_one_pod_is_rehearsed_on_the_slice_that_fits(tmp_path):
    """Which names two pods, as a slice for this many machines does: nobody asked for a second."""
    folder, change = site(tmp_path / "site", of()), tmp_path / "change"
    text = (folder / "fabric.yml").read_text()
    for said in ("  spines: 2 ", "    spines: 2\n"):
        text = text.replace(said, said.replace("2", "4"), 1)
    (folder / "fabric.yml").write_text(text)
    shutil.copytree(folder, change)
    with (change / "fabric.yml").open("a") as file:
        file.write("switch_services: {syslog: [172.16.3.9]}\n")
    fewest_with_all_spines = 25
    asked = Asked(str(folder), most_machines=fewest_with_all_spines - 1, change=str(change))
    twin, later = rehearsal.looked_at(asked)
    assert later is not None
    assert twin.slice.pods == later.slice.pods == 2
    assert {*twin.plan.devices} == {*later.plan.devices}


@pytest.fixture
def grown(tmp_path):
    """A site, and the same with a third node."""
    folder, later = site(tmp_path / "site", of(growth=2.0)), tmp_path / "later"
    shutil.copytree(folder, later)
    text = (folder / "fabric.yml").read_text()
    assert text.count("\n  nodes_per_pod: 2\n") == 1
    (later / "fabric.yml").write_text(text.replace("\n  nodes_per_pod: 2", "\n  nodes_per_pod: 3"))
    return folder, later


@pytest.mark.parametrize("asked", [Slice(), Slice(nodes_per_pod=1)])
def test_a_change_that_brings_a_node_has_its_machine_and_its_cables(grown, tmp_path, asked):
    """Of a slice one more than it has; cables and MACs of all others stay as they are."""
    folder, later = grown
    (folder / "asbuilt.csv").write_text(f"{ASBUILT_CSV.rstrip()}\noob1,up0,02:52:45:01:02:01,S\n")
    made, after = rehearsal.prepared(
        Asked(str(folder), asked, change=str(later)), tmp_path / "twin"
    )
    assert after
    (new,) = new_nodes(made, after)
    assert new == f"node-p1-{(asked.nodes_per_pod or 2) + 1}"
    for name in ("asbuilt.csv", "wiring.csv"):
        before, then = ((one.folder / name).read_text() for one in (made, after))
        more = then.removeprefix(before)
        assert more != then
        assert all(new in line for line in more.splitlines())
    assert "02:52:45:01:02:01" in (after.folder / "asbuilt.csv").read_text()
    assert not after.plan.undeployable
    said = StringIO()
    twin_text(made, after, Console(file=said, width=200))
    assert f"the change brings {new}: " in said.getvalue()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda text: text.replace("\ntopology:", "\ntopolgy:"),
        lambda text: text.replace("\n  nodes_per_pod: 3", "\n  nodes_per_pod: many"),
        lambda text: text.replace("\n  nodes_per_pod: 3", ""),
        lambda text: text.replace("\ntopology:", "\ntopology: [", 1),
        lambda _: "",
    ],
    ids=["no topology", "no number", "no count", "no YAML", "nothing"],
)
def test_a_change_that_cannot_be_read_is_a_problem_at_its_place(grown, wrong):
    folder, later = grown
    text = (later / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(changed := wrong(text))
    assert changed != text
    of = ("--site", str(folder), "--nodes", "1", "--change", str(later))
    said = railbed("rehearse", "--dry-run", *of)
    assert said.returncode == 2
    place = rf"{re.escape(str(later))}/fabric\.yml:\d+:\d+\b"
    assert re.search(place, said.stderr), said.stderr


def test_a_node_that_goes_is_no_change_yet(grown):
    folder, later = grown
    with pytest.raises(RailbedError, match="the change has other machines: node-p1-3"):
        rehearsal.looked_at(Asked(str(later), change=str(folder)))


def test_a_change_of_which_the_twin_has_nothing_is_refused_before_a_machine_starts(
    monkeypatch, tmp_path
):
    folder = site(tmp_path / "site", of())
    shutil.copytree(folder, tmp_path / "same")
    with (tmp_path / "same/fabric.yml").open("a") as file:
        file.write("# nothing\n")
    monkeypatch.setattr(rehearsal, "require_root", lambda: None)
    monkeypatch.setattr(LabPaths, "state", property(lambda one: tmp_path / one.name))
    monkeypatch.setattr(lab, "down", lambda _: pytest.fail("a lab is touched"))
    asked = Asked(str(folder), change=str(tmp_path / "same"))
    with pytest.raises(RailbedError, match="nothing of this change"):
        rehearsal.rehearse(asked, print, keep=False, name="none")


def test_what_names_no_lab_is_said_before_anything_is_installed(monkeypatch):
    monkeypatch.setattr(host, "ensure_host_packages", lambda _: pytest.fail("it installs"))
    said = railbed("rehearse", "--site", "lab", "--name", "twin-big")
    assert said.returncode == 2
    assert "'twin-big' cannot name a lab" in said.stderr


def test_sizes_shrink_what_nobody_said_and_end_at_the_least():
    asked = Slice(nodes_per_pod=3)
    tried = list(sizes(asked))
    assert tried[0] == asked
    assert {one.nodes_per_pod for one in tried} == {3}
    assert (tried[-1].pods, tried[-1].spines) == (1, 1)


def test_a_slice_keeps_the_maxima_that_addresses_are_counted_with():
    fabric = loaded(Path(__file__).parents[3] / "inventory/sites/superpod-10k/fabric.yml")
    made = sliced(fabric, Slice(pods=2, nodes_per_pod=2, spines=2, servers_per_group=1))
    assert made["topology"]["maxima"] == fabric["topology"]["maxima"]
    assert {group["count"] for group in made["servers"].values()} == {1}


def test_the_sites_own_macs_are_the_twins(tmp_path):
    folder = site(tmp_path / "site", of())
    plan = open_site(folder)
    node = next(one for one in plan.nodes if one.pod)
    ports = (node.management.port, node.nics[0].port)
    rows = [f"{node.name},{port},02:52:45:01:02:0{at},SN-7" for at, port in enumerate(ports)]
    (folder / "asbuilt.csv").write_text("\n".join([ASBUILT_CSV.rstrip("\n"), *rows]) + "\n")
    made = make(str(folder), tmp_path / "twin", Slice(), 45).plan.node[node.name]
    assert (made.management.mac, made.nics[0].mac) == ("02:52:45:01:02:00", "02:52:45:01:02:01")
    assert (tmp_path / "twin/asbuilt.csv").read_text().count("SN-7") == 2


@pytest.mark.parametrize("oob_switches", [False, True])
def test_cables_are_as_plugged_and_where_nothing_is_plugged_as_planned(tmp_path, oob_switches):
    """A twin with cables of the plan would hide a wrong one; one without some reaches nobody."""
    folder = site(tmp_path / "site", of(oob_switches=oob_switches))
    make(str(folder), tmp_path / "twin", Slice(), 45)
    wiring = tmp_path / "twin/wiring.csv"
    planned = wiring.read_text().splitlines()
    whole = [
        f"{one.a.device},{one.a.port},{one.b.device},{one.b.port},{one.plane}"
        for one in open_site(folder).cables
    ]
    mine = [at for at, row in enumerate(whole) if row.startswith("leaf-p1-r0,") and "spine" in row]
    at, to = mine[:2]
    one, other = whole[at].split(","), whole[to].split(",")
    one[2:4], other[2:4] = other[2:4], one[2:4]
    whole[at], whole[to] = ",".join(one), ",".join(other)
    plugged = tmp_path / "plugged.csv"
    for rows in (whole, [row for row in whole if row.endswith(",compute")]):
        plugged.write_text("\n".join([planned[0], *rows]) + "\n")
        make(str(folder), tmp_path / "twin", Slice(), 45, plugged)
        found = wiring.read_text().splitlines()
        assert len(found) == len(planned)
        assert {",".join(one), ",".join(other)} <= set(found)
        assert sorted(row for row in found if ",oob" in row) == sorted(
            row for row in planned if ",oob" in row
        )


def test_no_secret_of_the_site_goes_to_its_twin(tmp_path):
    """Words of its own are made up, for the files that the twin's credentials name."""
    folder = site(tmp_path / "site", of())
    text = (folder / "fabric.yml").read_text()
    keys = "credentials:\n  tac: file:/etc/tacacs.key\n  switch_password: env:PW\n"
    text = text.replace("credentials:\n", keys)
    said = "switch_services: {tacacs: {servers: [172.16.3.9], key: tac}}\n"
    (folder / "fabric.yml").write_text(text + said)
    made = make(str(folder), tmp_path / "twin", Slice(), 45)
    assert dict(made.plan.credentials) == {"ssh_key": "file:id_ed25519", "tac": "file:made-up-tac"}
    told = {one.where for one in made.exceptions}
    assert {"credentials.tac", "credentials.switch_password"} <= told
    put_secrets(made.plan, tmp_path)
    assert (tmp_path / "made-up-tac").stat().st_mode & 0o777 == 0o600


def test_an_account_that_may_hold_no_key_may_hold_one_on_the_twin(tmp_path):
    folder = site(tmp_path / "site", of())
    with (folder / "fabric.yml").open("a") as file:
        file.write(
            "switch_services: {accounts: [{name: admin, role: admin, devices: ['spine*']}]}\n"
        )
    made = make(str(folder), tmp_path / "twin", Slice(), 45)
    for name in ("spine1", "leaf-p1-r0", "storage-spine1"):
        (mine,) = [
            one for one in made.plan.switch_services.accounts
            if any(fnmatchcase(name, each) for each in one.devices)
        ]  # fmt: skip
        assert (mine.name, mine.ssh_keys) == ("admin", 1)
    told = {one.where for one in made.exceptions}
    assert {f"switch_services.accounts.admin{end}" for end in ("", ".ssh_keys")} <= told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tuning: {numa_balancing: false}", "tuning.numa_balancing"),
        ("nics: {rings: 4096}", "nics.rings"),
    ],
)
def test_what_a_profile_asks_and_no_machine_can_is_named_key_by_key(tmp_path, said, told):
    folder = site(tmp_path / "site", of())
    profile = dict(loaded(PROFILES / "nodes.yml")["hgx-h100"])
    for key, values in yaml.safe_load(said).items():
        profile[key] = {**profile.get(key, {}), **values}
    (folder / "profiles").mkdir()
    (folder / "profiles/nodes.yml").write_text(
        yaml.safe_dump({"own": profile}, default_flow_style=False)
    )
    text = (folder / "fabric.yml").read_text()
    (folder / "fabric.yml").write_text(text.replace("hgx-h100", "own"))
    made = make(str(folder), tmp_path / "twin", Slice(), 45)
    assert f"profile own: {told}" in {one.what for one in made.left_out}


def test_a_lab_that_is_no_twin_is_never_taken_for_one(monkeypatch, tmp_path):
    """What is on record of it would be gone."""
    monkeypatch.setattr(rehearsal, "require_root", lambda: None)
    monkeypatch.setattr(LabPaths, "state", property(lambda one: tmp_path / one.name))
    (tmp_path / "mine").mkdir()
    with pytest.raises(RailbedError, match="there is a lab mine, which is no twin"):
        rehearsal.rehearse(Asked("lab"), print, keep=False, name="mine")
