"""The parts of the lab that need no root."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.lab import lab, site, spec
from deploy.lab.kept import leftovers
from deploy.lab.machines import cgroups, image, sources
from deploy.lab.machines.kinds import kind_of
from deploy.lab.paths import LabPaths
from deploy.lab.status import _disk
from deploy.lab.wires import made_up_mac
from inventory.problems import InventoryError

from .traces import SITE


def test_a_name_that_would_not_fit_a_port_is_refused() -> None:
    assert len(LabPaths("tenletters").host_port) == 15
    for name in ("elevenchars", "", "a-b", "9lab", "Lab", "../x"):
        with pytest.raises(RailbedError, match="cannot name a lab"):
            LabPaths(name)


def test_a_kind_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(RailbedError) as raised:
        kind_of("vm")
    assert raised.value.hint == "kinds: netns, nspawn"


def test_machines_are_sorted_by_their_ports() -> None:
    known = site.hardware(SITE / "asbuilt.csv")
    found = {one.name: one.layer for one in site.machines(_links(), known)}
    assert found["oob1"] == "oob"
    assert found["node-p2-1"] == "node"
    assert found["leaf-p2-r1"] == found["spine2"] == "switch"
    assert len(found) == 11


def test_cables_are_those_of_the_file_and_only_data_links_are_shaped() -> None:
    cables = _links()
    assert len(cables) == 26
    assert sum(one.shaped for one in cables) == 16
    assert all("eth0" in (one.a.name, one.b.name) for one in cables if not one.shaped)


def test_a_lab_survives_being_written_down(tmp_path: Path) -> None:
    known = site.hardware(SITE / "asbuilt.csv")
    cables = _links()
    written = spec.LabSpec(
        "x", "nspawn", 3, 200, "key", site.machines(cables, known), cables, "w", "/s", 1.5
    )
    spec.save(written, tmp_path / "lab.json")
    assert spec.load(tmp_path / "lab.json") == written
    assert written.oob == "oob1"
    assert written.access_address == "100.64.3.2"


@pytest.mark.parametrize("is_there", [True, False])
def test_another_clones_lab_stays_until_that_clone_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    state = tmp_path / "their-clone/.railbed/labs/x"
    if is_there:
        state.mkdir(parents=True)
    standing = spec.LabSpec("x", "nspawn", 3, 200, "key", (), (), "w", str(state), 1.5)
    removed: list[str] = []
    monkeypatch.setattr(LabPaths, "spec", property(lambda _: tmp_path / "lab.json"))
    monkeypatch.setattr("deploy.lab.host.require_root", lambda: None)
    monkeypatch.setattr(lab, "changing", lambda *_: nullcontext())
    monkeypatch.setattr(lab, "is_up", lambda _: True)
    monkeypatch.setattr(leftovers, "remove", removed.append)
    spec.save(standing, tmp_path / "lab.json")
    if is_there:
        with pytest.raises(RailbedError, match=r"made by another clone: .*their-clone"):
            lab.down("x")
    else:
        lab.down("x")
    assert removed == ([] if is_there else ["x"])


def test_a_port_that_nobody_listed_has_a_local_unicast_mac_that_stays() -> None:
    mac = made_up_mac("spine1", "swp1")
    assert mac == made_up_mac("spine1", "swp1") != made_up_mac("spine1", "swp2")
    assert int(mac[:2], 16) & 0b11 == 0b10


def test_bad_wiring_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "wiring.csv"
    file.write_text((SITE / "wiring.csv").read_text() + "spine1,swp1,spine2,swp9,compute\n")
    with pytest.raises(InventoryError, match=r"28"):
        site.links(file, site.hardware(SITE / "asbuilt.csv"))
    with pytest.raises(InventoryError, match=r"asbuilt\.csv:1:1: .*no such file"):
        site.hardware(tmp_path / "asbuilt.csv")


def test_sources_are_those_of_the_hosts_release_in_both_formats(tmp_path: Path) -> None:
    apt = tmp_path / "apt"
    (apt / "sources.list.d").mkdir(parents=True)
    (tmp_path / "os-release").write_text('NAME="Debian"\nVERSION_CODENAME=bookworm\n')
    (apt / "sources.list").write_text("# deb no\ndeb [arch=amd64] http://a/ bookworm main\n")
    (apt / "sources.list.d" / "x.list").write_text("deb https://vendor/ apt-bookworm main\n")
    (apt / "sources.list.d" / "y.sources").write_text(
        "Types: deb deb-src\nURIs: http://b/\nSuites: bookworm bookworm-updates trixie\n"
        "Components: main contrib\nSigned-By: /k.gpg\n\n"
        "Types: deb\nURIs: http://c/\nSuites: bookworm\nComponents: main\nEnabled: no\n"
    )
    found = sources.host_sources(tmp_path)
    assert found.suite == "bookworm"
    assert found.lines == (
        "deb [arch=amd64] http://a/ bookworm main",
        "deb [signed-by=/k.gpg] http://b/ bookworm main contrib",
        "deb [signed-by=/k.gpg] http://b/ bookworm-updates main contrib",
    )
    assert found.keyrings == (Path("/k.gpg"),)


def test_a_host_without_sources_of_its_release_is_told(tmp_path: Path) -> None:
    (tmp_path / "os-release").write_text("VERSION_CODENAME=bookworm\n")
    with pytest.raises(RailbedError, match="no package source for bookworm"):
        sources.host_sources(tmp_path)


def test_half_built_images_are_removed_and_never_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "IMAGES", tmp_path / "images")
    half = tmp_path / "images" / "half-abc" / "base"
    half.mkdir(parents=True)
    built: list[str] = []

    def build(images: image.Images, *_: object) -> None:
        assert not half.exists()
        images.folder.mkdir()
        built.append(images.key)

    monkeypatch.setattr(image, "_build", build)
    first = image.ensure_images(lambda _: None)
    assert image.ensure_images(lambda _: None) == first
    assert built == [first.key]


def test_another_recipe_is_another_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = sources.Sources("bookworm", ("deb http://a/ bookworm main",), (), "")
    before = image._digest(here)
    assert before == image._digest(here)
    assert before != image._digest(sources.Sources("bookworm", ("deb http://b/ x y",), (), ""))
    (tmp_path / "packages").write_text("frr\n")
    monkeypatch.setattr(image, "RECIPE", tmp_path)
    assert image._digest(here) != before


def _links() -> tuple[spec.Link, ...]:
    return site.links(SITE / "wiring.csv", site.hardware(SITE / "asbuilt.csv"))


def test_only_names_of_labs_are_taken_for_labs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("mine", "ssh-7c25f810c95e3d77", "Other"):
        (tmp_path / "run" / folder).mkdir(parents=True)
    (tmp_path / "netns").mkdir()
    (tmp_path / "netns" / "rb-theirs-leaf-p1-r0").touch()
    (tmp_path / "netns" / "rbx").touch()
    monkeypatch.setattr(leftovers, "RUNTIME", tmp_path / "run")
    monkeypatch.setattr(leftovers, "LABS", tmp_path / "labs")
    monkeypatch.setattr(leftovers, "NETNS", tmp_path / "netns")
    monkeypatch.setattr(cgroups, "labs", lambda: ("grouped",))
    assert leftovers.labs() == ("grouped", "mine", "theirs")


def test_what_a_machine_removes_meanwhile_takes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "there").write_bytes(b"x" * 9000)
    monkeypatch.setattr(os, "walk", lambda at: [(str(at), ["a"], ["gone"])])
    only = _disk(tmp_path)
    monkeypatch.undo()
    assert 9000 + only <= _disk(tmp_path)
