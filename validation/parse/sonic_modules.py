"""Modules and error ratios of SONiC, as `sonic-db-dump -n DB -k PATTERN -y` prints its databases.

STATE_DB: `TRANSCEIVER_INFO|PORT`, `TRANSCEIVER_DOM_SENSOR|PORT`, `TRANSCEIVER_DOM_THRESHOLD|PORT`
(sonic-net/SONiC, transceiver monitor design; sonic-utilities, tests/mock_tables/state_db.json).
COUNTERS_DB: `RATES:oid:...` with `FEC_PRE_BER` and `FEC_POST_BER` (sonic-utilities,
utilities_common/portstat.py and tests/mock_tables/gb_counters_db.json).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from . import date_code
from .fields import Unreadable, document, mapping, needed, text_of
from .module_form import Band, Lanes, Link, Module

_NOT_TOLD = ("N/A", "")
_INFO = "TRANSCEIVER_INFO|"
_LANE = re.compile(r"(rx|tx)(\d+)(power|bias)")


@lru_cache(maxsize=8)
def _tables(text: str, what: str) -> Mapping[str, object]:
    """A dump; kept, because each port of a switch is read from the same one."""
    return mapping(document(text, "sonic-db-dump"), what)


def _hash(tables: Mapping[str, object], key: str) -> dict[str, str]:
    entry = mapping(needed(dict(tables), key, "the database"), key)
    if text_of(entry, "type", key) != "hash":
        raise Unreadable(f"{key} is no hash")
    held = mapping(needed(entry, "value", key), key)
    return {name: text_of(held, name, key) for name in held}


def module(text: str, port: str) -> Module:
    """The module in a port, from a dump of STATE_DB. Raises Unreadable."""
    tables = _tables(text, "STATE_DB")
    told = _hash(tables, f"{_INFO}{port}")
    sensor = _optional(tables, f"TRANSCEIVER_DOM_SENSOR|{port}")
    limits = _optional(tables, f"TRANSCEIVER_DOM_THRESHOLD|{port}")
    length = _number(told.get("cable_length", ""), "cable_length")
    kind = (
        f"{told.get('specification_compliance', '')} {told.get('media_interface_technology', '')}"
    )
    copper = bool(re.search(r"copper|\bCR\d*\b|passive", kind, re.IGNORECASE))
    return Module(
        serial=_word(told, "serial", port),
        part=_word(told, "model", port),
        vendor=_word(told, "manufacturer", port),
        copper=copper,
        fixed=told.get("connector", "").lower().startswith("no separable"),
        length_m=length or None,
        temperature_c=_number(sensor.get("temperature", ""), "temperature"),
        rx_dbm=_lanes(sensor, "rx", "power"),
        tx_dbm=_lanes(sensor, "tx", "power"),
        bias_ma=_lanes(sensor, "tx", "bias"),
        temperature=_band(limits, "temp"),
        rx=_band(limits, "rxpower"),
        tx=_band(limits, "txpower"),
        bias=_band(limits, "txbias"),
        made=date_code.dashed(told.get("vendor_date", "")),
    )


def ports(text: str) -> tuple[str, ...]:
    """The ports of which a dump of STATE_DB tells a module; none where it is no such dump."""
    try:
        tables = _tables(text, "STATE_DB")
    except Unreadable:
        return ()
    return tuple(sorted(one.removeprefix(_INFO) for one in tables if one.startswith(_INFO)))


def link(rates: str, names: str, port: str) -> Link:
    """The error ratios of a port, from two dumps of COUNTERS_DB. Raises Unreadable."""
    oids = _hash(_tables(names, "COUNTERS_DB"), "COUNTERS_PORT_NAME_MAP")
    if port not in oids:
        raise Unreadable(f"SONiC counts nothing of {port}")
    told = _hash(_tables(rates, "COUNTERS_DB"), f"RATES:{oids[port]}")
    before, after = (_number(told.get(name, ""), name) for name in ("FEC_PRE_BER", "FEC_POST_BER"))
    return Link(speed="", pre_fec_ber=before, post_fec_ber=after, downs=None, minutes=None)


def _optional(tables: Mapping[str, object], key: str) -> dict[str, str]:
    return _hash(tables, key) if key in tables else {}


def _word(told: Mapping[str, str], name: str, port: str) -> str:
    said = told.get(name, "").strip()
    if said in _NOT_TOLD:
        raise Unreadable(f"SONiC does not tell the {name} of the module in {port}")
    return said


def _number(said: str, name: str) -> float | None:
    if said.strip() in _NOT_TOLD:
        return None
    try:
        return float(said)
    except ValueError:
        raise Unreadable(f"{name} is {said!r}, not a number") from None


def _lanes(sensor: Mapping[str, str], way: str, what: str) -> Lanes:
    found: dict[int, float] = {}
    for name, said in sensor.items():
        match = _LANE.fullmatch(name)
        if match and (match[1], match[3]) == (way, what):
            value = _number(said, name)
            if value is not None:
                found[int(match[2])] = value
    return tuple(value for _, value in sorted(found.items()))


def _band(limits: Mapping[str, str], name: str) -> Band:
    low, high = (_number(limits.get(f"{name}{end}warning", ""), name) for end in ("low", "high"))
    return Band(low, high)
