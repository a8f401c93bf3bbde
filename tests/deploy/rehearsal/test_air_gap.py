"""A site whose controller reaches no network is rehearsed from a folder that was carried there.

The controller, and the lab with it, is in a network namespace of its own: a question to a mirror
has no way out, whoever asks it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.deploy.command_line import railbed
from tests.labs import ROOT, lab_name
from tests.shipped import loaded

from .test_rehearse import SWITCHES, two_rails

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not shutil.which("unshare"), reason="needs util-linux"),
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
]


def debian_nodes(folder: Path) -> Path:
    """A site whose nodes run what the machines of a lab do, so that its packages are the twin's."""
    site = two_rails(folder, SWITCHES["eos"])
    profiles = loaded(site / "profiles/nodes.yml")
    profiles["two-rails"]["os"] = "debian-12"
    (site / "profiles/nodes.yml").write_text(yaml.safe_dump(profiles))
    return site


def test_nodes_install_what_was_carried_and_nothing_asks_outside(tmp_path, monkeypatch):
    site, folder = str(debian_nodes(tmp_path / "site")), str(tmp_path / "usb")
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "connected"))
    exported = railbed("packages", "export", folder, "--site", site)
    assert exported.returncode == 0, exported
    argv = ["unshare", "--net", "--", sys.executable, "-m", "tests.deploy.rehearsal.island"]
    argv += [site, str(tmp_path / "cache"), folder, exported.stdout.strip(), lab_name("tgap")]
    env = os.environ | {"RAILBED_STATE": str(tmp_path / "island")}
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["links"] == ["lo"]
    status, said = seen["before"]
    assert status == 1
    assert "where no mirror is reached:" in said
    assert "packages import FOLDER" in said
    packages = len([*(tmp_path / "usb/packages").iterdir()])
    assert seen["taken"] == (f"{packages} packages taken, 0 were there; all {packages} are whole\n")
    boots, first, again = seen["acts"]
    assert [boots[:2], first[:2], again[:2]] == [
        ["the twin boots", True],
        ["the whole rollout, from nothing", True],
        ["the rollout again", True],
    ]
    assert {"node-p1-1", "node-p1-2", "oob1"} <= set(first[3])
    assert again[3] == []
