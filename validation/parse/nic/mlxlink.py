"""`mlxlink -d DEVICE -m -c`, with `--json` or as text (NVIDIA MFT 4.26 to 4.34; mstlink the same).

JSON: `result.output.SECTION.NAME`, lanes as `{"values": [...]}`, `status.code` 0 when all is well.
Text: a title over a line of dashes, then `NAME : VALUE`, lanes with commas; on a terminal, or where
one was pretended, with colours (ANSI_COLOR_RESET and others of mlxlink_maps.h). A figure may carry
the module's own limits: `61 [-10..80]`. `15E-255` is no error at all in the time that was counted.
Source of names: mstflint's mlxlink_enums.h and mlxlink_commander.cpp, and published outputs of both
forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from inventory.reading.fields import Unreadable, document, mapping
from inventory.reading.numbers import Real, Whole
from switch_configs.answers import date_code
from switch_configs.answers.media_lanes import media
from switch_configs.answers.module_form import (
    BIAS,
    DOWNS,
    LENGTH,
    MINUTES,
    POWER,
    RATIO,
    TEMPERATURE,
    Band,
    Lanes,
    Link,
    Module,
    all_or_none,
    band,
    whole_lanes,
)

Section = Mapping[str, str]
MODULE, OPERATION, COUNTERS = (
    "Module Info",
    "Operational Info",
    "Physical Counters and BER Info",
)
_FIGURES = re.compile(r"([^\s\[\]]+)(?: \[([^\s\[\]]+?)\.\.([^\s\[\]]+)\])?")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOT_TOLD = ("N/A", "")
_MEASURED = {
    "Temperature [C]": TEMPERATURE,
    "Rx Power Current [dBm]": POWER,
    "Tx Power Current [dBm]": POWER,
    "Bias Current [mA]": BIAS,
}
_STATUS = Whole("status of mlxlink", "1", 0, 255)
# Which of the sections tells that the output is whole; text has no end of its own.
_LAST = "Raw Physical BER"


def sections(text: str) -> dict[str, dict[str, str]]:
    """Every section with its fields, lanes joined by commas. Raises Unreadable."""
    plain = _COLOUR.sub("", text)
    return _from_json(plain) if plain.lstrip().startswith("{") else _from_text(plain)


def _from_json(text: str) -> dict[str, dict[str, str]]:
    root = mapping(document(text, "mlxlink"), "mlxlink")
    status = mapping(root.get("status"), "status")
    if _STATUS.of(status, "code", "status") != 0:
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
        if not line.strip() and not _may_be_blank(lines, number):
            raise Unreadable(f"mlxlink printed a blank line in {title!r}: one is lost")
        if _is_title(lines, number):
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


def _may_be_blank(lines: list[str], number: int) -> bool:
    """Blank lines are before a title, and around all that mlxlink prints."""
    return number == 0 or number + 1 == len(lines) or _is_title(lines, number + 1)


def _is_title(lines: list[str], number: int) -> bool:
    return number + 1 < len(lines) and bool(re.fullmatch(r"-{3,}", lines[number + 1]))


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
    """The module in the port. Raises Unreadable, also where a lane or a limit is lost."""
    fields = _section(found, MODULE)
    kind = _word(fields, "Cable Type").lower()
    length, _ = _figures(fields, "Transfer Distance [m]", LENGTH)
    told = {name: _figures(fields, name, kind) for name, kind in _MEASURED.items()}
    limited = {name for name, (_, limits) in told.items() if limits is not None}
    all_or_none([name for name, (lanes, _) in told.items() if lanes], limited)
    temperature, rx, tx, bias = (lanes for lanes, _ in told.values())
    warm, rx_band, tx_band, bias_band = (limits or Band() for _, limits in told.values())
    if len(temperature) > 1 or len(length) > 1:
        raise Unreadable("mlxlink tells the temperature or length of a module twice")
    names = (fields.get("Compliance", ""), _word(fields, "Vendor Part Number"))
    said = media(fields.get("Identifier", ""), names)
    at_rx, at_tx, at_bias = (dict(enumerate(one, 1)) for one in (rx, tx, bias))
    rx, tx, bias = whole_lanes(at_rx, at_tx, at_bias, said.lanes if said else 1)
    return Module(
        serial=_word(fields, "Vendor Serial Number"),
        part=_word(fields, "Vendor Part Number"),
        vendor=_word(fields, "Vendor Name"),
        copper="copper" in kind,
        fixed="separated" not in kind,
        temperature_c=temperature[0] if temperature else None,
        rx_dbm=rx,
        tx_dbm=tx,
        bias_ma=bias,
        temperature=warm,
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
        made=date_code.backwards(fields.get("Manufacturing Date", "")),
        media=said,
    )


def link(found: Mapping[str, Section]) -> Link:
    """How well the link over it works. Raises Unreadable."""
    state, counted = _section(found, OPERATION), _section(found, COUNTERS)
    if _word(state, "State") != "Active":
        raise Unreadable(f"mlxlink: the link is {state['State']}")
    return Link(
        speed=_word(state, "Speed"),
        pre_fec_ber=RATIO.maybe(_told(counted, _LAST)),
        post_fec_ber=RATIO.maybe(_told(counted, "Effective Physical BER")),
        downs=DOWNS.maybe(counted.get("Link Down Counter", "N/A")),
        minutes=MINUTES.maybe(counted.get("Time Since Last Clear [Min]", "N/A")),
    )


def _told(fields: Section, name: str) -> str:
    if name not in fields:
        raise Unreadable(f"mlxlink tells no {name}")
    return fields[name]


def _figures(fields: Section, name: str, kind: Real) -> tuple[Lanes, Band | None]:
    """Lanes and the module's limits for them; nothing where it says that it does not measure."""
    said = _told(fields, name)
    if said == "N/A":
        return (), None
    match = _FIGURES.fullmatch(said)
    if match is None:
        raise Unreadable(f"mlxlink: {name} is {said!r}")
    lanes = tuple(kind.read(one) for one in match[1].split(","))
    return lanes, band(kind.read(match[2]), kind.read(match[3])) if match[2] else None
