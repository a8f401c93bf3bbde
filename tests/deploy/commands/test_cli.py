"""The command line: exit codes, JSON alone on stdout, and never a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inventory import open_site
from tests import broken
from tests.deploy.command_line import railbed

ROOT = Path(__file__).parents[3]


def test_check_says_all_problems_with_their_places_and_exits_2(tmp_path):
    said = railbed("check", "--site", str(broken.site("a_list", tmp_path)))
    assert said.returncode == 2
    assert said.stdout == ""
    assert "fabric.yml:" in said.stderr or "asbuilt.csv:" in said.stderr


def test_check_as_json_is_json_alone(tmp_path):
    good = railbed("check", "--json")
    assert good.returncode == 0
    assert json.loads(good.stdout)["ok"] is True
    assert good.stderr == ""
    bad = railbed("check", "--json", "--site", str(broken.site("a_list", tmp_path)))
    assert bad.returncode == 2
    assert json.loads(bad.stdout)["problems"]


def test_a_process_of_its_own_says_the_same():
    """The door itself: `python -m deploy`, as the launcher calls it."""
    argv = [sys.executable, "-P", "-m", "deploy", "check", "--json"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120)
    inside = railbed("check", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (0, inside.stdout, "")


def test_no_verb_waits_for_what_another_one_needs():
    """What works and answers is imported by the verb that needs it, not whenever one is typed."""
    argv = [sys.executable, "-P", "-c", "import sys, deploy.commands.main; print(*sys.modules)"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    late = {f"deploy.{one}" for one in ("loads", "report", "rollout", "servers", "show.verdicts")}
    late |= {"ansible", "jinja2", "netmiko", "pyinfra"}
    assert not late & {*done.stdout.split()}


def test_plan_as_json_holds_every_device():
    # A lab that is up has a key of its own, and so another plan.
    told = json.loads(railbed("plan", "--json", "--lab", "nosuchlab").stdout)
    plan = open_site("lab")
    assert [one["name"] for one in told["switches"]] == [one.name for one in plan.switches]
    assert told["digest"] == plan.digest


def test_render_writes_whole_folders_and_refuses_to_overwrite(tmp_path):
    out = tmp_path / "out"
    assert railbed("render", "--out", str(out)).returncode == 0
    written = {path.parts[len(out.parts)] for path in out.rglob("frr.conf")}
    assert written == set(open_site("lab").switch)
    again = railbed("render", "--out", str(out))
    assert again.returncode == 2
    assert "exists already" in again.stderr


BAD_USES = [
    ("check", "--site", "nosuchsite"),
    ("plan", "--device", "nosuchdevice"),
    ("render", "--device", "oob1"),
    ("apply", "--lab", "notup"),
    ("apply", "--lab", "notup", "--only", "everything"),
    ("diff", "--lab", "notup"),
    ("validate", "--lab", "notup"),
    ("validate", "--from-evidence", "/nonexistent"),
    ("report", "--lab", "notup"),
    ("lab", "up", "--wiring", "/nonexistent"),
    ("lab", "up", "--name", "Bad-Name"),
    ("lab", "shell", "leaf-p1-r0", "--name", "notup"),
    ("nosuchverb",),
]


@pytest.mark.parametrize("arguments", BAD_USES, ids=" ".join)
def test_bad_use_is_a_sentence_and_exit_2(arguments):
    said = railbed(*arguments)
    assert said.returncode == 2, said.stderr
    assert "Traceback" not in said.stderr + said.stdout
    assert said.stderr.strip()
    assert not (ROOT / ".railbed/labs/notup").exists()


def test_judging_an_empty_folder_is_inconclusive_never_a_pass(tmp_path):
    said = railbed("validate", "--from-evidence", str(tmp_path), "--lab", "offline", "--json")
    shutil.rmtree(ROOT / ".railbed/labs/offline")
    assert said.returncode == 3, said.stderr
    assert json.loads(said.stdout)["verdict"] == "inconclusive"
