"""Modules and error ratios of Arista EOS, from the JSON of two shows.

`show interfaces transceiver dom thresholds` and `show interfaces phy detail` as ANTA reads them
(aristanetworks/anta, anta/tests/interfaces.py and tests/units/anta_tests/test_interfaces.py):
`parameters` by name, with `channels` and `threshold`; of each phy, `fec` and `preFecBer`. Neither
show tells when a module was made, so its lot is not known. A port that shares its module may
tell its own lanes alone: how many it must have is for whoever knows its rate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from inventory.reading.numbers import Real
from switch_configs.answers.media_lanes import media
from switch_configs.answers.module_form import (
    BIAS,
    LANE,
    POWER,
    RATIO,
    TEMPERATURE,
    UNCORRECTED,
    Band,
    Link,
    Module,
    band,
    whole_lanes,
)

_COPPER = re.compile(r"-CR\d*|copper", re.IGNORECASE)
_FIXED = re.compile(r"-(CR|AR)\d*\b|AOC|DAC", re.IGNORECASE)
_WHOLE = 0  # what EOS calls `-`: the module, not a lane


def module(text: str, port: str) -> Module:
    """The module in a port. Raises Unreadable."""
    told = _of(text, "interfaces", port)
    name = text_of(told, "mediaType", port)
    parts = mapping(told.get("parameters", {}), port)
    named = (("rxPower", POWER), ("txPower", POWER), ("txBias", BIAS))
    (rx, rx_band), (tx, tx_band), (bias, bias_band) = (_parameter(parts, *one) for one in named)
    rx_dbm, tx_dbm, bias_ma = whole_lanes(rx, tx, bias)
    warm, warm_band = _parameter(parts, "temperature", TEMPERATURE)
    if set(warm) - {_WHOLE}:
        raise Unreadable(f"EOS tells a temperature of lanes of {port}")
    return Module(
        serial=_serial(told, port),
        part=name,
        vendor="",
        copper=bool(_COPPER.search(name)),
        fixed=bool(_FIXED.search(name)),
        temperature_c=warm.get(_WHOLE),
        rx_dbm=rx_dbm,
        tx_dbm=tx_dbm,
        bias_ma=bias_ma,
        temperature=warm_band,
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
        media=media("", [name]),
    )


def _serial(told: dict[str, object], port: str) -> str:
    said = text_of(told, "vendorSn", port).strip()
    if not said:
        raise Unreadable(f"EOS does not tell the serial number of the module in {port}")
    return said


def ports(text: str) -> tuple[str, ...]:
    """The ports of which the show of modules tells; none where it is no such show."""
    try:
        root = mapping(document(text, "EOS"), "EOS")
        return tuple(sorted(mapping(needed(root, "interfaces", "EOS"), "interfaces")))
    except Unreadable:
        return ()


def link(text: str, port: str) -> Link:
    """The worst error ratio of a port's phys on the side of the line. Raises Unreadable."""
    phys = sequence(needed(_of(text, "interfacePhyStatuses", port), "phyStatuses", port), port)
    ratios, uncorrected = [], []
    for one in (mapping(entry, port) for entry in phys):
        if "preFecBer" in one:
            ratios.append(RATIO.of(mapping(one["preFecBer"], port), "value", port))
        if "fec" in one:
            told = mapping(one["fec"], port).get("uncorrectedCodewords")
            uncorrected.append(UNCORRECTED.of(mapping(told, port), "value", port))
    if not ratios or not uncorrected:
        raise Unreadable(f"EOS tells no error ratio of {port}")
    return Link("", max(ratios), None, None, None, uncorrected=sum(uncorrected))


def _of(text: str, key: str, port: str) -> dict[str, object]:
    root = mapping(document(text, "EOS"), "EOS")
    return mapping(needed(mapping(needed(root, key, "EOS"), key), port, key), port)


def _parameter(parts: Mapping[str, object], name: str, kind: Real) -> tuple[dict[int, float], Band]:
    """Figures by lane, and the limits below or above which the module warns."""
    if name not in parts:
        return {}, Band()
    told = mapping(parts[name], name)
    channels = mapping(needed(told, "channels", name), name)
    lanes = {_lane(one): kind.of(channels, one, name) for one in channels}
    limits = mapping(told.get("threshold", {}), name)
    low, high = (
        kind.of(limits, key, name) if key in limits else None for key in ("lowWarn", "highWarn")
    )
    return lanes, band(low, high)


def _lane(said: str) -> int:
    return _WHOLE if said == "-" else LANE.read(said)
