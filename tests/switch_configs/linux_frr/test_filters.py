"""How the device's half of a push loads other filters, by the lines of tc(8) that it calls.

`test_kernel.py` says what packets find under Debian's own kernel; here the kernel is a shell script
that shows queues on every port, and the filters that a test says (iproute2 6.1, tc/tc_filter.c).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from switch_configs import render
from tests.switch_configs.sites import small
from tests.tree import ROOT

QUEUES = "/etc/railbed/queues.tc"
SWITCH_PUSH = ROOT / "switch_configs/linux_frr/device/switch-push"
TC = """#!/bin/sh
case $* in
"qdisc show dev "*) printf 'qdisc ets 1: root refcnt 2\\nqdisc clsact ffff: parent ffff:fff1\\n' ;;
"filter show dev "*) cat "$PLACE/filters" ;;
-batch*) sed 's/^/batch /' "$2" >> "$PLACE/did" ;;
*) echo "$*" >> "$PLACE/did" ;;
esac
"""
LOADS = f"""
    eval "$(sed -n '/^A_FILTER=/p;/^filled()/p;/^load_queues()/,/^apply_queues_unit()/p' \\
        {SWITCH_PUSH} | sed "/^apply_queues_unit/d;s,/run/railbed-filters,$PLACE/batch,g")"
    load_queues "$CANDIDATE$QUEUES"
"""


def rendered() -> str:
    return next(
        one.text for one in render(small("linux_frr"), "leaf-p1-r0").files if one.path == QUEUES
    )


def numbered_anew(text: str) -> str:
    """As it was numbered once: from 1 on, port by port."""
    made, number = [], 0
    for line in text.splitlines():
        words = line.split()
        number = 0 if words[-1:] == ["clsact"] else number
        if words[:1] == ["filter"]:
            number += 1
            words[words.index("pref") + 1] = str(number)
        made.append(" ".join(words))
    return "\n".join([*made, ""])


def did(place: Path, old: str, new: str, runs: list[int]) -> list[str]:
    """The lines of tc that bring the new file over the old one, where these filters run."""
    for name, text in (("old", old), (f"candidate{place}/old", new), ("bin/tc", TC)):
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (place / "bin/tc").chmod(0o755)
    shown = (f"filter protocol ip pref {one} flower chain 0 \n" for one in runs)
    (place / "filters").write_text("".join(shown))
    env = {
        "PATH": f"{place}/bin:{os.environ['PATH']}", "PLACE": str(place),
        "QUEUES": f"{place}/old", "CANDIDATE": f"{place}/candidate",
    }  # fmt: skip
    done = subprocess.run(["sh", "-c", LOADS], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return (place / "did").read_text().splitlines()


def test_filters_of_the_numbers_of_an_earlier_release_go_when_the_new_ones_are_there(tmp_path):
    new = rendered()
    said = did(tmp_path, numbered_anew(new), new, [1, 2, 3, 4, 53, 54, 97, 98])
    filters = [line for line in new.splitlines() if line.startswith("filter ")]
    ports = [line.split()[3] for line in new.splitlines() if line.endswith(" clsact")]
    assert len(filters) == 4 * len(ports) > 4
    assert said[: len(filters)] == [f"batch {line}" for line in filters]
    assert sorted(said[len(filters) :]) == sorted(
        f"filter del dev {port} ingress pref {pref}" for port in ports for pref in (1, 2, 3, 4)
    )


@pytest.mark.parametrize(
    "line",
    [
        "filter add dev swp1s0 ingress prio 900 protocol ip flower ip_proto tcp action drop",
        "filter add dev swp1s0 ingress protocol ip flower ip_proto tcp action drop",
        "filter replace dev swp1s0 ingress prio 9 protocol ip flower ip_tos 0x20/0xfc action drop",
    ],
)
def test_a_filter_that_the_site_wrote_stays(tmp_path, line):
    """Its number is said in words of its own, or by tc: it is loaded with the whole file."""
    new = f"{rendered()}{line}\n"
    said = did(tmp_path, new.replace("0x68/", "0x88/"), new, [53, 54, 97, 98, 900])
    assert said[-1] == f"batch {line}"
    assert "qdisc del dev swp1s0 clsact" in said
