"""Port counters of Cumulus Linux: bytes from the kernel, classes from NVUE.

switchd brings the bytes from the ASIC every so often (`stats.poll_interval` of
/etc/cumulus/switchd.conf, 2000 ms unless it is set; Cumulus Linux docs, switchd).

`nv show interface PORT counters qos` (NVUE reference, Show Commands, QoS; since 5.5.0) has
`ingress-buffer-stats` by priority group, `egress-queue-stats` by traffic class, `pfc-stats` by
switch priority, each keyed by its number; newer releases count `ecn-marked-frames` by class.
NVUE tells discards in bytes: more than none is what counts. The watchdog's `deadlock-count` is
under `nv show interface PORT qos pfc-watchdog status`, by traffic class (since 5.6.0); a port that
has no watchdog has no such answer, and its storms stay None. Pauses without a priority are none of
NVUE's: `ethtool -S PORT` has `HwIfInPausePkt`, `HwIfInPfc0Pkt` to 7, and the same of `Out` (Cumulus
Linux, ethtool Counter Definitions; NetQ, `netq show ethtool-stats`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inventory.reading.fields import Unreadable, document, mapping
from inventory.reading.numbers import Whole, count
from inventory.reading.sections import Section, needed
from switch_configs.answers.carried import Carried, settled
from switch_configs.answers.linux import counters as linux
from switch_configs.answers.linux.ethtool_stats import stats
from switch_configs.answers.linux.link_counters import LinkCounters, links
from switch_configs.answers.port_counters import PRIORITIES, PortCounters, Ports

_COUNT = count("counter of a port")
_ROW = Whole("priority, class or group", "1", 0, PRIORITIES - 1)
_PAUSES = tuple(
    (f"HwIf{way}PausePkt", tuple(f"HwIf{way}Pfc{one}Pkt" for one in range(PRIORITIES)))
    for way in ("In", "Out")
)
_QOS, _WATCHDOG, _PAUSE = "qos:", "watchdog:", "pause:"


def carried(found: Mapping[str, Section]) -> Carried:
    """The bytes of the ports that were asked for, once switchd has brought them."""
    settled(needed(found, "refresh"))
    return linux.carried(found)


def ports(found: Mapping[str, Section]) -> Ports:
    """The ports that NVUE was asked of; all others with their bytes alone."""
    made = {
        name: PortCounters(name, one.rx_bytes, one.tx_bytes)
        for name, one in links(needed(found, "links")).items()
    }
    for name in sorted(found):
        if name.startswith(_QOS):
            port = name.removeprefix(_QOS)
            if port not in made:
                raise Unreadable(f"the kernel does not know {port}")
            kernel = made[port]
            bytes_ = LinkCounters(kernel.rx_bytes, kernel.tx_bytes, 0, 0)
            storms = _storms(found.get(f"{_WATCHDOG}{port}"), port)
            pauses = _global_pause(found.get(f"{_PAUSE}{port}"))
            told = _port(port, bytes_, needed(found, name))
            made[port] = replace(told, storms=storms, global_pause=pauses)
    return made


def _port(port: str, kernel: LinkCounters, text: str) -> PortCounters:
    told = mapping(document(text, "nv"), port)
    pfc, queues = _rows(told, "pfc-stats", port), _rows(told, "egress-queue-stats", port)
    groups = _rows(told, "ingress-buffer-stats", port)
    marked = _column(queues, "ecn-marked-frames")
    return PortCounters(
        port,
        kernel.rx_bytes,
        kernel.tx_bytes,
        ecn_marked=None if marked is None else sum(marked.values()),
        rx_pause=_column(pfc, "rx-pause-frames"),
        tx_pause=_column(pfc, "tx-pause-frames"),
        queue_drops=_column(queues, "tx-uc-buffer-discards"),
        group_drops=_column(groups, "rx-buffer-discards"),
    )


def _storms(told: Section | None, port: str) -> dict[int, int] | None:
    """How often queues were found stuck, by traffic class; None where no watchdog answers."""
    if told is None or told.status != 0:
        return None
    rows = mapping(document(told.text, "nv"), f"{port}: watchdog")
    if not rows or not all(key.isdecimal() for key in rows):
        return None
    return {
        _ROW.read(key): _number(mapping(row, port), "deadlock-count", port)
        for key, row in sorted(rows.items())
    }


def _global_pause(told: Section | None) -> int | None:
    """Pauses that no priority explains: NVIDIA's devices may count those with one among all.

    None where the driver counts no pauses at all; Unreadable where some of it is lost.
    """
    if told is None or told.status != 0:
        return None
    found = stats(told.text)
    if not any(every in found for every, _ in _PAUSES):
        return None
    lost = sorted(name for every, named in _PAUSES for name in (every, *named) if name not in found)
    if lost:
        raise Unreadable(f"ethtool -S does not tell {', '.join(lost)}")
    return sum(
        max(0, found[every] - sum(map(found.__getitem__, named))) for every, named in _PAUSES
    )


def _rows(told: dict[str, object], part: str, port: str) -> dict[int, dict[str, object]]:
    if part not in told:
        raise Unreadable(f"NVUE tells no {part} of {port}")
    rows = mapping(told[part], part)
    made = {_ROW.read(key): mapping(row, f"{part} {key}") for key, row in rows.items()}
    if set(made) != set(range(PRIORITIES)):
        raise Unreadable(f"NVUE tells {len(made)} of {PRIORITIES} rows of {part} of {port}")
    return made


def _column(rows: Mapping[int, Mapping[str, object]], name: str) -> dict[int, int] | None:
    """A counter by number; None where no row has it, Unreadable where only some have."""
    having = {number for number, row in rows.items() if name in row}
    if not having:
        return None
    if having != set(rows):
        raise Unreadable(f"{name} is told of {len(having)} of {len(rows)} rows")
    return {number: _number(row, name, name) for number, row in sorted(rows.items())}


def _number(told: Mapping[str, object], name: str, what: str) -> int:
    """A count as a number or as text, of bytes with the word `Bytes`."""
    value = told.get(name)
    if isinstance(value, str):
        return _COUNT.read(value.removesuffix(" Bytes"))
    return _COUNT.of(told, name, what)
