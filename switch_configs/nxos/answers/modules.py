"""Modules of Cisco NX-OS, from the JSON of `show interface transceiver details`.

Form: recorded in microsoft/arc-switch (src/SwitchOutput/Cisco/Nexus/10, tests of the parser of
transceivers) and allenrobel/nxapi-netbox (nxapi_interface_transceiver.py): a row a port with
`type`, `name` (the maker), `partnum` and `serialnum`; a row a lane with figures and the module's
limits. When a module was made is not told, so its lot is not known. A port of a split cage tells
lanes of its own, whose numbers nobody recorded: their order counts there.

Of error ratios telegraf's list of NX-OS fields has names (`pre_fec_ber_cur`); no recording shows
what is in them, so nobody reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inventory.reading.fields import Unreadable, document, mapping, text_of
from inventory.reading.numbers import Real
from switch_configs.answers.media_lanes import media
from switch_configs.answers.module_form import (
    BIAS,
    LANE,
    POWER,
    TEMPERATURE,
    Band,
    Module,
    band,
    whole_lanes,
)
from switch_configs.answers.said import count

from .cli import rows, rows_if_any

LINE = "show interface transceiver details | json"
_COPPER = re.compile(r"-(CR|A?CU)\d|-PCC\b|copper", re.IGNORECASE)
_FIXED = re.compile(r"AOC|ACC|AEC", re.IGNORECASE)
_SPLIT = re.compile(r"Ethernet\d+/\d+/\d+")
Lanes = dict[int, dict[str, object]]


def ports(text: str) -> tuple[str, ...]:
    """The ports of which the show tells a module; none where it is no such show."""
    try:
        return tuple(sorted(text_of(row, "interface", "module") for row in _present(text)))
    except Unreadable:
        return ()


def module(text: str, port: str) -> Module:
    """The module in a port. Raises Unreadable."""
    mine = [row for row in _present(text) if text_of(row, "interface", "module") == port]
    if len(mine) != 1:
        raise Unreadable(f"NX-OS tells {len(mine)} modules of {port}")
    (row,) = mine
    kind = text_of(row, "type", port)
    serial = text_of(row, "serialnum", port).strip()
    if not serial:
        raise Unreadable(f"NX-OS does not tell the serial number of the module in {port}")
    lanes = _lanes(row, port)
    rx, tx = (_by_lane(lanes, key, POWER) for key in ("rx_pwr", "tx_pwr"))
    rx_dbm, tx_dbm, bias_ma = whole_lanes(rx, tx, _by_lane(lanes, "current", BIAS))
    warm = _by_lane(lanes, "temperature", TEMPERATURE)
    copper = bool(_COPPER.search(kind))
    return Module(
        serial=serial,
        part=text_of(row, "partnum", port).strip(),
        vendor=text_of(row, "name", port).strip(),
        copper=copper,
        fixed=copper or bool(_FIXED.search(kind)),
        temperature_c=max(warm.values(), default=None),
        rx_dbm=rx_dbm,
        tx_dbm=tx_dbm,
        bias_ma=bias_ma,
        temperature=_limits(lanes, "temp", TEMPERATURE),
        rx=_limits(lanes, "rx_pwr", POWER),
        tx=_limits(lanes, "tx_pwr", POWER),
        bias=_limits(lanes, "current", BIAS),
        media=media("", [kind]),
    )


def _present(text: str) -> Sequence[dict[str, object]]:
    told = rows(mapping(document(text, "NX-OS"), "NX-OS's answer"), "interface")
    return [row for row in told if text_of(row, "sfp", "module") == "present"]


def _lanes(row: dict[str, object], port: str) -> Lanes:
    """The lanes by number; those of a split cage's port from 1 on."""
    told = rows_if_any(row, "lane")
    found = {count(one, "lane_number", port, LANE): one for one in told}
    if len(found) != len(told):
        raise Unreadable(f"NX-OS tells a lane of {port} twice")
    before = min(found, default=1) - 1 if _SPLIT.fullmatch(port) else 0
    return {number - before: one for number, one in found.items()}


def _by_lane(lanes: Lanes, key: str, sort: Real) -> dict[int, float]:
    told = {number: _real(one, key, sort) for number, one in lanes.items()}
    return {number: value for number, value in told.items() if value is not None}


def _real(told: Mapping[str, object], key: str, sort: Real) -> float | None:
    value = told.get(key)
    if value is None:
        return None
    return sort.maybe(value) if isinstance(value, str) else sort.of(told, key, "module")


def _limits(lanes: Lanes, name: str, sort: Real) -> Band:
    """The limits below or above which the module warns, the same of every lane."""
    told = {
        band(*(_real(one, f"{name}_warn_{end}", sort) for end in ("lo", "hi")))
        for one in lanes.values()
    }
    if len(told) > 1:
        raise Unreadable("the module does not tell the same limits of every lane")
    return next(iter(told), Band())
