"""What switches print of the bytes that their ports carried, by dialect, written by hand.

In the forms that `validation/counters` names as its sources, and by none of its code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from .roce_site import sectioned

Bytes = Mapping[str, tuple[int, int]]
BOOTED_AT = 1_763_800_000.25  # by the switch's clock
_IDLE = 5
"""Readings of an NX-OS switch in one trip."""


def clock(uptime_s: float) -> str:
    """/proc/uptime."""
    return f"{uptime_s:.2f} {4 * uptime_s:.2f}\n"


def linux(ports: Bytes, uptime_s: float) -> str:
    """sysfs, a line a port."""
    return sectioned({"bytes": _lines(ports), "clock": clock(uptime_s)})


def _lines(ports: Bytes) -> str:
    return "".join(f"{port} {rx} {tx}\n" for port, (rx, tx) in sorted(ports.items()))


def polled(
    ports: Bytes, uptime_s: float, every_ms: int = 1000, waited_s: float | None = None
) -> str:
    """The same, of counters that are refreshed every so often, read after a wait."""
    waited = every_ms / 500 if waited_s is None else waited_s
    refresh = f"{every_ms} {uptime_s - waited - 0.01:.2f} {uptime_s - 0.01:.2f}\n"
    return sectioned({"refresh": refresh, "bytes": _lines(ports), "clock": clock(uptime_s)})


def cumulus(ports: Bytes, uptime_s: float) -> str:
    """Cumulus Linux: every two seconds."""
    return polled(ports, uptime_s, 2000)


def eos(
    ports: Bytes, uptime_s: float, counted_s: float = -1.0, more: Mapping[str, str] | None = None
) -> str:
    """`show interfaces PORT | json`, a document a port, counted so long before the reading."""
    now = BOOTED_AT + uptime_s
    told = [interface(port, both, now + counted_s) for port, both in ports.items()]
    shown = "\n".join(told) + "\n"
    mine = {"since": version(uptime_s - 6), "bytes": shown, "until": version(uptime_s)}
    return sectioned({**mine, **(more or {})})


def version(uptime_s: float) -> str:
    """`show version | json`: a clock (form: aristanetworks/goeapi)."""
    told = {"version": "4.36.0F", "bootupTimestamp": BOOTED_AT, "uptime": uptime_s}
    return json.dumps(told, indent=4) + "\n"


def interface(port: str, both: tuple[int, int], counted: float) -> str:
    """`show interfaces PORT | json`."""
    counters = {
        "inOctets": both[0],
        "inUcastPkts": 3321,
        "inDiscards": 0,
        "outOctets": both[1],
        "outUcastPkts": 7029,
        "linkStatusChanges": 2,
        "counterRefreshTime": round(counted, 6),
    }
    rates = {"updateInterval": 300.0, "inBitsRate": 0.0, "outBitsRate": 0.0}
    told = {"name": port, "interfaceStatistics": rates, "interfaceCounters": counters, "lanes": 8}
    return json.dumps({"interfaces": {port: told}}, indent=4)


def nxos(ports: Bytes, uptime_s: float, changes: int = 4) -> str:
    """`show interface counters | json`, five times; what keeps sessions up is counted meanwhile.

    Counters are seen to change so many times, and then no more.
    """
    reads: dict[str, str] = {}
    for number in range(_IDLE):
        left = max(0, changes - number) * 90
        now = {port: (rx - left, tx - left) for port, (rx, tx) in ports.items()}
        reads[f"read:{number}"] = interface_counters(now)
    return sectioned({**reads, "until": kernel_uptime(uptime_s)})


def kernel_uptime(uptime_s: float) -> str:
    """`show system uptime | json` (form: microsoft/arc-switch, system-uptime)."""
    minutes, seconds = divmod(int(uptime_s), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    told = {"days": days, "hrs": hours, "mins": minutes, "secs": seconds}
    start = {"sys_st_time": "Fri Oct 17 13:50:28 2025"}
    return json.dumps(start | {f"kn_up_{unit}": str(one) for unit, one in told.items()}) + "\n"


def interface_counters(ports: Bytes) -> str:
    """`show interface counters | json`."""
    return json.dumps(_nxos(ports)) + "\n"


def _nxos(ports: Bytes) -> dict[str, object]:
    tables: dict[str, object] = {}
    for at, (way, letter) in enumerate((("in", "r"), ("out", "t"))):
        key = f"interface_{letter}x"
        rows: list[dict[str, object]] = [
            {key: "mgmt0", f"eth_{way}pkts": 266806619, f"eth_{way}ucast": 1344041}
        ]
        rows += [
            {key: port, f"eth_{way}bytes": str(both[at]), f"eth_{way}ucast": "73625"}
            for port, both in ports.items()
        ]
        rows += [
            {key: port, f"eth_{way}mcast": "2805707", f"eth_{way}bcast": "3"}
            for port in ("mgmt0", *ports)
        ]
        tables[f"TABLE_{letter}x_counters"] = {f"ROW_{letter}x_counters": rows}
    return tables


SAYS: Mapping[str, Callable[[Bytes, float], str]] = {
    "cumulus": cumulus,
    "eos": eos,
    "linux_frr": linux,
    "nxos": nxos,
    "sonic": polled,
}
