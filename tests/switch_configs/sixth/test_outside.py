"""A sixth switch system from a package outside the tree: all of railbed takes it as it is.

The package is laid into a folder as an installer would, and its commands run as people run them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
import yaml

from inventory.load.site import PROFILES, SITES
from tests.shipped import loaded
from tests.tree import PACKAGES, ROOT, files

HERE = Path(__file__).parent
NAME, LEAF, FILE = "vyos_like", "leaf-p1-r0", "config/config.commands"
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1\n"
# Announced by what is left of another package: it stops nobody.
GONE = "[railbed.switch_systems]\ngone = gone.long_since\n"

DRILLS = 3  # an uplink off, one silent, a spine drained

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages."""
    folder = tmp_path_factory.mktemp("lib")
    copytree(HERE / NAME, folder / NAME, ignore=ignore_patterns("__pycache__"))
    for name, said in ((NAME, (HERE / "entry_points.txt").read_text()), ("gone", GONE)):
        info = folder / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(METADATA.format(name))
        (info / "entry_points.txt").write_text(said)
    return folder


@pytest.fixture(scope="module")
def run(lib: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python with that folder on its path."""
    state = tmp_path_factory.mktemp("state")

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", *map(str, words)],
            cwd=lib,
            env={
                "PYTHONPATH": f"{ROOT}:{lib}",
                "PATH": "/usr/bin:/bin",
                "XDG_STATE_HOME": str(state),
                "COLUMNS": "200",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
        )

    return run


def site(folder: Path, like: str, profile: str, changes: dict[str, Any]) -> Path:
    """A shipped site, its data switches under the sixth system; cables as planned."""
    box = loaded(PROFILES / "switches.yml")[profile] | changes
    row = {key: box.get(key) for key in ("dialect", "release", "asic")} | {"source": "a test"}
    text = (SITES / like / "fabric.yml").read_text()
    texts = {
        "fabric.yml": text.replace(profile, "vy-box").replace(f"site: {like}", "site: sixth"),
        "asbuilt.csv": (SITES / like / "asbuilt.csv").read_text(),
        "profiles/switches.yml": yaml.safe_dump({"vy-box": box}),
        "versions/compat.yml": yaml.safe_dump({"switch_os": [row]}),
    }
    for name, one in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(one)
    return folder


SYSTEM = {"dialect": NAME, "release": "1.4.0"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab's fabric."""
    return site(tmp_path_factory.mktemp("sites") / "sixth", "lab", "lab-switch", SYSTEM)


@pytest.fixture(scope="module")
def found(run: Run, small: Path) -> dict[str, Any]:
    """What `outside.py` says; the healthy evidence lies in `small`'s neighbour."""
    done = run(HERE / "outside.py", small, small.parent / "evidence")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_no_line_of_the_product_knows_it():
    """Only a README may point to it."""
    ours = [path for path in files() if path.parts[0] in PACKAGES and path.suffix != ".md"]
    assert not [path for path in ours if NAME.encode() in (ROOT / path).read_bytes()]


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
def test_what_it_cannot_is_refused_by_name_with_its_reason(run, tmp_path):
    marks = SYSTEM | {"lossless": "marking-only"}
    asks = site(tmp_path / "sixth", "superpod-10k", "sn5600-cumulus", marks)
    done = run("-m", "deploy", "check", "--site", asks)
    said = done.stdout + done.stderr
    assert done.returncode == 2
    for feature, why in (
        ("bonds over two leaves", "the example shares no bond between two switches"),
        ("TACACS+", "the example logs nobody in over the network"),
    ):
        assert f"expected no {feature} on {NAME} 1.4.0 (vy-box); {why}" in said
    assert "lossless.mode: found `full`" in said


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
def test_configurations_are_rendered_proved_and_compared(run, small, tmp_path):
    made = tmp_path / "made"
    done = run("-m", "deploy", "render", "--site", small, "--out", made)
    assert done.returncode == 0, done.stderr
    assert "proved, syntax and meaning: 6 switches" in done.stderr
    text = (made / LEAF / FILE).read_text()
    assert "set interfaces ethernet swp1 mtu '9216'\n" in text
    changed = text.replace("swp1 mtu '9216'", "swp1 mtu '1500'").replace(
        "set protocols bgp neighbor swp5 bfd multiplier '3'\n", ""
    )
    (made / LEAF / FILE).write_text(f"{changed}set interfaces ethernet swp2 speed '100'\n")
    done = run("-m", "deploy", "diff", "--site", small, made)
    assert done.returncode == 1
    said = [line.strip() for line in done.stdout.splitlines()]
    assert [one for one in said if one.startswith(("+ ", "- "))] == [
        "- set interfaces ethernet swp1 mtu '1500'",
        "- set interfaces ethernet swp2 speed '100'",
        "+ set interfaces ethernet swp1 mtu '9216'",
        "+ set protocols bgp neighbor swp5 bfd multiplier '3'",
    ]
    assert said[-1] == "1 of 6 compared switches differ: 3 runtime, 1 link flap"


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
def test_apply_says_that_it_is_not_pushed(run, small):
    done = run("-m", "deploy", "apply", "--site", small)
    assert done.returncode == 2
    assert f"cannot push to switches of the dialects {NAME} ({LEAF}" in done.stderr
    assert "`./railbed render --site" in done.stderr


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
def test_drills_of_it_are_refused_and_no_others(run, small):
    done = run("-m", "deploy", "drill", "--site", small)
    assert done.returncode == 3, done.stderr
    said = done.stdout + done.stderr
    assert said.count(f"nobody has tried to do this on switches of dialect {NAME}") == DRILLS


def test_its_text_is_proved_offline(found):
    texts = found["texts"]
    assert texts["languages"]
    assert texts["taken"]
    assert texts["refused"] == [
        "set interfaces ethernet swp1 mtv '9216': no such command",
        "set protocols bgp neighbor swp5 export 'gone': no line makes this policy",
    ]
    assert texts["equal"]
    assert texts["changed"] == ["ports swp1 ip_mtu_bytes: found 1500, the plan says 9216"]
    assert texts["unread"] == ["other: set service * on"]


def test_what_runs_is_read_and_two_renderings_are_compared(found):
    texts = found["texts"]
    assert texts["running"]
    assert texts["nothing to push"]
    line = "set policy route-map up-out add-mark '65535:0'"
    assert texts["drained"] == [f"{line} | runtime | + {line}"]
    assert texts["back"] == [
        "- set interfaces ethernet swp1 mtu '1500'",
        "+ set interfaces ethernet swp1 mtu '9216'",
    ]


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
@pytest.mark.usefixtures("found")
def test_saved_evidence_is_judged(run, small):
    evidence = small.parent / "evidence"
    words = ("--through", 40, "--from-evidence", evidence, "--json")
    done = run("-m", "deploy", "validate", "--site", small, *words)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    asked = {one["check"] for one in told["findings"] if one["device"] == LEAF}
    assert asked == {"answers", "up", "lldp", "bgp", "route", "routes", "running", "mtu"}


def test_healthy_evidence_passes(found):
    assert found["verdicts"]["healthy"] == []


@pytest.mark.instances(keep=3, of="what railbed does with a system from outside")
@pytest.mark.parametrize(
    ("case", "check", "suspect", "words"),
    [
        ("address", "answers", f"port {LEAF}:eth0", f"{LEAF}:eth0 has 10.88.0.99/24"),
        ("port", "up", f"port {LEAF}:swp5", f"{LEAF}:swp5 is down"),
        (
            "session",
            "bgp",
            f"BGP over {LEAF}:swp5 -- spine1:swp1",
            f"the session at {LEAF}:swp5 is Idle",
        ),
        (
            "hardware",
            "route",
            f"hardware routes of {LEAF}",
            "10.16.32.0/19: the example's routing has swp5, swp6, its hardware swp5",
        ),
        (
            "configuration",
            "running",
            f"device {LEAF}",
            "sessions swp5 keepalive_s: found 30, the plan says 3",
        ),
        (
            "mtu",
            "mtu",
            f"port {LEAF}:swp5",
            f"{LEAF}:swp5 has IP MTU 1500: the hosts' packets do not pass",
        ),
    ],
)
def test_one_wrong_answer_fails_with_its_suspect(found, case, check, suspect, words):
    assert found["verdicts"][case] == [["FAIL", check, suspect, words]]


def test_an_answer_that_is_cut_is_no_answer(found):
    verdicts = found["verdicts"]["cut"]
    assert {(one[0], one[1], one[2]) for one in verdicts} == {
        ("INCONCLUSIVE", "lldp", f"device {LEAF}")
    }
