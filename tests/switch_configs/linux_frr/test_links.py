"""What a push does so that a unit starts, or does not, at the next start: links, and no more."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from switch_configs.linux_frr import push

SCRIPT = Path(push.__file__).parent / "device" / "switch-push"
FAKE = '#!/bin/sh\necho "SYSV=${SYSTEMCTL_SKIP_SYSV:-} $*"\n'


@pytest.mark.parametrize("verb", ["enable", "disable"])
def test_systemd_reads_nothing_again_and_sysv_is_not_asked(tmp_path: Path, verb):
    """Each took a second of a switch for each unit; neither changes what the next start does."""
    fake = tmp_path / "systemctl"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    [function] = re.findall(r"^links\(\) .*$", SCRIPT.read_text(), re.MULTILINE)
    done = subprocess.run(
        ["sh", "-c", f"{function}\nlinks {verb} frr.service"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"SYSV=1 --quiet --no-reload {verb} frr.service\n"


def test_no_unit_is_enabled_in_another_way():
    lines = [one for one in SCRIPT.read_text().splitlines() if re.search(r"(en|dis)able\b", one)]
    others = [one for one in lines if "systemctl" in one and "links " not in one]
    assert [one.strip() for one in others if not re.search(r"is-enabled|^links\(\)", one)] == []


def test_a_wait_for_routing_looks_ten_times_a_second():
    [body] = re.findall(
        r"^wait_for_frr\(\) \{\n(.*?)^\}", SCRIPT.read_text(), re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"sleep ([0-9.]+)", body) == ["0.1"]
