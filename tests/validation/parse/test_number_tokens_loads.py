"""Every number that a load tool prints, one at a time: what is none is read as none.

A token counts where another number in its place is refused or changes a figure of the result. It
is then replaced by what tools print where they have no number, by what lies outside every range,
and by a cut: that is Unreadable, or leaves a figure untold, and is never another figure. The same
of a line that is lost. A result counts as its stage takes it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial

import pytest

from inventory.reading.fields import Unreadable
from tests.plugins.needs import samples_folder
from tests.plugins.tiers import examples
from tests.validation.cuts import Case, collectives, iperf3, perftest, single_node, switch_state
from validation.parse.loads import df_probe
from validation.parse.loads.collective_rows import Table
from validation.parse.loads.perftest import Bandwidth
from validation.parse.loads.perftest_lat import Latency
from validation.parse.loads.soak import Steady

_TOKEN = re.compile(r"(?<![\w./:-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w./:-]*\w)")
_NO_NUMBERS = ("nan", "1e309", "", "1,5")
_MORE = ("-nan", "NaN", "inf", "null", '""', "-1", "9" * 39)
_PROBE = {
    "id": "rail0:a>b",
    "ip_bytes": 9000,
    "tos": 106,
    "ports": [
        {
            "port": 49152 + n,
            "small": {"host": "b", "tos": 106, "tos_back": 106},
            "full": {"host": "b", "tos": 106, "tos_back": 104},
        }
        for n in range(2)
    ],
    "icmp": {"exit": 0, "received": 3, "said": ""},
}
_NAMES = ("fio", "gpu_burn", "stream", "gdsio", "memory_copy", "steady", "drilled")
CASES = (
    *perftest.CASES,
    *iperf3.CASES,
    *collectives.CASES,
    *(one for one in (*single_node.CASES, *switch_state.CASES) if one.name.startswith(_NAMES)),
    Case("df_probe", df_probe.result, json.dumps(_PROBE)),
)
# Lines of one form that are tried: ranks and NCCL's log are many of the same.
_OF_A_FORM = examples(1, full=10_000)
Figures = dict[str, float | None]


def taken(found: object, whole: object) -> object:
    """What the stage has of it that got `whole` where all was well: else it is Unreadable."""
    if isinstance(found, Bandwidth | Latency) and isinstance(whole, Bandwidth | Latency):
        return found.settings, found.row(whole.rows[-1].size_bytes)
    if isinstance(found, Table) and isinstance(whole, Table):
        as_asked = len(found.ranks) == len(whole.ranks) and found.iterations == whole.iterations
        if not as_asked:
            raise Unreadable("it did not run as it was asked")
    if isinstance(found, Steady) and isinstance(whole, Steady):
        if not (whole.held.carrier.keys() <= found.held.carrier.keys()):
            raise Unreadable("a data port was not counted")
        return replace(found, kernel=())  # the kernel's log has a reader and tests of its own
    return found


def figures(value: object, at: str = "") -> Iterator[tuple[str, float | None]]:
    """Every figure of a result by its path; None where it is not told."""
    if isinstance(value, int | float | None) and not isinstance(value, bool):
        yield at, value
    elif is_dataclass(value):
        for one in fields(value):
            yield from figures(getattr(value, one.name), f"{at}.{one.name}")
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from figures(held, f"{at}[{key}]")
    elif isinstance(value, tuple | list):
        inside = [one for n, held in enumerate(value) for one in figures(held, f"{at}[{n}]")]
        yield from (inside and [(f"{at}.len", len(value)), *inside])


class Reader:
    """One case, its healthy text and what that says."""

    def __init__(self, case: Case) -> None:
        text = case.whole(samples_folder())
        if text is None:
            pytest.skip("needs the folder of captures that RAILBED_SAMPLES names")
        self.text, self._read, self._whole = text, case.read, case.read(text)
        self.figures: Figures = dict(figures(taken(self._whole, self._whole)))

    def other(self, text: str) -> Figures | None:
        """What else it says; None where it is Unreadable or leaves figures untold."""
        try:
            got = dict(figures(taken(self._read(text), self._whole)))
        except Unreadable:
            return None
        untold = all(value in (None, self.figures.get(key, ...)) for key, value in got.items())
        return None if got != self.figures and untold and got.keys() == self.figures.keys() else got


def others(token: str) -> tuple[str, ...]:
    """Two other numbers of the same form."""
    if "." in token or "e" in token:
        places = len(token.partition(".")[2].partition("e")[0])
        return f"{float(token) * 1.37 + 1:.{places}f}", f"{float(token) / 1.37:.{places}f}"
    return str(int(token) * 3 + 1), str(int(token) + 1)


def tokens(text: str) -> Iterator[re.Match[str]]:
    """Those of each form of a line, as often as the tier says."""
    seen: Counter[str] = Counter()
    at = 0
    for line in text.splitlines(keepends=True):
        form = re.sub(r"\d", "", line)
        seen[form] += 1
        if seen[form] <= _OF_A_FORM:
            yield from _TOKEN.finditer(text, at, at + len(line))
        at += len(line)


@pytest.mark.instances(keep=5)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_no_number_is_never_a_figure(case: Case) -> None:
    reader = Reader(case)
    noticed = 0
    for found in tokens(reader.text):
        put: Callable[[str], str] = partial(replaced, reader.text, found)
        if all(reader.other(put(other)) == reader.figures for other in others(found[0])):
            continue
        noticed += 1
        words = [*_NO_NUMBERS, _MORE[noticed % len(_MORE)], _MORE[(noticed + 3) % len(_MORE)]]
        words += [found[0].partition(".")[0] + "."] if "." in found[0] else []
        tries = {word: put(word) for word in words if word != found[0]}
        for word, text in {**tries, "a cut": reader.text[: found.end() - 1]}.items():
            line = reader.text[: found.start()].count("\n") + 1
            said = f"{found[0]!r} of line {line} became {word!r}, which was read"
            assert reader.other(text) is None, said
    assert noticed, "the reader takes notice of no number at all"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_lost_line_is_missed_or_was_not_asked(case: Case) -> None:
    reader = Reader(case)
    lines = reader.text.splitlines(keepends=True)
    missed = 0
    for at, line in enumerate(lines):
        got = reader.other("".join(lines[:at] + lines[at + 1 :]))
        missed += got is None
        assert got in (None, reader.figures), f"without line {at + 1}, {line!r}, it says {got}"
    assert missed, "no line of it is needed"


def replaced(text: str, found: re.Match[str], word: str) -> str:
    """The text with one token changed."""
    return f"{text[: found.start()]}{word}{text[found.end() :]}"


def test_every_reader_of_a_load_is_here() -> None:
    """A form of output that is here twice shows nothing that it does not show once."""
    assert len({one.name for one in CASES}) == len(CASES)
    for name in ("perftest-ib_write_bw", "perftest-ib_write_lat", "iperf3", "mpi", *_NAMES):
        assert any(one.name.startswith(name) for one in CASES), name
