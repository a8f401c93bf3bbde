"""`railbed audit --learn`: a folder that opens, written only when asked and never over a site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory import open_site
from switch_configs import render
from tests.deploy.command_line import railbed


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    plan, out = open_site("lab"), tmp_path / "configs"
    for name in plan.switch:
        for file in render(plan, name).files:
            path = out / name / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
    return out


def run(*words: object) -> tuple[int, str]:
    said = railbed("audit", *map(str, words))
    return said.returncode, said.stdout + said.stderr


def test_a_preview_writes_nothing(configs, tmp_path):
    new = tmp_path / "adopted"
    code, text = run(configs, "--learn", new)
    assert code == 0, text
    assert "352 of 352 facts are reproduced by the plan (100 %)" in text
    assert "nothing is written; with --write: fabric.yml, asbuilt.csv, cables.csv" in text
    assert not new.exists()


def test_what_is_written_opens_and_is_never_written_over(configs, tmp_path):
    new = tmp_path / "adopted"
    assert run(configs, "--learn", new, "--write")[0] == 0
    plan, lab = open_site(new), open_site("lab")
    assert (plan.site, set(plan.switch)) == ("adopted", set(lab.switch))
    before = {path.name: path.read_bytes() for path in new.iterdir()}
    code, text = run(configs, "--learn", new, "--write")
    assert code == 2
    assert "a site is never overwritten" in text
    assert before == {path.name: path.read_bytes() for path in new.iterdir()}
    assert railbed("check", "--site", str(new)).returncode == 0


def test_json_has_all_of_it(configs, tmp_path):
    leaf = configs / "leaf-p1-r0/etc/frr/frr.conf"
    leaf.write_text(leaf.read_text().replace("4200000100", "4200009999", 1))
    code, text = run(configs, "--learn", tmp_path / "new", "--json")
    told = json.loads(text)
    assert code == told["exit_code"]
    assert told["written"] == []
    assert {one["path"] for one in told["guesses"]} >= {"compute.asn.leaves", "compute: maxima"}
    assert any(one["against"] for one in told["guesses"])
    measured = told["measured"]
    missed = sum(one["facts"] for one in measured["not_reproduced"])
    assert measured["facts"] - measured["reproduced"] == missed


def test_lists_of_cables_are_hints_and_are_held_against_configurations(configs, tmp_path):
    cables = [one for one in open_site("lab").cables if one.plane != "oob"]
    sheet = tmp_path / "cables.csv"
    rows = [f"{one.a.device},{one.a.port},{one.b.device},{one.b.port}" for one in cables]
    sheet.write_text("\n".join(["a_device,a_port,b_device,b_port", *rows]) + "\n")
    assert run(configs, "--cables", sheet)[0] == 0
    up = [at for at, one in enumerate(cables) if "spine" in one.b.device][:2]
    swapped = [row.rsplit(",", 2) for row in rows]
    first, second = up
    swapped[first][1:], swapped[second][1:] = swapped[second][1:], swapped[first][1:]
    sheet.write_text("a_device,a_port,b_device,b_port\n" + "\n".join(map(",".join, swapped)) + "\n")
    code, text = run(configs, "--cables", sheet)
    assert code == 1
    assert "cable-sheet" in text
    sheet.write_text("colour\nred\n")
    code, text = run(configs, "--cables", sheet)
    assert (code, "expected columns of both ends" in text) == (3, True)
    assert run(configs, "--cables", tmp_path / "nowhere.csv")[0] == 2


def test_nothing_to_learn_from_is_said(tmp_path):
    (tmp_path / "x.cfg").write_text("hello\n")
    code, text = run(tmp_path / "x.cfg", "--learn", tmp_path / "new")
    assert code == 3
    assert "no configuration has BGP" in text
    assert "no system that is known here" in text
