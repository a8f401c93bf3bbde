#!/usr/bin/python3 -IS
"""tc(8) on a kernel without flower, skbedit, ets and red: keeps which DSCP has which priority.

It takes the lines of a batch that sort by DSCP, and knows what came before: a filter needs its
clsact, a band its ets. Each change is in the log with its time (ns since 1970), as that kernel
would make it: a filter at a time. All else is the real tc's. In another network namespace than
the machine's own nothing is kept. No packet is touched.

SOURCE: tc(8), tc-flower(8), tc-ets(8); what is printed: iproute2 6.1 tc/tc_filter.c (print_filter),
tc/f_flower.c, tc/tc_qdisc.c (print_qdisc); refusals: Linux 6.1 net/sched/sch_api.c and cls_api.c.
"""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
PLACE = Path("/run/standin-tc")
STATE, LOG = PLACE / "state.json", PLACE / "log"
REAL = "/usr/sbin/tc"
FILTER = re.compile(
    r"filter replace dev (\S+) ingress pref (\d+) handle 1 protocol (ip|ipv6) flower "
    r"ip_tos (0x[0-9a-f]{2})/0xfc action skbedit priority (\d+)"
)
# By name: {"filters": {pref: [protocol, DSCP, priority]}, "ets": whether}.
Ports = dict[str, dict[str, Any]]


def is_own() -> bool:
    own, first = (Path(f"/proc/{one}/ns/net").readlink() for one in ("self", 1))
    return own == first


class Refused(Exception):
    """What the real one says on standard error, and ends with 2."""


def change(ports: Ports, line: str) -> str | None:
    """Carry out a line; the port that sorts otherwise now, or "". None where it is none of ours."""
    if found := FILTER.fullmatch(line):
        port, pref, protocol, tos, priority = found.groups()
        if port not in ports:
            raise Refused(
                "Error: Parent Qdisc doesn't exists.\nWe have an error talking to the kernel"
            )
        ports[port]["filters"][pref] = [protocol, int(tos, 16) >> 2, int(priority)]
        return port
    words = line.split()
    match words:
        case ["qdisc", "replace", "dev", port, "clsact"]:
            ports.setdefault(port, {"filters": {}, "ets": False})
        case ["qdisc", "replace", "dev", port, "root", "handle", "1:", "ets", *_]:
            ports[port]["ets"] = True
            return ""
        case ["qdisc", "replace", "dev", port, "parent", _, "handle", _, "tbf" | "red", *_]:
            if not ports.get(port, {}).get("ets"):
                raise Refused("Error: Failed to find specified qdisc.")
            return ""
        case ["qdisc", "del", "dev", port, "clsact"]:
            if ports.pop(port, None) is None:
                raise Refused("Error: Cannot find specified qdisc on specified device.")
        case ["qdisc", "del", "dev", port, "root"]:
            if not ports.get(port, {}).get("ets"):
                raise Refused("Error: Cannot delete qdisc with handle of zero.")
            ports[port]["ets"] = False
            return ""
        case ["filter", "del", "dev", port, "ingress", "pref", pref]:
            if ports.get(port, {}).get("filters", {}).pop(pref, None) is None:
                raise Refused("Error: Filter with specified priority/protocol not found.")
        case _:
            return None
    return port


def show(ports: Ports, words: list[str]) -> bool:
    """Print what was asked of a port that is ours; False where it is not."""
    match words:
        case ["filter", "show", "dev", port, "ingress"] if port in ports:
            for pref, (protocol, dscp, _) in ports[port]["filters"].items():
                print(f"filter protocol {protocol} pref {pref} flower chain 0 ")
                print(f"filter protocol {protocol} pref {pref} flower chain 0 handle 0x1 ")
                print(f"  ip_tos {dscp << 2:#x}/0xfc ")
        case ["qdisc", "show", "dev", port] if port in ports:
            if ports[port]["ets"]:
                print("qdisc ets 1: root refcnt 2 bands 3 strict 1")
            print("qdisc clsact ffff: parent ffff:fff1 ")
        case _:
            return False
    return True


def carry_out(ports: Ports, lines: list[str], note: Callable[[str], None]) -> int | None:
    """The exit status; None where the line is none of ours."""
    try:
        for line in lines:
            before = json.dumps(ports)
            port = change(ports, line)
            if port is None:
                return None
            if port and json.dumps(ports) != before:
                note(port)
    except Refused as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def ours(words: list[str]) -> int | None:
    """The exit status of what is ours; None of what is the real one's."""
    own = is_own()
    ports = json.loads(STATE.read_text()) if own and STATE.exists() else {}

    def note(port: str) -> None:
        filters = ports.get(port, {}).get("filters", {}).values()
        sorts = {dscp: priority for protocol, dscp, priority in filters if protocol == "ip"}
        if own:
            with LOG.open("a") as log:
                log.write(json.dumps([time.time_ns(), port, sorts]) + "\n")

    if show(ports, words):
        return 0
    lines = [" ".join(words)]
    if words[:1] == ["-batch"]:
        text = Path(words[1]).read_text()
        lines = [one for one in text.splitlines() if one.strip() and not one.startswith("#")]
    status = carry_out(ports, lines, note)
    if own and status is not None:
        STATE.write_text(json.dumps(ports))
    return status


def main(words: list[str]) -> int:
    PLACE.mkdir(exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status = ours(words)
    return subprocess.call([REAL, *words]) if status is None else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
