"""Numbers of devices are read through declarations alone: no source makes one otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.tree import python_files, tree

_ROOMS = (
    *(f"validation/{name}/" for name in ("counters", "lossless", "parse", "routing", "single")),
    "inventory/golden/",
)
# The readers themselves.
_READERS = ("inventory/reading/numbers.py", "inventory/golden/evidence.py")
FILES = [
    path
    for path in python_files("validation", "inventory")
    if path.as_posix().startswith(_ROOMS) and path.as_posix() not in _READERS
]
_MAKERS = {"int", "float", "complex", "Decimal", "Fraction", "literal_eval", "eval"}
_LOOKS = (".search(", ".match(", ".fullmatch(", ".read(", ".of(", ".maybe(")
# What is 0 where nothing stands, by its tool's own word.
_ZERO = {
    "found.start() if (found := _BEGIN.search(text)) else 0": "where to begin, no figure",
    "_METRIC.of(one, 'metric', str(prefix)) if 'metric' in one else 0": "the kernel leaves 0 out",
    "BITS.of(one, 'srclen', 'rule') if 'srclen' in one else 0": "a rule for any source has none",
    "0.0 if link[2] is None else _RATE.read(link[2])": "nvidia-smi says <inactive>",
}


def slips(module: ast.Module) -> Iterator[str]:
    """Where a number could be made of a text, or 0 of nothing, without a declaration."""
    types = {id(part) for node in ast.walk(module) for part in _of_types(node)}
    for node in ast.walk(module):
        if isinstance(node, ast.Name | ast.Attribute | ast.alias) and id(node) not in types:
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))
            if name in _MAKERS:
                yield f"line {node.lineno}: {name}"
        if isinstance(node, ast.IfExp) and _guesses(node) and ast.unparse(node) not in _ZERO:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _of_types(node: ast.AST) -> Iterator[ast.AST]:
    """All of a node that says a type and makes nothing."""
    said: list[ast.expr | None] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        said += node.args if node.func.id in ("isinstance", "cast") else []
    elif isinstance(node, ast.Subscript):
        said += [node.slice]
    elif isinstance(node, ast.AnnAssign | ast.arg):
        said += [node.annotation]
    elif isinstance(node, ast.FunctionDef):
        said += [node.returns]
    for one in said:
        yield from ast.walk(one) if one else ()


def _guesses(node: ast.IfExp) -> bool:
    ends = (node.body, node.orelse)
    zero = any(isinstance(one, ast.Constant) and one.value in (0, "0") for one in ends)
    return zero and any(look in ast.unparse(node) for look in _LOOKS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.as_posix())
def test_a_reader_of_devices_reads_numbers_through_declarations_alone(path) -> None:
    assert not list(slips(tree(path))), f"{path}: see inventory/reading/numbers.py"


@pytest.mark.parametrize(
    "source",
    [
        "found = int(word)",
        "found = max(words, key=float)",
        "found = sorted(words, key=int)",
        "found = map(float, words)",
        "found = Decimal(word)",
        "from decimal import Decimal",
        "found = fractions.Fraction(word)",
        "read = int",
        "found = [kind(word) for kind in (int, str)]",
        "found = int.from_bytes(data)",
        "found = KIND.read(one[1]) if (one := re.search('x', text)) else 0",
        "found = 0 if not LINE.match(text) else KIND.read(text)",
        "found = ast.literal_eval(word)",
    ],
)
def test_the_check_sees(source: str) -> None:
    assert list(slips(ast.parse(source)))


def test_the_check_lets_types_be() -> None:
    source = "def read(one: int, more: dict[str, float]) -> float | None: ...\n"
    source += "Rows = dict[int, float]\nis_one = isinstance(one, int | float)\n"
    assert not list(slips(ast.parse(source)))
