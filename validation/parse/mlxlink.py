"""`mlxlink -d DEVICE -m -c`, with `--json` or as text (NVIDIA MFT 4.26 to 4.34; mstlink the same).

JSON: `result.output.SECTION.NAME`, lanes as `{"values": [...]}`, `status.code` 0 when all is well.
Text: a title over a line of dashes, then `NAME : VALUE`, lanes with commas. A figure may carry
the module's own limits: `61 [-10..80]`. `15E-255` is no error at all in the time that was counted.
Source of names: mstflint's mlxlink_enums.h and published outputs of both forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from . import date_code
from .fields import Unreadable, document, mapping, number_of
from .module_form import Band, Lanes, Link, Module

Section = Mapping[str, str]
MODULE, OPERATION, COUNTERS = (
    "Module Info",
    "Operational Info",
    "Physical Counters and BER Info",
)
_FIGURES = re.compile(r"(-?\d+(?:\.\d+)?(?:,-?\d+(?:\.\d+)?)*)(?: \[(-?[\d.]+)\.\.(-?[\d.]+)\])?")
_RATIO = re.compile(r"\d+(?:\.\d+)?E-\d+|0(?:\.0+)?", re.IGNORECASE)
_NOT_TOLD = ("N/A", "")
# Which of the sections tells that the output is whole; text has no end of its own.
_LAST = "Raw Physical BER"


def sections(text: str) -> dict[str, dict[str, str]]:
    """Every section with its fields, lanes joined by commas. Raises Unreadable."""
    return _from_json(text) if text.lstrip().startswith("{") else _from_text(text)


def _from_json(text: str) -> dict[str, dict[str, str]]:
    root = mapping(document(text, "mlxlink"), "mlxlink")
    status = mapping(root.get("status"), "status")
    if number_of(status, "code", "status") != 0:
        raise Unreadable(f"mlxlink: {status.get('message')}")
    output = mapping(mapping(root.get("result"), "result").get("output"), "output")
    return {
        title: {name: _joined(value) for name, value in mapping(fields, title).items()}
        for title, fields in output.items()
    }


def _joined(value: object) -> str:
    if isinstance(value, dict):
        held = value.get("values")
        return ",".join(map(str, held)) if isinstance(held, list) else ""
    return str(value)


def _from_text(text: str) -> dict[str, dict[str, str]]:
    if not text.endswith("\n"):
        raise Unreadable("mlxlink was cut short")
    found: dict[str, dict[str, str]] = {}
    lines, title = text.splitlines(), ""
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[number + 1]):
            title = line.strip()
            if title in found:
                raise Unreadable(f"mlxlink tells {title!r} twice")
            found[title] = {}
        elif title and " : " in f"{line} ":
            name, _, value = line.partition(" : ")
            if name.strip() in found[title]:
                raise Unreadable(f"mlxlink tells {name.strip()!r} twice")
            found[title][name.strip()] = value.strip()
    return found


def _section(found: Mapping[str, Section], title: str) -> Section:
    if title not in found:
        raise Unreadable(f"mlxlink tells no {title!r}")
    return found[title]


def _word(fields: Section, name: str) -> str:
    said = fields.get(name)
    if said is None or said in _NOT_TOLD:
        raise Unreadable(f"mlxlink does not tell {name!r}")
    return said


def module(found: Mapping[str, Section]) -> Module:
    """The module in the port. Raises Unreadable."""
    fields = _section(found, MODULE)
    kind = _word(fields, "Cable Type").lower()
    temperature, warm = _figures(fields, "Temperature [C]")
    rx, rx_band = _figures(fields, "Rx Power Current [dBm]")
    tx, tx_band = _figures(fields, "Tx Power Current [dBm]")
    bias, bias_band = _figures(fields, "Bias Current [mA]")
    length, _ = _figures(fields, "Transfer Distance [m]")
    return Module(
        serial=_word(fields, "Vendor Serial Number"),
        part=_word(fields, "Vendor Part Number"),
        vendor=_word(fields, "Vendor Name"),
        copper="copper" in kind,
        fixed="separated" not in kind,
        length_m=(length[0] or None) if length else None,
        temperature_c=temperature[0] if temperature else None,
        rx_dbm=rx,
        tx_dbm=tx,
        bias_ma=bias,
        temperature=warm,
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
        made=date_code.backwards(fields.get("Manufacturing Date", "")),
    )


def link(found: Mapping[str, Section]) -> Link:
    """How well the link over it works. Raises Unreadable."""
    state, counted = _section(found, OPERATION), _section(found, COUNTERS)
    if _word(state, "State") != "Active":
        raise Unreadable(f"mlxlink: the link is {state['State']}")
    minutes, _ = _figures(counted, "Time Since Last Clear [Min]")
    downs = counted.get("Link Down Counter", "")
    return Link(
        speed=_word(state, "Speed"),
        pre_fec_ber=_ratio(counted, _LAST),
        post_fec_ber=_ratio(counted, "Effective Physical BER"),
        downs=int(downs) if downs.isdecimal() else None,
        minutes=minutes[0] if minutes else None,
    )


def _ratio(fields: Section, name: str) -> float | None:
    if name not in fields:
        raise Unreadable(f"mlxlink tells no {name}")
    said = fields[name]
    if said in _NOT_TOLD:
        return None
    if not _RATIO.fullmatch(said):
        raise Unreadable(f"mlxlink: {name} is {said!r}")
    return float(said)


def _figures(fields: Section, name: str) -> tuple[Lanes, Band]:
    """Lanes and the module's limits for them; nothing where it does not measure."""
    said = fields.get(name, "")
    if said in _NOT_TOLD:
        return (), Band()
    match = _FIGURES.fullmatch(said)
    if match is None:
        raise Unreadable(f"mlxlink: {name} is {said!r}")
    low, high = (None if one is None else float(one) for one in (match[2], match[3]))
    return tuple(float(one) for one in match[1].split(",")), Band(low, high)
