"""Slips of hands, editors and spreadsheets: one sentence, on the line to mend, with the remedy."""

from __future__ import annotations

import pytest

from inventory.asbuilt import parse_asbuilt
from inventory.asbuilt_rows import natural
from inventory.compat import is_older, order
from inventory.files import text_of
from inventory.gpu_driver import printed
from inventory.marked import parse
from inventory.problems import Problem, close_to

YAML = [
    ('a: 1\nb: "x\nc: 2\nd: 3\n', "f:2:4", "opened here and not closed", 'closing "'),
    ("a: 1\nb: 'x\nc: 2\n", "f:2:4", "opened here and not closed", "closing '"),
    ('a: "x\nb: "y"\nc: 1\n', "f:1:4", "opened here and not closed", 'closing "'),
    ("a:\n  b: 1\n c: 2\n", "f:3:2", "1 space before the text", "0 or 2"),
    ("a: 1\n  b: 2\n", "f:2:4", "2 spaces before the text", "0, as in the lines above"),
    ("a:\n  - x\n - y\n", "f:3:2", "1 space before", "0 or 2"),
    ("a: {b: 1\nc: 2\n", "f:2:2", "expected ','", "line 1 opens it"),
    ("a:\n\u00a0\u00a0b: 1\n", "f:2:1", "no-break space", "sed -i"),
    ("a:\u00a01\n", "f:1:3", "no-break space", "sed -i"),
    ("a: 04\n", "f:1:4", "'04'", "write 4"),
    ("a: -010\n", "f:1:4", "'-010'", "write -10"),
    ("a: 00\n", "f:1:4", "'00'", "write 0;"),
]


@pytest.mark.parametrize(("text", "place", "found", "remedy"), YAML)
def test_yaml_slips_name_the_line_and_the_remedy(text, place, found, remedy):
    (problem,) = parse(text, "f").problems
    said = str(problem)
    assert said.startswith(place), said
    assert found in said
    assert remedy in said


@pytest.mark.parametrize(
    "text", ["a: don't\n", "a: 'it''s'\n", 'a: "x\\"y"\n', "a: 0\n", "a: x\u00a0y\n", 'a: "04"\n']
)
def test_what_is_no_slip_is_read(text):
    assert not parse(text, "f").problems


GOOD = "device,port,mac,serial\nleaf1,eth0,02:52:42:01:00:01,A-1\nleaf2,eth0,02:52:42:01:00:02,A-2"
CSV = [
    ("\ufeff" + GOOD, "byte order mark", "sed -i"),
    (GOOD.replace(",", ";"), "semicolons between cells", "with commas"),
    (GOOD.replace(",", "\t"), "tabs between cells", "with commas"),
    (GOOD.replace("\n", ",,\n") + ",,", "empty cells at the end", "delete the empty columns"),
    (GOOD.replace("-1", "-1,").replace("-2", "-2,"), "2 lines with empty cells", "delete"),
    ("\n".join('"' + one.replace(",", '","') + '"' for one in GOOD.split("\n")), "quotes", "sed"),
]


@pytest.mark.parametrize(("text", "found", "remedy"), CSV)
def test_what_a_spreadsheet_does_to_a_table_is_one_error_with_its_remedy(text, found, remedy):
    _, (problem,) = parse_asbuilt(text, "asbuilt.csv")
    assert found in problem.found
    assert remedy in problem.hint


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_one_error_with_its_remedy(tmp_path, code):
    path = tmp_path / "asbuilt.csv"
    path.write_bytes(GOOD.encode(code))
    problems: list[Problem] = []
    assert text_of(path, problems, "a CSV file") is None
    (problem,) = problems
    assert problem.found == "UTF-16 text"
    assert "iconv" in problem.hint


NAMES = [f"node-p{pod}-{one:02}" for pod in (1, 2) for one in range(1, 33)] + ["spine1", "spine2"]


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("node-p1-1", "did you mean 'node-p1-01'?"),
        ("node-p01-1", "did you mean 'node-p1-01'?"),
        ("node-p1-99", "there are 'node-p1-01' to 'node-p1-32'"),
        ("node-p9-07", "there are 'node-p1-07' to 'node-p2-07'"),
        ("node-p9-77", ""),
        ("spin1", "did you mean 'spine1'?"),
        ("spine7", "there are 'spine1' to 'spine2'"),
    ],
)
def test_a_guess_knows_numbering_and_never_names_another_device(word, hint):
    assert close_to(word, NAMES) == hint


LONG = ("9" * 5000, "node-p1-" + "1" * 4301, "\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT ONE}")


@pytest.mark.parametrize(
    "read",
    [
        lambda name: close_to(name, NAMES),
        natural,
        order,
        lambda version: is_older(version, version),
        lambda value: printed(f"NVreg_X={value}"),
    ],
)
def test_a_number_that_no_int_takes_is_text(read):
    """Python reads no more than 4,300 digits (`sys.set_int_max_str_digits`), nor other digits."""
    for name in LONG:
        read(name)
    assert natural("swp2") < natural("swp10")
    assert order("570.26") < order("570.124")
