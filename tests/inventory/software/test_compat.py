"""What goes together: every row has a source, every known pair passes, every mutant fails."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from inventory import open_site
from inventory.load.site import PROFILES, load, site_folder
from inventory.load.yaml_positions import parse
from inventory.model import Fabric
from inventory.plan import BiosSetting, VersionWanted
from inventory.rules.nodes.versions import VERSION_RULES
from inventory.schema import SwitchProfile, VersionsSection
from inventory.schema.node_profile import GpuFile
from inventory.schema.versions import Published
from inventory.software.compat import (
    COMPAT,
    is_older,
    order,
    shipped_compat,
    switch_releases,
    upstream,
)
from inventory.software.lock import VERSIONS, LockedFile, read_lock
from inventory.software.sources import SOURCES, sources
from inventory.software.wanted import ledger, wanted_bios, wanted_versions

ROWS = shipped_compat()
SOFTWARE = [one for one in ROWS.published if one.component not in ("cuda", "fabric_manager")]
LAB = load("lab")
# Published for many systems and needed by nothing: what a mutant may sit beside.
DRIVER, OS = "580.126.20", "ubuntu-24.04"


def site_that_says(
    software: dict[str, str] | None = None,
    firmware: dict[str, str] | None = None,
    os: str = OS,
    arch: str = "amd64",
) -> Fabric:
    """The lab on another OS, with an empty lock, and `versions:` that say this."""
    said = VersionsSection(software=software or {}, firmware=firmware or {})
    lock = LAB.versions.file.model_copy(update={"components": {}, "packages": {}})
    return replace(
        LAB,
        intent=LAB.intent.model_copy(update={"versions": said}),
        node_profiles={"lab-node": LAB.node_profile.model_copy(update={"os": os, "arch": arch})},
        versions=replace(LAB.versions, file=lock),
    )


def problems(fabric: Fabric) -> dict[str, str]:
    """What the rules say, by the rule's name; the places of the lab's file do not matter."""
    return {rule.__name__: str(one) for rule in VERSION_RULES for one in rule(fabric)}


def with_switch(dialect: str, release: str, asic: str | None) -> Fabric:
    """The lab with another leaf."""
    update = {"dialect": dialect, "release": release, "asic": asic}
    profile = LAB.switch_profiles["lab-switch"].model_copy(update=update)
    return replace(LAB, switch_profiles={"lab-switch": profile})


def test_every_row_was_read_somewhere():
    rows = [
        *((one.source, one) for one in ROWS.published),
        *((one.source, one) for one in ROWS.same),
        *((one.source, one) for one in ROWS.minimum),
        *((one.source, one) for one in ROWS.firmware),
        *((one.source, one) for one in ROWS.switch_os),
    ]
    assert len(rows) > 50
    assert not [one for source, one in rows if not source.startswith(("https://", "Cisco "))]


def test_no_row_is_there_twice_and_all_are_sorted():
    for name in ("published", "switch_os", "minimum", "firmware"):
        rows = [one.model_dump(exclude={"source", "file", "sha256"}) for one in getattr(ROWS, name)]
        assert all(rows.count(one) == 1 for one in rows)
    keys = [(one.component, one.os, one.arch, order(one.version)) for one in ROWS.published]
    assert keys == sorted(keys)
    names = [(one.dialect, one.asic or "", order(one.release)) for one in ROWS.switch_os]
    assert names == sorted(names)


def test_rows_name_components_that_exist():
    used = {one.component for one in ROWS.published}
    used |= {name for one in ROWS.same for name in (one.component, one.equals)}
    used |= {name for one in ROWS.minimum for name in (one.component, one.needs)}
    used |= {device for one in ROWS.firmware for device in one.devices}
    assert used <= set(ROWS.components)


def test_components_that_nobody_publishes_are_there_without_versions():
    """A site may add its own rows for them; until then any version of them is an error."""
    for name in ("bios", "bmc", "hgx_baseboard"):
        assert name in ROWS.components
        found = problems(site_that_says(firmware={name: "1.2"}))
        assert "there is none" in found["firmware_is_known"]


@pytest.mark.parametrize("row", SOFTWARE, ids=lambda one: f"{one.component}-{one.version}")
def test_known_software_passes_and_its_mutants_fail(row: Published):
    said = {row.component: row.version}
    assert not problems(site_that_says(said, os=row.os, arch=row.arch))
    for mutant in (f"{row.version}.1", f"9{row.version}"):
        found = problems(site_that_says({row.component: mutant}, os=row.os, arch=row.arch))
        assert f"{row.component} {mutant}, unknown for" in found["software_is_published"]
    elsewhere = problems(site_that_says(said, os="debian-12", arch="arm64"))
    assert "unknown for debian-12 arm64" in elsewhere["software_is_published"]
    assert "compat.yml" in elsewhere["software_is_published"]


@pytest.mark.parametrize("row", ROWS.minimum, ids=lambda one: f"{one.component}-{one.version}")
def test_a_driver_older_than_its_cuda_wants_is_refused(row):
    def said(driver: str) -> dict[str, str]:
        fabric = site_that_says({row.component: row.version, row.needs: driver})
        return {rule: text for rule, text in problems(fabric).items() if rule == "minima_are_met"}

    major, _, rest = row.at_least.partition(".")
    assert not said(row.at_least)
    assert not said(f"{int(major) + 1}.0")
    assert row.at_least in said(f"{int(major) - 1}.{rest}")["minima_are_met"]
    assert "unsaid" in problems(site_that_says({row.component: row.version}))["minima_are_met"]


def with_locked(**versions: str) -> Fabric:
    """The lab on Ubuntu, that says no version, and a lock with one package a component."""
    fabric = site_that_says()
    lock = fabric.versions.file.model_copy(
        update={
            "os": OS,
            "components": {one: [f"the-{one}"] for one in versions},
            "packages": {
                f"the-{one}": LockedFile(version=version, sha256="0" * 64, size_bytes=1)
                for one, version in versions.items()
            },
        }
    )
    return replace(fabric, versions=replace(fabric.versions, file=lock))


@pytest.mark.parametrize("row", ROWS.minimum, ids=lambda one: f"{one.component}-{one.version}")
def test_a_locked_driver_older_than_its_cuda_wants_is_refused(row):
    """Also of a later version of the line; the last digits of the next line are no match."""
    major, _, rest = row.at_least.partition(".")
    for version in (row.version, f"{row.version}.1"):
        good = with_locked(cuda=f"{version}-1", nvidia_driver=f"{row.at_least}-0ubuntu1")
        assert "locked_minima_are_met" not in problems(good)
        old = with_locked(cuda=f"{version}-1", nvidia_driver=f"{int(major) - 1}.{rest}-0ubuntu1")
        assert row.at_least in problems(old)["locked_minima_are_met"]
        alone = problems(with_locked(cuda=f"{version}-1"))
        assert "not locked" in alone["locked_minima_are_met"]
    assert not problems(with_locked(cuda=f"{row.version}9-1"))


def test_what_is_locked_and_was_never_read_to_fit_is_said():
    """It is no error: whoever locked it may know more. Nothing is said of what is known."""

    def said(fabric: Fabric) -> list[str]:
        found = [one for one in ledger(fabric) if "what is locked" in one.name]
        return [f"{one.name}: {one.value}" for one in found]

    assert (
        said(with_locked(nvidia_driver=f"{DRIVER}-0ubuntu1", load="3.16-1", cuda="13.2.1-1")) == []
    )
    [driver, doca] = sorted(
        said(with_locked(nvidia_driver="580.1.1-1", doca_ofed="9.9.9-1", cuda="13.2.1-1")),
        reverse=True,
    )
    assert (
        "nvidia_driver: 580.1.1, of which nobody has read that it goes with ubuntu-24.04" in driver
    )
    assert "doca_ofed: 9.9.9" in doca


def test_the_fabric_manager_has_the_drivers_version_exactly():
    pair = {"nvidia_driver": DRIVER, "fabric_manager": DRIVER}
    assert not problems(site_that_says(pair))
    apart = problems(site_that_says({**pair, "fabric_manager": "580.173.02"}))
    assert set(apart) == {"equal_versions_are_equal"}
    alone = problems(site_that_says({"fabric_manager": DRIVER}))
    assert "not said" in alone["equal_versions_are_equal"]


@pytest.mark.parametrize("row", ROWS.firmware, ids=lambda one: one.doca_ofed)
def test_firmware_goes_with_the_doca_that_brings_it(row):
    def said(firmware: dict[str, str], doca: str | None) -> dict[str, str]:
        found = problems(site_that_says({"doca_ofed": doca or ""}, firmware))
        return {rule: text for rule, text in found.items() if "firmware" in rule}

    assert not said(row.devices, row.doca_ofed)
    assert not problems(site_that_says(firmware=row.devices))
    for device, version in row.devices.items():
        assert "firmware_is_known" in said({device: f"{version}0"}, row.doca_ofed)
        others = {one.doca_ofed for one in ROWS.firmware if one.devices.get(device) == version}
        wrong = [one.doca_ofed for one in ROWS.firmware if one.doca_ofed not in others]
        for doca in wrong:
            assert "firmware_fits_doca" in said({device: version}, doca)


@pytest.mark.parametrize("row", ROWS.switch_os, ids=lambda one: f"{one.release}-{one.asic}")
def test_known_releases_pass_and_their_mutants_fail(row):
    assert not problems(with_switch(row.dialect, row.release, row.asic))
    for mutant in (
        (row.dialect, f"{row.release}1", row.asic),
        (f"{row.dialect}x", row.release, row.asic),
        (row.dialect, row.release, "trident9"),
    ):
        found = problems(with_switch(*mutant))["switch_releases_are_known"]
        assert mutant[1] in found
        assert "compat.yml" in found


def test_the_shipped_profiles_have_known_releases():
    text = (PROFILES / "switches.yml").read_text()
    shipped = parse(text, "switches.yml").value
    assert isinstance(shipped, dict)
    for name, said in shipped.items():
        profile = SwitchProfile.model_validate(said)
        known = switch_releases(ROWS, profile.dialect, profile.asic)
        assert profile.release in [one.release for one in known], name


def test_a_site_may_know_more(tmp_path: Path):
    site = tmp_path / "site"
    shutil.copytree(site_folder("lab"), site)
    (site / "versions").mkdir()
    (site / "versions" / COMPAT.name).write_text(
        'firmware:\n  - devices: {bmc: "24.1"}\n    source: the maker\'s letter of 2026-10-01\n'
    )
    with (site / "fabric.yml").open("a") as file:
        file.write('versions:\n  firmware: {bmc: "24.1"}\n  bios: {lab-node: {Nps: 1}}\n')
    fabric = load(site)
    assert not problems(fabric)
    bmc = VersionWanted("node lab-node", "bmc", "24.1", "the maker's letter of 2026-10-01")
    assert bmc in wanted_versions(fabric)
    assert wanted_bios(fabric) == (BiosSetting("node lab-node", "Nps", 1),)


def test_what_is_wanted_says_where_it_was_read_and_that_nobody_measured_it():
    [frr] = wanted_versions(LAB)
    assert (frr.kind, frr.component, frr.version) == (
        "switch lab-switch",
        "switch_os",
        "linux_frr 8.4.4",
    )
    assert frr.source.startswith("https://")
    [row] = [one for one in open_site("lab").assumptions if "switch_os" in one.name]
    assert (row.value, row.source, row.measured) == (frr.version, frr.source, False)


def test_wanted_software_and_firmware_have_sources():
    software = {"doca_ofed": "3.2.2", "nvidia_driver": "580.126.20", "fabric_manager": "580.126.20"}
    bare = site_that_says(software, {"connectx7": "28.47.2682"}, os="rhel-9")
    node = bare.node_profile.model_copy(update={"gpus": [GpuFile(numa=0)]})
    fabric = replace(bare, node_profiles={"lab-node": node})
    assert not problems(fabric)
    without = {one.component for one in wanted_versions(bare)}
    assert without == {"doca_ofed", "connectx7", "switch_os"}
    wanted = wanted_versions(fabric)
    assert list(wanted) == sorted(wanted)
    assert {one.component for one in wanted} == {*software, "connectx7", "switch_os"}
    assert all(one.source for one in wanted)


def test_every_lock_of_ours_is_of_a_system_and_holds_together():
    """The same rules as at plan time: names resolve, exact needs are met, equal is equal."""
    others = {COMPAT.name, SOURCES}
    paths = [path for path in sorted(VERSIONS.glob("*.yml")) if path.name not in others]
    assert len(paths) >= 3
    for path in paths:
        lock = read_lock(path)
        assert path.stem == f"{lock.os}-{lock.arch}"
        assert {name for names in lock.components.values() for name in names} <= set(lock.packages)
        for one in lock.packages.values():
            assert {name: lock.packages[name].version for name in one.needs} == one.needs
        fabric = replace(LAB, versions=replace(LAB.versions, file=lock))
        assert "locked_versions_are_equal" not in problems(fabric)
        assert sources(site_folder("lab"), lock.os, lock.arch).repositories


@pytest.mark.parametrize(
    ("version", "bare"),
    [("580.178.04-0ubuntu0.24.04.1", "580.178.04"), ("1:2.3-4-5", "2.3-4"), ("8.4.4", "8.4.4")],
)
def test_upstream_versions(version, bare):
    assert upstream(version) == bare


def test_versions_compare_as_numbers():
    ordered = ["570.26", "570.124.06", "575.51.03", "580.65.06", "580.126.20"]
    assert all(is_older(one, than) for one, than in pairwise(ordered))
    assert not any(is_older(than, one) for one, than in pairwise(ordered))
    assert not is_older("570.26", "570.26.0")
    assert sorted(["580.65.06", *ordered[:3]], key=order) == ordered[:4]
