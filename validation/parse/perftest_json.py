"""The file that perftest's bandwidth tools write with --out_json, beside what they printed.

To 4.5 it is no JSON: keys and most values have no quotes, lists end with a comma; from 24.01 it
is, but for some outputs. It holds the last size only, says no unit, and is not written on error
(linux-rdma/perftest, src/perftest_parameters.c, write_bw_report_to_file). So it is believed only
together with the screen text of the same run, whose unit it takes and whose row it must repeat.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isclose

from .fields import Unreadable, mapping, needed
from .perftest import GBPS, Row, bandwidth, checked

_SECTION = re.compile(r"^\"?(\w+)\"?\s*:\s*\{$")
_PAIR = re.compile(r"^\"?([\w ]+?)\"?\s*:\s*(\"[^\"]*\"|[^\s\",{}]+),?$")
_SAME = 1e-6
_TOOL = "perftest's JSON"


@dataclass(frozen=True, slots=True)
class Report:
    """What the file says; its figures in 10^9 bits per second."""

    device: str
    qps: int
    mtu_bytes: int
    row: Row


def report(text: str, screen: str) -> Report:
    """The file of the run that printed `screen`.

    Raises Unreadable where either is cut or faulty, or they are not of one run.
    """
    shown = bandwidth(screen)
    root = _document(text)
    info = mapping(needed(root, "test_info", _TOOL), "test_info")
    results = mapping(needed(root, "results", _TOOL), "results")
    row = _row(results, shown.unit)
    made = Report(_word(info, "Device"), _count(info, "Number_of_qps"), _count(info, "Mtu"), row)
    ran = (shown.device, shown.qps, shown.settings.mtu_bytes)
    if (made.device, made.qps, made.mtu_bytes) != ran:
        raise Unreadable(f"{_TOOL} is of another run than the text")
    if not _repeats(row, shown.rows[-1], shown.unit):
        raise Unreadable(f"{_TOOL} does not repeat the last row of the text")
    return made


def _repeats(row: Row, shown: Row, unit: str) -> bool:
    """The same size, count and rate, as far as both print it."""
    same = (row.size_bytes, row.iterations) == (shown.size_bytes, shown.iterations)
    rounding = 0.01 * GBPS[unit]
    return same and isclose(row.average_gbps, shown.average_gbps, abs_tol=rounding, rel_tol=_SAME)


def _row(results: dict[str, object], unit: str) -> Row:
    size, count = _count(results, "MsgSize"), _count(results, "n_iterations")
    rates = (_figure(results, "BW_peak"), _figure(results, "BW_average"))
    return checked(size, count, rates, _figure(results, "MsgRate"), unit)


def _document(text: str) -> dict[str, object]:
    """JSON where it is JSON, else the form of 4.5."""
    try:
        return mapping(json.loads(text), _TOOL)
    except json.JSONDecodeError:
        return _loose(text)


def _loose(text: str) -> dict[str, object]:
    """Sections of `key: value,` lines between braces, as 4.5 writes them."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or lines[0] != "{" or lines[-1] != "}":
        raise Unreadable(f"{_TOOL} is not whole")
    root: dict[str, object] = {}
    section: dict[str, object] | None = None
    for line in lines[1:-1]:
        if section is None and (begun := _SECTION.match(line)) and begun[1] not in root:
            root[begun[1]] = section = {}
        elif section is not None and line.rstrip(",") == "}":
            section = None
        elif section is not None and (pair := _PAIR.match(line)) and pair[1] not in section:
            section[pair[1]] = _value(pair[2])
        else:
            raise Unreadable(f"{_TOOL} has a line that is none: {line[:60]}")
    if section is not None:
        raise Unreadable(f"{_TOOL} is not whole")
    return root


def _value(word: str) -> object:
    if re.fullmatch(r"\d+", word):
        return int(word)
    return float(word) if re.fullmatch(r"\d+\.\d+", word) else word.strip('"')


def _word(fields: dict[str, object], key: str) -> str:
    value = needed(fields, key, _TOOL)
    if not isinstance(value, str) or not value:
        raise Unreadable(f"{_TOOL}: {key} is no word")
    return value


def _count(fields: dict[str, object], key: str) -> int:
    value = needed(fields, key, _TOOL)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unreadable(f"{_TOOL}: {key} is no whole number")
    return value


def _figure(fields: dict[str, object], key: str) -> float:
    value = needed(fields, key, _TOOL)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise Unreadable(f"{_TOOL}: {key} is no figure")
    return float(value)
