"""The page "from boxes to gate 10": at most ten commands; test_in_lab.py runs those after these."""

from __future__ import annotations

import shlex

from tests.deploy.command_line import railbed

from .page import COMMANDS, EXPORT, IMPORT, IN_LAB, INIT

MANIFEST = """\
S/N,Host,OOB,Node,Switch
SN1,oob1,02:00:5e:00:10:01,,
SN2,node-p1-01,,02:00:5e:00:10:02,
SN3,leaf-p1-r0,,,02:00:5e:00:10:03
"""


def test_the_road_has_ten_commands_at_most():
    assert 8 <= len(COMMANDS) <= 10
    assert all(line.startswith("./railbed ") for line in COMMANDS if line != EXPORT)
    assert [words[0] for words in IN_LAB].count("enroll") == 2


def test_its_first_commands_make_a_site_and_say_who_is_who(tmp_path, monkeypatch):
    """As printed, but for the folders."""
    words = [one.replace("~", str(tmp_path)) for one in shlex.split(INIT)]
    made = railbed(*words[1:])
    assert made.returncode == 0, made.stderr
    name, _, folder = EXPORT.removeprefix("export ").partition("=")
    monkeypatch.setenv(name, folder.replace("~", str(tmp_path)))
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "state"))
    (tmp_path / "manifest.csv").write_text(MANIFEST)
    words = shlex.split(IMPORT.replace("manifest.csv", str(tmp_path / "manifest.csv")))
    done = railbed(*words[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    built = (tmp_path / "ops/sites/hall-1/asbuilt.csv").read_text()
    assert "node-p1-01,eno3,02:00:5e:00:10:02,SN2" in built
    said = railbed("doctor")
    assert said.returncode in (1, 3)
    assert f"ssh-keygen -t ed25519 -N '' -C hall-1 -f {tmp_path}/state/id_ed25519" in said.stdout
