"""Modules and error ratios of Arista EOS, from the JSON of two shows.

`show interfaces transceiver dom thresholds` and `show interfaces phy detail` as ANTA reads them
(aristanetworks/anta, anta/tests/interfaces.py and tests/units/anta_tests/test_interfaces.py):
`parameters` by name, with `channels` and `threshold`; of each phy, `fec` and `preFecBer`. Neither
show tells when a module was made, so its lot is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .fields import Unreadable, document, mapping, needed, sequence, text_of
from .module_form import Band, Lanes, Link, Module

_COPPER = re.compile(r"-CR\d*|copper", re.IGNORECASE)
_FIXED = re.compile(r"-(CR|AR)\d*\b|AOC|DAC", re.IGNORECASE)


def module(text: str, port: str) -> Module:
    """The module in a port. Raises Unreadable."""
    told = _of(text, "interfaces", port)
    media = text_of(told, "mediaType", port)
    parts = mapping(told.get("parameters", {}), port)
    warm, _ = _parameter(parts, "temperature")
    rx, rx_band = _parameter(parts, "rxPower")
    tx, tx_band = _parameter(parts, "txPower")
    bias, bias_band = _parameter(parts, "txBias")
    return Module(
        serial=text_of(told, "vendorSn", port),
        part=media,
        vendor="",
        copper=bool(_COPPER.search(media)),
        fixed=bool(_FIXED.search(media)),
        length_m=None,
        temperature_c=warm[0] if warm else None,
        rx_dbm=rx,
        tx_dbm=tx,
        bias_ma=bias,
        temperature=_parameter(parts, "temperature")[1],
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
    )


def ports(text: str) -> tuple[str, ...]:
    """The ports of which the show of modules tells; none where it is no such show."""
    try:
        root = mapping(document(text, "FastCli"), "EOS")
        return tuple(sorted(mapping(needed(root, "interfaces", "EOS"), "interfaces")))
    except Unreadable:
        return ()


def link(text: str, port: str) -> Link:
    """The worst error ratio of a port's phys on the side of the line. Raises Unreadable."""
    phys = sequence(needed(_of(text, "interfacePhyStatuses", port), "phyStatuses", port), port)
    ratios, uncorrected = [], []
    for one in (mapping(entry, port) for entry in phys):
        if "preFecBer" in one:
            ratios.append(_number(mapping(one["preFecBer"], port), "value", port))
        if "fec" in one:
            told = mapping(one["fec"], port).get("uncorrectedCodewords")
            uncorrected.append(_number(mapping(told, port), "value", port))
    if not ratios or not uncorrected:
        raise Unreadable(f"EOS tells no error ratio of {port}")
    return Link("", max(ratios), None, None, None, uncorrected=int(sum(uncorrected)))


def _of(text: str, key: str, port: str) -> dict[str, object]:
    root = mapping(document(text, "FastCli"), "EOS")
    return mapping(needed(mapping(needed(root, key, "EOS"), key), port, key), port)


def _parameter(parts: Mapping[str, object], name: str) -> tuple[Lanes, Band]:
    """Lanes in order, and the limits below or above which the module warns."""
    if name not in parts:
        return (), Band()
    told = mapping(parts[name], name)
    channels = mapping(needed(told, "channels", name), name)
    lanes = tuple(_number(channels, lane, name) for lane in sorted(channels, key=_order))
    limits = mapping(told.get("threshold", {}), name)
    low, high = (
        _number(limits, key, name) if key in limits else None for key in ("lowWarn", "highWarn")
    )
    return lanes, Band(low, high)


def _order(lane: str) -> int:
    return int(lane) if lane.isdecimal() else 0


def _number(fields: Mapping[str, object], key: str, what: str) -> float:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(f"{what}: {key!r} is not a number")
    return float(value)
