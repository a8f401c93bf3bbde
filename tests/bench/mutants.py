"""Small wrong changes of the product: in Python, templates, roles and data, drawn by a seed."""

from __future__ import annotations

import ast
import hashlib
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ROOMS = ("inventory/", "switch_configs/", "validation/", "deploy/", "roles/")
_FLIPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.#-])\d+(?![\w.-])")
_KEYWORD = re.compile(r"\b(permit|enable|enabled|on|true|yes|rx|tx|lossless|accept|up)\b")
_OTHER = {"permit": "deny", "enable": "disable", "enabled": "disabled", "on": "off",
          "true": "false", "yes": "no", "rx": "tx", "tx": "rx", "lossless": "lossy",
          "accept": "drop", "up": "down"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong change: the text from `start` to `end` of a file becomes `new`."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str

    def apply(self, text: str) -> str:
        """The file with the change; AssertionError if the file is another than it was."""
        assert text[self.start : self.end] == self.old
        return text[: self.start] + self.new + text[self.end :]

    @property
    def key(self) -> str:
        """The same for the same change in the same file, wherever its line has moved."""
        said = "\0".join((self.path, self.kind, self.old, self.new))
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    def __str__(self) -> str:
        old, new = (" ".join(one.split())[:60] for one in (self.old, self.new))
        return f"{self.path}:{self.line} {self.kind}: {old!r} -> {new!r}"


def draw(tree: Mapping[str, str], count: int, seed: int) -> list[Mutant]:
    """So many mutants, the same for the same tree and seed.

    Each room of each language has its turn, so that a room of few files is not forgotten; in
    its turn, each place is as likely as any other.
    """
    rng = random.Random(seed)
    groups: dict[str, list[Mutant]] = {}
    for path, text in sorted(tree.items()):
        if path.startswith(ROOMS):
            ending = "files" if _is_sent(path) else path.rpartition(".")[2]
            for one in of_file(path, text):
                groups.setdefault(f"{path.partition('/')[0]} {ending}", []).append(one)
    # Python is most of the product: three turns for one of each other language.
    turns = [name for name in sorted(groups) for _ in range(3 if name.endswith(" py") else 1)]
    found: list[Mutant] = []
    while len(found) < count and any(groups.values()):
        rng.shuffle(turns)
        for name in turns:
            if groups[name] and len(found) < count:
                found.append(groups[name].pop(rng.randrange(len(groups[name]))))
    return found


def _is_sent(path: str) -> bool:
    """Whether a role sends this file as it is."""
    return path.startswith("roles/") and "/files/" in path


def of_file(path: str, text: str) -> Iterator[Mutant]:
    """Every mutant of one file."""
    if path.endswith(".py"):
        yield from _of_python(path, text)
    elif path.endswith((".j2", ".grammar")) or _is_sent(path):
        # A line of a grammar that begins with = names the page it was written from.
        yield from _of_lines(path, text, "removed line", ("{#", "#", "{%", "="))
        yield from _of_tokens(path, text)
    elif path.endswith((".yml", ".yaml")):
        if path.startswith("roles/") and "/tasks/" in path:
            yield from _of_tasks(path, text)
        yield from _of_tokens(path, text)


def _of_tokens(path: str, text: str) -> Iterator[Mutant]:
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.lstrip().startswith(("#", "{#", "= ", "- name:", "description:", "source:")):
            for kind, pattern in (("number", _NUMBER), ("keyword", _KEYWORD)):
                for at in pattern.finditer(line):
                    new = str(int(at[0]) + 1) if kind == "number" else _OTHER[at[0]]
                    first, last = start + at.start(), start + at.end()
                    yield Mutant(path, number, kind, first, last, at[0], new)
        start += len(line)


def _of_lines(path: str, text: str, kind: str, but: tuple[str, ...]) -> Iterator[Mutant]:
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.strip() and not line.strip().startswith(but):
            yield Mutant(path, number, kind, start, start + len(line), line, "")
        start += len(line)


def _of_tasks(path: str, text: str) -> Iterator[Mutant]:
    """Each task left out: from its dash in the first column to the next one."""
    starts = [at.start() for at in re.finditer(r"^- ", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if len(starts) > 1:
            line = text.count("\n", 0, start) + 1
            yield Mutant(path, line, "removed task", start, end, text[start:end], "")


def _of_python(path: str, text: str) -> Iterator[Mutant]:
    tree = ast.parse(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    encoded = [line.encode() for line in text.splitlines()]

    def at(line: int, column: int) -> int:
        return starts[line - 1] + len(encoded[line - 1][:column].decode())

    skipped = _docs_and_types(tree)
    for node in ast.walk(tree):
        if node in skipped or not isinstance(node, ast.expr | ast.stmt):
            continue
        start = at(node.lineno, node.col_offset)
        end = at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        for kind, new in _changes(node, text[start:end]):
            yield Mutant(path, node.lineno, kind, start, end, text[start:end], new)


def _changes(node: ast.AST, said: str) -> Iterator[tuple[str, str]]:
    """What a node may wrongly become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        old, new = _FLIPPED[type(node.ops[0])]
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"{old} for {new}", f"({left} {new} {right})"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield "and for or", "(" + word.join(f"({ast.unparse(one)})" for one in node.values) + ")"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not left out", f"bool({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        yield from _constants(node, said)
    elif isinstance(node, ast.Return) and node.value is not None and said != "return None":
        yield "returns nothing", "return None"
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Continue):
        yield "removed statement", "pass"
    elif isinstance(node, ast.Call) and _has_two(node):
        args = [node.args[1], node.args[0], *node.args[2:]]
        yield "swapped arguments", ast.unparse(ast.Call(node.func, args, node.keywords))


def _has_two(call: ast.Call) -> bool:
    """Two arguments that say another thing in the other order."""
    two = call.args[:2]
    if len(two) < 2 or any(isinstance(one, ast.Starred) for one in two):
        return False
    return ast.dump(two[0]) != ast.dump(two[1])


def _constants(node: ast.Constant, said: str) -> Iterator[tuple[str, str]]:
    if isinstance(node.value, bool):
        yield "boolean", str(not node.value)
    elif isinstance(node.value, int | float):
        yield "number", repr(node.value + 1)
    elif isinstance(node.value, str) and node.value and said[0] in "\"'":
        yield "string", repr(node.value[:-1] + ("y" if node.value[-1] == "x" else "x"))


def _docs_and_types(tree: ast.AST) -> set[ast.AST]:
    """Docstrings, annotations and pieces of f-strings: no behaviour, or no place of their own."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        inner: list[ast.AST | None] = []
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                inner.append(first)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner.append(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign):
            inner.append(node.annotation)
        if isinstance(node, ast.JoinedStr):
            inner += list(ast.iter_child_nodes(node))
        for one in inner:
            skipped |= set(ast.walk(one)) if one else set()
    return skipped
