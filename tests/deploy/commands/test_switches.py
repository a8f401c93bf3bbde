"""`railbed render` and `railbed diff` with folders, as their users call them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deploy.switches import render
from inventory import open_site
from inventory.switches.abilities import Abilities
from tests.deploy.command_line import railbed


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts") / "out"
    done = railbed("render", "--no-programs", "--out", str(folder))
    assert done.returncode == 3, done.stderr
    assert "not proved: 6 switches" in done.stderr
    return folder


def copied(rendered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(rendered, tmp_path / "other"))


def test_a_text_that_no_grammar_and_no_program_judges_is_not_proved(monkeypatch):
    monkeypatch.setattr(render, "of", lambda _: Abilities())
    (one,) = render.proved(open_site("lab"), ["spine1"], None)
    assert "no grammar and no program of linux_frr is here" in one.unproved


def test_a_render_has_no_difference_from_its_plan(rendered):
    done = railbed("diff", str(rendered))
    assert (done.returncode, done.stdout) == (0, "0 of 6 compared switches differ\n")


def test_a_line_that_differs_is_shown_in_its_section_with_its_impact(rendered, tmp_path):
    other = copied(rendered, tmp_path)
    file = other / "spine1/etc/frr/frr.conf"
    text = file.read_text()
    file.write_text(text.replace("maximum-prefix 25", "maximum-prefix 9", 1))
    assert file.read_text() != text
    done = railbed("diff", str(other), "--json")
    assert done.returncode == 1
    (spine,) = [one for one in json.loads(done.stdout) if one["changes"]]
    (change,) = spine["changes"]
    assert (spine["device"], spine["impact"]) == ("spine1", "runtime")
    assert change["section"].startswith("router bgp")
    assert [line[0] for line in change["lines"]] == ["-", "+"]


def test_two_folders_are_compared_with_each_other(rendered, tmp_path):
    other = copied(rendered, tmp_path)
    (other / "spine2/etc/network/interfaces").unlink()
    done = railbed("diff", str(rendered), str(other))
    assert done.returncode == 1
    assert "spine2  link flap" in done.stdout
    assert "1 of 6 compared switches differ" in done.stdout


def test_what_a_folder_lacks_is_no_agreement(rendered, tmp_path):
    folder = tmp_path / "running"
    shutil.copytree(rendered / "spine1", folder / "spine1")
    (folder / ".DS_Store").write_text("")
    done = railbed("diff", str(folder))
    assert done.returncode == 3, done.stderr
    assert "not compared: 5" in done.stdout
    assert "0 of 1 compared switches differ" in done.stdout


def test_a_lone_file_is_the_one_of_its_name(rendered, tmp_path):
    folder = tmp_path / "running"
    folder.mkdir()
    text = (rendered / "spine1/etc/frr/frr.conf").read_text()
    (folder / "spine1.conf").write_text(text)
    done = railbed("diff", str(folder))
    assert done.returncode == 2
    assert "has several files" in done.stderr


@pytest.mark.parametrize(
    ("name", "said"), [("nobody", "no switches of lab: nobody"), ("", "empty"), (None, "not a")]
)
def test_a_folder_of_somebody_else_is_refused(tmp_path, name, said):
    folder = tmp_path / "running"
    if name is not None:
        folder.mkdir()
    if name:
        (folder / f"{name}.cfg").write_text("")
    done = railbed("diff", str(folder))
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("asked", "count"),
    [(("--tier", "spine"), 2), (("--plane", "compute"), 6), (("--device", "spine1"), 1)],
)
def test_a_part_of_a_site_can_be_asked_for(asked, count):
    done = railbed("render", "--no-programs", *asked)
    assert f"{count} switch{'' if count == 1 else 'es'} of lab rendered" in done.stderr
    assert done.stdout.count("frr.conf") == count


def test_what_nobody_has_is_said(tmp_path):
    done = railbed("render", "--tier", "superspine", "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "its tiers: leaf, spine" in done.stderr
    assert not (tmp_path / "out").exists()
