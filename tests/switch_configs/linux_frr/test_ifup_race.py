"""What ifup says of a race of its own threads is not taken for a word on the file."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tree import ROOT

RACE = "error: recv() error: [Errno 22] Invalid argument"
SWITCH_PUSH = ROOT / "switch_configs/linux_frr/device/switch-push"
# A check as syntax_check.sh makes it, and the function of switch-push with nothing around it.
OFFLINE = f'sh {ROOT}/deploy/switches/syntax_check.sh "$PLACE"'
ON_SWITCH = f"""
    CANDIDATE=$PLACE IFUPDOWN2=$PLACE/ifupdown2.conf
    say() {{ printf '%s\\n' "$1"; }}
    unshare() {{ ifup; }}
    eval "$(sed -n '/^check_interfaces()/,/^}}/p' {SWITCH_PUSH})"
    check_interfaces && echo checked
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A folder with an interfaces file, and an ifup that says a line of `said` at each call."""
    place = tmp_path / "place"
    (place / "leaf1/etc/network").mkdir(parents=True)
    (place / "leaf1/etc/network/interfaces").write_text("auto lo\niface lo\n")
    (place / "ifupdown2.conf").touch()
    tool = tmp_path / "bin/ifup"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nsed -n 1p {tmp_path}/said\nsed -i 1d {tmp_path}/said\n")
    tool.chmod(0o755)
    for name in ("ifreload", "sleep"):
        shutil.copy("/bin/true", tool.parent / name)
    return tmp_path


def asked(place: Path, check: str, said: list[str]) -> list[str]:
    (place / "said").write_text("".join(f"{line}\n" for line in said))
    env = {"PATH": f"{place}/bin:{os.environ['PATH']}", "PLACE": str(place / "place")}
    done = subprocess.run(["sh", "-c", check], env=env, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("check", [OFFLINE, ON_SWITCH])
def test_it_is_asked_again_until_the_race_is_won(answers, check):
    assert asked(answers, check, [RACE] * 5 + [""]) == ["checked"]


@pytest.mark.parametrize("check", [OFFLINE, ON_SWITCH])
def test_a_race_without_end_is_no_pass(answers, check):
    [line, *_] = asked(answers, check, [RACE] * 99)
    assert RACE in line


@pytest.mark.parametrize("check", [OFFLINE, ON_SWITCH])
def test_a_word_on_the_file_after_a_race_counts(answers, check):
    [line, *_] = asked(answers, check, [RACE, "error: line 2: unknown keyword"])
    assert "unknown keyword" in line
