"""Output of `dcb -j pfc|ets|app|buffer|dcbx show dev PORT` (iproute2, dcb/*.c).

One object, or a list of one. Rows of `dscp_prio` are [DSCP, priority], in newer releases with a
third element that is a blank. What a driver has not, the tool answers with an error and no JSON.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence
from inventory.reading.numbers import Whole

from .port_qos import (
    BUFFER,
    BUFFER_SIZE,
    CLASS,
    DSCP,
    PRIORITIES,
    PRIORITY,
    SHARE,
    PortQos,
    dscp_table,
    whole_bandwidth,
)


def port_qos(pfc: str, ets: str, app: str, buffer: str | None, dcbx: str | None) -> PortQos:
    """What the port does; None is a part that the driver does not have.

    No `trust` is told: with any DSCP entry mlx5 trusts DSCP, without one PCP (mlnx_qos reads
    the same table so).
    """
    shaping, paused = _object(ets, "dcb ets"), _object(pfc, "dcb pfc")
    table = dscp_table(_pairs(app), "dcb app")
    tsa = tuple(map(str, _eight(shaping, "tc_tsa", str)))
    percent = tuple(_numbers(shaping, "tc_bw", SHARE))
    whole_bandwidth(tsa, percent, "dcb ets")
    stored = _object(buffer, "dcb buffer") if buffer is not None else None
    return PortQos(
        "dscp" if table else "pcp",
        table,
        tuple(map(_is_on, _eight(paused, "prio_pfc", object))),
        tuple(_numbers(shaping, "prio_tc", CLASS)),
        tsa,
        percent,
        _flag(dcbx) if dcbx is not None else None,
        tuple(_numbers(stored, "buffer_size", BUFFER_SIZE)) if stored is not None else None,
        tuple(_numbers(stored, "prio_buffer", BUFFER)) if stored is not None else None,
        None,
    )


def _object(text: str, tool: str) -> dict[str, object]:
    found = document(text, tool)
    if isinstance(found, list):
        if len(found) != 1:
            raise Unreadable(f"{tool} told of {len(found)} ports, not one")
        found = found[0]
    return mapping(found, tool)


def _eight(fields: dict[str, object], key: str, kind: type) -> list[object]:
    found = sequence(needed(fields, key, "dcb"), key)
    if len(found) != PRIORITIES or not all(isinstance(one, kind) for one in found):
        raise Unreadable(f"dcb: {key} is no list of {PRIORITIES}")
    return found


def _numbers(fields: dict[str, object], key: str, kind: Whole) -> list[int]:
    return [kind.of({key: one}, key, "dcb") for one in _eight(fields, key, object)]


def _is_on(value: object) -> bool:
    words = {"on": True, "off": False, True: True, False: False}
    if not isinstance(value, (str, bool)) or value not in words:
        raise Unreadable(f"dcb: PFC is {value!r}, neither on nor off")
    return words[value]


def _pairs(app: str) -> list[tuple[int, int]]:
    rows = sequence(_object(app, "dcb app").get("dscp_prio", []), "dscp_prio")
    found = []
    for row in rows:
        both = [one for one in sequence(row, "dscp_prio") if not isinstance(one, str)]
        if len(both) != 2:
            raise Unreadable(f"dcb app: {row!r} is no DSCP and priority (was -N given?)")
        told: dict[str, object] = dict(zip(("DSCP", "priority"), both, strict=True))
        found.append((DSCP.of(told, "DSCP", "dcb app"), PRIORITY.of(told, "priority", "dcb app")))
    return found


def _flag(dcbx: str) -> bool:
    return bool(_object(dcbx, "dcb dcbx").get("host", False))
