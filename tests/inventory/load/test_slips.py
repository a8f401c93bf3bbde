"""Slips of hands, editors and spreadsheets: one sentence, on the line to mend, with the remedy."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from inventory.imports.circuits import PortFinder
from inventory.imports.forms import form_named
from inventory.imports.leases import read_leases
from inventory.imports.machines import read_manifest
from inventory.imports.placing import read_names
from inventory.imports.spreadsheet import read_cables, read_devices
from inventory.load.files import text_of
from inventory.load.site import PROFILES, SITES, read
from inventory.load.yaml_positions import parse
from inventory.nodes.gpu_driver import printed
from inventory.problems import InventoryError, Problem, close_to
from inventory.software.compat import is_older, order
from inventory.software.lock import lock_path
from inventory.topology.asbuilt import parse_asbuilt
from inventory.topology.asbuilt_rows import natural
from inventory.topology.wiring import load_wiring
from tests.tree import ROOT

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
    ("a: [1, 04]\n", "f:1:8 a[1]", "'04'", "write 4"),
    ("a:\n  b: 1\n\tc: 2\n", "f:3:1", "a tab", "sed -i"),
    ("a: 1\nb 2\nc: 3\n", "f:2:1", "without `: `", "a space after the colon"),
    ("a: 1\nb:2\nc: 3\n", "f:2:1", "without `: `", "a space after the colon"),
    ("a: @x\n", "f:1:4", "begins with `@`", "quote it"),
    ("a: *x\n", "f:1:4", "begins with `*`", "quote it"),
    ('a: "x" y\n', "f:1:8", "after the closing quote", "quote the whole value"),
    ('a: "x\\q"\n', "f:1:7", "escape character 'q'", "single quotes"),
    ("  a: 1\nb: 2\n", "f:2:1", "than on the first line", "begin in one column"),
    ("- a\nb: 1\n", "f:2:1", "a key among the entries of a list", "an entry: `- `"),
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


READING_YAML = {
    "fabric.yml": SITES / "lab/fabric.yml",
    "profiles/nodes.yml": PROFILES / "nodes.yml",
    "profiles/switches.yml": PROFILES / "switches.yml",
    "profiles/asics.yml": PROFILES / "asics.yml",
    "versions/debian-12-amd64.yml": None,
    "versions/compat.yml": ROOT / "inventory/versions/compat.yml",
}


@pytest.mark.parametrize("slip", ["a:\u00a01", 'a: "x', "a: 04", " a: 1", "\ta: 1", "a:1", "a: @x"])
@pytest.mark.parametrize("name", READING_YAML)
def test_a_slip_in_any_file_of_a_site_is_one_error_there(tmp_path, name, slip):
    """The names that a file with a slip would have brought are not called unknown, too."""
    shutil.copytree(SITES / "lab", tmp_path / "site")
    path = tmp_path / "site" / name
    path.parent.mkdir(exist_ok=True)
    lock, _ = lock_path(SITES / "lab", None, "debian-12-amd64")
    text = (READING_YAML[name] or lock).read_text(encoding="utf-8")
    if name.startswith("profiles/"):
        text = re.sub(r"(?m)^(?=[a-z])", "own-", text)
        fabric = tmp_path / "site/fabric.yml"
        own = {"nodes": r"(node_profile: )", "switches": r"(leaf_profile: |spine_profile: )"}
        if key := own.get(path.stem):
            said = fabric.read_text(encoding="utf-8")
            fabric.write_text(re.sub(key, r"\1own-", said), encoding="utf-8")
    path.write_text(f"{text}\n{slip}\n", encoding="utf-8")
    _, problems = read(tmp_path / "site")
    assert len(problems) == 1, problems
    assert problems[0].file.endswith(name)
    assert problems[0].line > 1


Read = Callable[[str], tuple[object, Sequence[Problem]]]
MANIFEST = form_named("", "serial=S/N,name=Host,bmc=BMC MAC")


def wiring(text: str) -> tuple[object, Sequence[Problem]]:
    """`wiring.csv` is read from a file."""
    path = Path("wiring.csv")
    path.write_bytes(text.encode())
    try:
        return load_wiring(path), ()
    except InventoryError as error:
        return (), error.problems


# Each function that reads lines of cells, and a good file of its kind.
READERS: dict[str, tuple[Read, str]] = {
    "inventory/topology/asbuilt.py": (
        lambda text: parse_asbuilt(text, "f.csv"),
        (
            "device,port,mac,serial\nleaf1,eth0,02:52:42:01:00:01,A-1\n"
            "leaf2,eth0,02:52:42:01:00:02,A-2\n"
        ),
    ),
    "inventory/topology/wiring.py": (
        wiring,
        (
            "a_device,a_port,b_device,b_port,plane\nn1,rail0,leaf1,swp1,compute\n"
            "n2,rail0,leaf1,swp2,compute\n"
        ),
    ),
    "inventory/imports/spreadsheet.py:read_devices": (
        lambda text: read_devices(text, "f.csv"),
        "name,rack,serial\nn1,r1,S1\nn2,r1,S2\n",
    ),
    "inventory/imports/spreadsheet.py:read_cables": (
        lambda text: read_cables(text, "f.csv"),
        "a_device,a_port,b_device,b_port\nn1,rail0,leaf1,swp1\nn2,rail0,leaf1,swp2\n",
    ),
    "inventory/imports/placing.py": (
        lambda text: read_names(text, "f.csv", {"n1": None, "n2": None}),  # type: ignore[dict-item] # names alone
        "machine,device\nS1,n1\nS2,n2\n",
    ),
    "inventory/imports/machines.py": (
        lambda text: read_manifest(text, "f.csv", MANIFEST),
        "Host,S/N,BMC MAC\nn1,S1,02:52:42:01:00:01\nn2,S2,02:52:42:01:00:02\n",
    ),
    "inventory/imports/leases.py": (
        lambda text: read_leases(text, "f.csv", PortFinder.of(frozenset())),
        (
            "address,hwaddr,client_id,valid_lifetime\n10.0.0.1,02:52:42:01:00:01,,60\n"
            "10.0.0.2,02:52:42:01:00:02,,60\n"
        ),
    ),
}
# Lists of words in one value, and no files.
NO_FILES = {
    "inventory/rules/nodes/tuning.py": "lists of CPUs",
    "inventory/imports/forms.py": "--columns",
    "inventory/load/table.py": "what read_table is made of",
    "inventory/reading/fields.py": "what programs print",
    "deploy/servers/drift.py": "--limit",
    "deploy/nodes.py": "--limit",
    "deploy/lab/models/sonic/buffermgr.py": "lists in rows of CONFIG_DB",
    "deploy/lab/models/sonic/orchagent.py": "lists in rows of CONFIG_DB",
    "deploy/lab/models/sonic/tables.py": "lists in rows of CONFIG_DB",
    "deploy/transport/host_lines.py": "names in known_hosts",
    "deploy/contact/keys.py": "names in known_hosts",
    "deploy/lab/settled.py": "what chronyc prints",
    "deploy/lab/models/under_run.py": "what chronyc prints",
    "deploy/rehearsal/kept.py": "--slice",
    "deploy/rehearsal/growth.py": "files of a twin, which its plan has read",
}
BY_HAND = {"reader", "DictReader", "read_table"}


def reads_cells(call: ast.AST) -> bool:
    """A call of a reader of cells, or of `.split(",")`."""
    if not isinstance(call, ast.Call):
        return False
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    commas = [one for one in call.args if isinstance(one, ast.Constant) and one.value in (",", ";")]
    return name in BY_HAND or (name == "split" and bool(commas))


def test_every_reader_of_cells_is_tried():
    found = {
        str(path.relative_to(ROOT))
        for room in ("inventory", "deploy")
        for path in (ROOT / room).rglob("*.py")
        if any(map(reads_cells, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == {one.partition(":")[0] for one in READERS} | set(NO_FILES)


def each_line(text: str, change: Callable[[str], str]) -> str:
    """A text of which each line is changed."""
    return "".join(f"{change(line)}\n" for line in text.splitlines())


# What each slip does to a text, and the remedy that is named.
SLIPS: dict[str, tuple[Callable[[str], str], str]] = {
    "byte order mark": (lambda text: "\ufeff" + text, "sed -i"),
    "semicolons": (lambda text: text.replace(",", ";"), "with commas"),
    "tabs": (lambda text: text.replace(",", "\t"), "with commas"),
    "bars": (lambda text: text.replace(",", "|"), "with commas"),
    "semicolons and quotes": (
        lambda text: each_line(text, lambda line: '"' + line.replace(",", '";"') + '"'),
        "with commas",
    ),
    "commas at the end": (lambda text: each_line(text, lambda line: line + ",,"), "delete"),
    "commas at the end of rows": (
        lambda text: (
            text.split("\n")[0] + "\n" + each_line(text, lambda x: x + ",").split("\n", 1)[1]
        ),
        "delete",
    ),
    "quotes": (
        lambda text: each_line(text, lambda line: '"' + line.replace(",", '","') + '"'),
        "sed -i",
    ),
    "spaces after commas": (lambda text: text.replace(",", ", "), "sed -i"),
    "spaces at the ends of rows": (
        lambda text: (
            text.split("\n")[0] + "\n" + each_line(text, lambda x: x + " ").split("\n", 1)[1]
        ),
        "sed -i",
    ),
    "no-break spaces": (
        lambda text: (
            text.split("\n")[0] + "\n" + each_line(text, lambda x: x + "\u00a0").split("\n", 1)[1]
        ),
        "sed -i",
    ),
    "sep=": (lambda text: "sep=,\n" + text, "sed -i 1d"),
    "lines of CR and LF": (lambda text: text.replace("\n", "\r\n"), ""),
    "lines of CR": (lambda text: text.replace("\n", "\r"), "tr "),
    "a header in capitals": (
        lambda text: text.split("\n")[0].upper() + "\n" + text.split("\n", 1)[1],
        "in lower case|did you mean",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("reader", READERS)
def test_what_a_spreadsheet_does_to_a_table_is_one_error_with_its_remedy(
    reader, slip, tmp_path, monkeypatch
):
    """Or it is read as if it were not there."""
    monkeypatch.chdir(tmp_path)
    read_text, good = READERS[reader]
    value, problems = read_text(good)
    assert not problems
    spoil, remedy = SLIPS[slip]
    assert spoil(good) != good
    seen, problems = read_text(spoil(good))
    if not problems:
        assert plain(seen) == plain(value)
        return
    (problem,) = problems
    assert re.match(r"\S+\.csv:[12]:\d+:? ", str(problem)), problem
    assert remedy, problem
    assert re.search(remedy, problem.hint)


def plain(value: object) -> str:
    """What was read, without the lines it stood on."""
    return re.sub(r"line=\d+", "", repr(value))


GOOD = READERS["inventory/topology/asbuilt.py"][1]


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_one_error_with_its_remedy(tmp_path, code):
    path = tmp_path / "asbuilt.csv"
    path.write_bytes(GOOD.encode(code))
    problems: list[Problem] = []
    assert text_of(path, problems, "a CSV file") is None
    (problem,) = problems
    assert problem.found == "UTF-16 text"
    assert "iconv" in problem.hint


def test_text_of_windows_names_the_byte_and_the_remedy(tmp_path):
    path = tmp_path / "asbuilt.csv"
    path.write_bytes(GOOD.replace("leaf2", "l\u00e4uf2").encode("cp1252"))
    problems: list[Problem] = []
    assert text_of(path, problems, "a CSV file") is None
    (problem,) = problems
    assert (problem.line, problem.column, problem.found) == (3, 2, "the byte 0xe4")
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
        ("Node-P1-1", "did you mean 'node-p1-01'?"),
        ("nod-p1-1", "did you mean 'node-p1-01'?"),
        ("node1-1", "did you mean 'node-p1-01'?"),
        ("nde-p2-99", "there are 'node-p2-01' to 'node-p2-32'"),
        ("node-p1", ""),
        ("SPINE2", "did you mean 'spine2'?"),
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
