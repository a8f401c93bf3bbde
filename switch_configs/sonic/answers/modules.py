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

from inventory.reading.fields import Unreadable, document, mapping, needed, text_of
from inventory.reading.numbers import Real
from switch_configs.answers import date_code
from switch_configs.answers.media_lanes import Media, media
from switch_configs.answers.module_form import (
    BIAS,
    LANE,
    POWER,
    RATIO,
    TEMPERATURE,
    Band,
    Link,
    Module,
    all_or_none,
    band,
    whole_lanes,
)

_NOT_TOLD = ("N/A", "")
_LIMITS = (("temp", TEMPERATURE), ("rxpower", POWER), ("txpower", POWER), ("txbias", BIAS))
_ENDS = ("low", "high")
_INFO = "TRANSCEIVER_INFO|"
_OFFERED = re.compile(r"'media_lane_count': (\d+)")
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
    lanes = (("rx", "power", POWER), ("tx", "power", POWER), ("tx", "bias", BIAS))
    said = _media(told)
    rx, tx, bias = (_lanes(sensor, *lane) for lane in lanes)
    rx_dbm, tx_dbm, bias_ma = whole_lanes(rx, tx, bias, said.lanes if said else 1)
    all_or_none([f"{name}{end}warning" for name, _ in _LIMITS for end in _ENDS], limits)
    warm, rx_band, tx_band, bias_band = (_band(limits, *one) for one in _LIMITS)
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
        temperature_c=_number(sensor, "temperature", TEMPERATURE),
        rx_dbm=rx_dbm,
        tx_dbm=tx_dbm,
        bias_ma=bias_ma,
        temperature=warm,
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
        made=date_code.dashed(told.get("vendor_date", "")),
        media=said,
    )


def ports(text: str) -> tuple[str, ...]:
    """The ports of which a dump of STATE_DB tells a module; none where it is no such dump."""
    try:
        tables = _tables(text, "STATE_DB")
    except Unreadable:
        return ()
    return tuple(sorted(table.removeprefix(_INFO) for table in tables if table.startswith(_INFO)))


def link(rates: str, names: str, port: str) -> Link:
    """The error ratios of a port, from two dumps of COUNTERS_DB. Raises Unreadable."""
    oids = _hash(_tables(names, "COUNTERS_DB"), "COUNTERS_PORT_NAME_MAP")
    if port not in oids:
        raise Unreadable(f"SONiC counts nothing of {port}")
    told = _hash(_tables(rates, "COUNTERS_DB"), f"RATES:{oids[port]}")
    before, after = (_number(told, name, RATIO) for name in ("FEC_PRE_BER", "FEC_POST_BER"))
    return Link(speed="", pre_fec_ber=before, post_fec_ber=after, downs=None, minutes=None)


def _optional(tables: Mapping[str, object], key: str) -> dict[str, str]:
    return _hash(tables, key) if key in tables else {}


def _word(told: Mapping[str, str], name: str, port: str) -> str:
    said = told.get(name, "").strip()
    if said in _NOT_TOLD:
        raise Unreadable(f"SONiC does not tell the {name} of the module in {port}")
    return said


def _number(told: Mapping[str, str], name: str, kind: Real) -> float | None:
    """A figure; None where SONiC has no such field, or `N/A` in it."""
    return kind.maybe(told.get(name, "N/A"))


def _media(told: Mapping[str, str]) -> Media | None:
    """By its names, and by what it advertises: `'media_lane_count': 4`, once for each use."""
    offered = _OFFERED.findall(told.get("application_advertisement", ""))
    names = [told.get(name, "") for name in ("specification_compliance", "model")]
    return media(told.get("type", ""), names, map(LANE.read, offered))


def _lanes(sensor: Mapping[str, str], way: str, what: str, kind: Real) -> dict[int, float]:
    found: dict[int, float] = {}
    for name in sensor:
        match = _LANE.fullmatch(name)
        if match and (match[1], match[3]) == (way, what):
            value = _number(sensor, name, kind)
            if value is not None:
                found[LANE.read(match[2])] = value
    return found


def _band(limits: Mapping[str, str], name: str, kind: Real) -> Band:
    low, high = (_number(limits, f"{name}{end}warning", kind) for end in _ENDS)
    return band(low, high)
