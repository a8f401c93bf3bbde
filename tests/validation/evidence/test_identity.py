"""Who answers, on systems whose shell does not have the management port by its planned name."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from validation.evidence.identity import line

# As EOS (indented) and NX-OS (in one line) print them.
_EOS = """{
    "interfaces": {
        "Management1": {
            "name": "Management1",
            "physicalAddress": "28:99:3a:28:42:00",
            "burnedInAddress": "28:99:3a:28:42:ca",
            "mtu": 1500
        }
    }
}"""
_NXOS = (
    '{"TABLE_interface": {"ROW_interface": {"interface": "mgmt0", "state": "up", '
    '"eth_hw_addr": "5254.0014.d100", "eth_bia_addr": "5254.0014.d103", "eth_mtu": "1500"}}}'
)


def told(folder: Path, dialect: str, port: str, tool: str, text: str) -> list[str]:
    """What a device says whose command line answers this, and only this, question."""
    (folder / "text").write_text(f"{text}\n")
    asked = {"FastCli": "$4", "vsh": "$2"}[tool]
    show = {"FastCli": "show interfaces", "vsh": "show interface"}[tool]
    body = f'#!/bin/sh\n[ "{asked}" = "{show} {port} | json" ] && cat {folder}/text\n'
    (folder / tool).write_text(body)
    (folder / tool).chmod(0o755)
    path = f"/usr/bin:/bin:{folder}"
    shell = ["sh", "-c", line(port, dialect)]
    return subprocess.run(
        shell, env={"PATH": path}, capture_output=True, text=True, timeout=30
    ).stdout.splitlines()


@pytest.mark.parametrize(
    ("dialect", "port", "tool", "text", "mac"),
    [
        ("eos", "Management1", "FastCli", _EOS, "28:99:3a:28:42:ca"),
        ("nxos", "mgmt0", "vsh", _NXOS, "52:54:00:14:d1:03"),
    ],
)
def test_the_command_line_tells_the_burned_in_address(tmp_path, dialect, port, tool, text, mac):
    hostname, found, boot, clock = told(tmp_path, dialect, port, tool, text)
    assert (found, bool(hostname), len(boot)) == (mac, True, 36)
    assert abs(int(clock) - time.time()) < 60
    cut = told(tmp_path, dialect, port, tool, text[: text.index("d103") if tool == "vsh" else 150])
    assert len(cut) == 3


def test_others_are_known_by_their_kernel():
    assert line("eth0", "sonic") == line("eth0")
    assert "cat /sys/class/net/eth0/address" in line("eth0")
