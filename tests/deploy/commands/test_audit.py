"""`railbed audit`: files and folders of anybody, without an inventory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.errors import RailbedError
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
    assert text.startswith("read: 3 switches (1 cumulus, 1 eos, 1 sonic); 2 links\n")
    assert text.endswith("nothing is wrong that these rules know\n")


def test_a_word_that_hurts_is_told_first_with_its_place_and_its_fix(folder):
    path = folder / "spine2/etc/sonic/config_db.json"
    path.write_text(path.read_text().replace('"26": "3"', '"26": "0"'))
    code, text = run(folder)
    assert code == 1
    critical = text[text.index("critical pfc-without-class, 16 places: ") :]
    assert "why: " in critical
    assert re.search("fix: .*DSCP", critical)
    assert "spine2/etc/sonic/config_db.json:" in critical
    code, text = run(folder, "--json")
    told = json.loads(text)
    assert (code, told["exit_code"], len(told["links"])) == (1, 1, 2)
    assert {one["rule"] for one in told["findings"]} >= {"pfc-without-class", "dscp-ends"}


def test_one_file_and_one_switch_s_folder_are_taken_too(folder):
    assert run(folder / "storage-leaf-b1-1.cfg")[0] == 0
    code, text = run(folder / "spine2")
    assert (code, text.partition(" (")[0]) == (0, "read: 1 switch")


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


@pytest.fixture
def broken(folder: Path) -> Path:
    path = folder / "spine2/etc/sonic/config_db.json"
    path.write_text(path.read_text().replace('"26": "3"', '"26": "0"'))
    return folder


def test_every_form_is_written_and_the_screen_stays(broken, tmp_path):
    names = [tmp_path / f"found.{ending}" for ending in ("html", "md", "json", "sarif")]
    words = [word for name in names for word in ("--out", name)]
    code, text = run(broken, *words)
    assert code == 1
    assert "critical pfc-without-class" in text
    page, comment, told, scanned = (name.read_text() for name in names)
    assert page.startswith("<!doctype html>")
    assert comment.startswith("# ✗ Audit: ")
    assert json.loads(told) == json.loads(run(broken, "--json")[1])
    assert json.loads(scanned)["runs"][0]["results"]
    assert json.loads(run(broken, "--sarif")[1]) == json.loads(scanned)


def test_a_baseline_is_an_earlier_json(broken, tmp_path):
    known = tmp_path / "known.json"
    run(broken, "--out", known)
    code, text = run(broken, "--baseline", known)
    assert (code, "nothing new is wrong" in text) == (0, True)
    config = broken / "spine2/etc/sonic/config_db.json"
    config.write_text("\n\n" + config.read_text())  # lines move
    assert run(broken, "--baseline", known)[0] == 0
    config.write_text(config.read_text().replace('"26": "0"', '"26": "3"'))
    assert (
        "mended: pfc-without-class, 16 places: spine2:Ethernet0,"
        in run(broken, "--baseline", known)[1]
    )


def test_what_is_answered_for_lies_where_the_command_runs_and_not_in_what_is_audited(
    broken, tmp_path, monkeypatch
):
    entries = "".join(
        f"  - {{rule: {rule}, subject: '*', reason: CHG-1, until: 2999-12-31}}\n"
        for rule in {one["rule"] for one in json.loads(run(broken, "--json")[1])["findings"]}
    )
    (broken / ".railbed-audit.yml").write_text(f"suppress:\n{entries}")
    assert run(broken)[0] == 1
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / ".railbed-audit.yml").write_text(f"suppress:\n{entries}")
    code, text = run(broken)
    assert code == 0
    assert "until 2999-12-31: CHG-1" in text
    assert run(broken, "--suppress", "/dev/null")[0] == 1


def test_how_severe_a_finding_must_be(broken):
    assert run(broken, "--fail-on", "critical")[0] == 1
    assert run(broken, "--fail-on", "huge")[0] == 2


def test_rules_are_listed_and_explained():
    code, text = run("--rules")
    assert code == 0
    assert "mtu-ends" in text
    assert {"rule", "severity", "says"} == set(json.loads(run("--rules", "--json")[1])[0])
    code, text = run("--explain", "mtu-ends")
    assert code == 0
    for word in ("critical mtu-ends", "why: ", "example: ", "fix: ", "sonic", "linux_frr"):
        assert word in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "found no PATH"),
        (["--explain", "mtu-end"], "did you mean 'mtu-ends'?"),
        ([".", "--json", "--sarif"], "found both"),
        ([".", "--write"], "found no --learn"),
        ([".", "--out", "x.pdf"], "found the ending '.pdf'"),
        ([".", "--suppress", "none.yml"], "none.yml: cannot be read"),
        ([".", "--baseline", "none.json"], "none.json: cannot be read"),
    ],
)
def test_bad_usage_is_a_sentence_and_exit_2(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = CliRunner().invoke(app, ["audit", *words]).exception
    assert isinstance(error, RailbedError)
    assert said in error.told()
    assert error.exit_code == 2


def test_standard_input_and_what_is_left_out_is_told_beside_the_answer(folder, tmp_path):
    text = (folder / "storage-leaf-b1-1.cfg").read_bytes()
    done = CliRunner().invoke(app, ["audit", "-"], input=text)
    assert (done.exit_code, done.stdout.partition(" (")[0]) == (0, "read: 1 switch")
    (folder / "ports.csv").write_text("a,b\n")
    (folder / "storage-leaf-b1-1-2024-01-01.cfg").write_bytes(text)
    done = CliRunner().invoke(app, ["audit", "--json", str(folder)])
    assert (done.exit_code, json.loads(done.stdout)["not_read"]) == (0, [])
    done = CliRunner().invoke(app, ["audit", str(folder)])
    assert "1 files are no configurations by their names: 1 .csv" in done.stderr
    assert "1 older backups of 1 devices are not judged" in done.stderr
