"""`railbed audit`: files and folders of anybody, without an inventory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from inventory import open_site
from switch_configs import render


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three switches: two as `render` writes them, one as a lone file."""
    plan, out = open_site("pod-256"), tmp_path / "configs"
    for name in ("leaf-p1-r0", "spine2", "storage-leaf-b1-1"):
        for file in render(plan, name).files:
            lone = name.startswith("storage")
            path = out / f"{name}.cfg" if lone else out / name / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
    return out


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["audit", *map(str, words)])
    return done.exit_code, done.stdout


def test_a_folder_of_good_ones_is_a_pass(folder):
    code, text = run(folder)
    assert code == 0, text
    assert text.startswith("3 switches (1 cumulus, 1 eos, 1 sonic), ")
    assert text.endswith("nothing is wrong that these rules know\n")


def test_a_word_that_hurts_is_told_first_with_its_place_and_its_fix(folder):
    path = folder / "spine2/etc/sonic/config_db.json"
    path.write_text(path.read_text().replace('"26": "3"', '"26": "0"'))
    code, text = run(folder)
    assert code == 1
    critical = text[text.index("critical pfc-without-class") :]
    assert "why: " in critical
    assert "fix: map RoCE's DSCP to it" in critical
    assert "spine2/etc/sonic/config_db.json:" in critical
    code, text = run(folder, "--json")
    told = json.loads(text)
    assert (code, told["exit_code"], told["links"]) == (1, 1, 2)
    assert {one["rule"] for one in told["problems"]} >= {"pfc-without-class", "dscp-ends"}


def test_one_file_and_one_switch_s_folder_are_taken_too(folder):
    assert run(folder / "storage-leaf-b1-1.cfg")[0] == 0
    code, text = run(folder / "spine2")
    assert (code, text.partition(" (")[0]) == (0, "1 switches")


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("notes.txt", b"words of a person\n", "no system that is known here"),
        ("image.bin", b"\x00\x01\x02", "binary data"),
        ("latin.cfg", b"hostname caf\xe9\n", "no text in UTF-8"),
    ],
)
def test_what_is_no_configuration_is_named_and_no_pass(folder, name, data, why):
    (folder / name).write_bytes(data)
    code, text = run(folder)
    assert code == 3
    assert f"{name}: {why}" in text


def test_links_lead_nowhere_and_a_missing_path_is_a_sentence(folder, tmp_path):
    (folder / "away").symlink_to("/etc")
    assert run(folder)[0] == 0
    assert run(tmp_path / "nothing")[0] != 0
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(empty)[0] == 3


def test_standard_input_and_what_is_left_out_is_told_beside_the_answer(folder, tmp_path):
    text = (folder / "storage-leaf-b1-1.cfg").read_bytes()
    done = CliRunner().invoke(app, ["audit", "-"], input=text)
    assert (done.exit_code, done.stdout.partition(" (")[0]) == (0, "1 switches")
    (folder / "ports.csv").write_text("a,b\n")
    (folder / "storage-leaf-b1-1-2024-01-01.cfg").write_bytes(text)
    done = CliRunner().invoke(app, ["audit", "--json", str(folder)])
    assert (done.exit_code, json.loads(done.stdout)["not_read"]) == (0, [])
    done = CliRunner().invoke(app, ["audit", str(folder)])
    assert "1 files are no configurations by their names: 1 .csv" in done.stderr
    assert "1 older backups of 1 devices are not judged" in done.stderr
