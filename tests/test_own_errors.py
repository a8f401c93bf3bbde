"""Errors of ours are of one family: whoever meets one is told a sentence, never a traceback."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.commands import main as command_line
from deploy.errors import RailbedError, RefusedError
from inventory.problems import ExpectedError, InventoryError, Problem
from switch_configs.answers.said import FeatureOff
from switch_configs.errors import DialectError
from tests.deploy.command_line import railbed
from tests.tree import ROOMS, python_files, tree
from validation.evidence.store import EvidenceError
from validation.evidence.trust import MissingEvidence
from validation.stage import StageError

BASE = "inventory.problems.ExpectedError"
# Internal: whoever calls makes something else of it, and nobody is shown its words.
NEVER_SHOWN = {
    "inventory.load.yaml_nodes.Odd": "the text is read by ruamel.yaml, which says what is wrong",
    "switch_configs.changes.commands.BrokenText": "it has no words, as a line may hold a secret",
    "validation.order.between.Conflict": "another way is tried, or the order says why",
    "switch_configs.cumulus.grammar.yaml_file.Unreadable": "becomes a finding of the line it names",
}

# Programs of a switch say theirs in its maker's words, on the switch.
MODELS = "deploy.lab.models."


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def bases(path: Path, syntax: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Each class of a file by its full name, with its bases as far as the file tells."""
    here = module_of(path)
    names = {one.name: f"{here}.{one.name}" for one in syntax.body if isinstance(one, ast.ClassDef)}
    for node in ast.walk(syntax):
        if isinstance(node, ast.ImportFrom):
            folder = path.parts[: len(path.parts) - node.level] if node.level else ()
            origin = ".".join((*folder, *([node.module] if node.module else [])))
            names |= {one.asname or one.name: f"{origin}.{one.name}" for one in node.names}
    for node in ast.walk(syntax):
        if isinstance(node, ast.ClassDef):
            words = [ast.unparse(one) for one in node.bases]
            yield f"{here}.{node.name}", [names.get(one, one) for one in words]


def is_builtin_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def below(known: dict[str, list[str]], start: set[str]) -> set[str]:
    """These classes and all that derive from one of them."""
    found: set[str] = set(start)
    while more := {name for name, of in known.items() if found & set(of)} - found:
        found |= more
    return found


def every_class() -> dict[str, list[str]]:
    return {name: of for path in python_files(*ROOMS) for name, of in bases(path, tree(path))}


def test_every_error_of_ours_is_expected_or_never_shown():
    known = every_class()
    builtin = {one for of in known.values() for one in of if is_builtin_error(one)}
    errors = below(known, builtin) - builtin
    strangers = {one for one in errors - below(known, {BASE}) if not one.startswith(MODELS)}
    assert len(errors) > 20
    assert strangers == NEVER_SHOWN.keys()
    # A class that is imported by way of another module would be lost to this walk.
    named = {name for name in known if name.endswith(("Error", "Exception"))}
    assert named <= errors


def test_the_walk_finds_a_stranger():
    syntax = ast.parse(
        "from inventory.problems import ExpectedError as E\nclass A(E): ...\nclass B(A): ...\n"
        "class C(ValueError): ...\nclass D(C): ...\n"
    )
    known = dict(bases(Path("deploy/x.py"), syntax))
    assert below(known, {BASE}) - {BASE} == {"deploy.x.A", "deploy.x.B"}
    assert below(known, {"ValueError"}) - {"ValueError"} == {"deploy.x.C", "deploy.x.D"}


TOLD: list[tuple[Exception, int, str]] = [
    (RailbedError("no such lab", "`true`"), 2, "railbed: no such lab\n  hint: `true`\n"),
    (RefusedError("the plan moved", exit_code=1), 1, "railbed: the plan moved\n"),
    (
        InventoryError([Problem("fabric.yml", 3, 1, "a", "b", "c")]),
        2,
        "fabric.yml:3:1 a: found b, expected c\n",
    ),
    (DialectError("no words", "look"), 2, "railbed: no words\n  hint: look\n"),
    (
        FeatureOff("lldp", "switch it on"),
        2,
        "railbed: lldp is switched off\n  hint: switch it on\n",
    ),
    (StageError("stage_99.py: no header"), 2, "railbed: stage_99.py: no header\n"),
    (MissingEvidence("nobody asked it"), 2, "railbed: nobody asked it\n"),
    (EvidenceError("cannot be judged"), 2, "railbed: cannot be judged\n"),
    (FileNotFoundError(2, "No such file", "x"), 2, "railbed: [Errno 2] No such file: 'x'\n"),
]


@pytest.mark.parametrize(
    ("error", "code", "sentence"), TOLD, ids=[type(one[0]).__name__ for one in TOLD]
)
def test_an_error_in_a_command_is_a_sentence_and_an_exit_code(error, code, sentence, monkeypatch):
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(command_line, "open_plan", broken)
    done = railbed("plan")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", sentence)


def test_what_is_no_error_of_ours_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr(command_line, "open_plan", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        command_line.app(["plan"])


@pytest.mark.parametrize("mixed", [EvidenceError, DialectError])
def test_an_error_is_also_what_it_was(mixed):
    error = mixed("a sentence")
    assert isinstance(error, ExpectedError)
    assert isinstance(error, OSError | ValueError)
    assert (error.message, error.hint, str(error)) == ("a sentence", "", "a sentence")
