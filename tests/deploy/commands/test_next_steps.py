"""Every command that is printed is one that the command line takes, for the same site and lab."""

from __future__ import annotations

import ast
import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from deploy.commands import next_steps
from deploy.commands.main import app
from deploy.commands.next_steps import Typed, as_typed
from deploy.commands.say import Voice, print_json
from tests.tree import ROOT, files

ROOMS = ("deploy", "inventory", "switch_configs", "validation", "roles")
OTHER = Typed("superpod-64", "nc")
TOP: Any = typer.main.get_command(app)
VERBS = "|".join(TOP.commands)
NAMED = re.compile(rf"(?:\./)?railbed (?:{VERBS})\b(?! \d)")
# The same in a source, where a string may be broken at the blank.
NEAR = re.compile(rf"railbed (?:{VERBS}|[\"'])")
QUOTED = re.compile(r"`(?:\./)?railbed ((?!-)[^`]+)`")
WORDS = ("railbed packages of", "railbed report 1", "railbed profile:", "# Written")
STAND_IN = {"NN": "45", "N": "3", "GOOD_RUN": "1", "THIS_RUN": "2", "RUN_A": "1", "RUN_B": "2"}
STAND_IN |= {"RUN": "2", "NAME": "cables", "FOLDER": ".", "DIR": ".", "FILE": "README.md"}
STAND_IN |= {"GROUP": "pod_1", "STEP": "oob", "KIND": "cables", "NODE": "node-p1-1"}


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_steps, "_now", Typed())
    monkeypatch.delenv("RAILBED_SITE", raising=False)
    monkeypatch.delenv("RAILBED_LAB", raising=False)


def _texts(path: Path) -> Iterator[str]:
    """The strings of a module, placeholders as `1`, without docstrings."""
    every = list(ast.walk(ast.parse(path.read_text())))
    inside = {id(part) for one in every if isinstance(one, ast.JoinedStr) for part in one.values}
    for one in every:
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            inside.add(id(one.value))
        if isinstance(one, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "1" for part in one.values
            )
        elif isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in inside:
            yield one.value.replace("{}", "1")


TEXTS = [
    (f"{path.relative_to(ROOT)}: {text[:60]}", text)
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    # Most files name no command, and reading all of them is a tenth of collecting every test.
    if NEAR.search(path.read_text())
    for text in _texts(path)
    if NAMED.search(text) and not text.startswith(WORDS)
]


def parse(command: str) -> dict[str, Any]:
    """What the real parser makes of a command; it fails a test where it takes it not."""
    words = [STAND_IN.get(one, one) for one in shlex.split(command)]
    verb: Any = TOP
    while hasattr(verb, "commands"):
        assert words, f"{command}: no verb"
        assert words[0] in verb.commands, f"{command}: no verb {words[0]}"
        verb = verb.commands[words.pop(0)]
    with verb.make_context("railbed", words, resilient_parsing="--help" in words) as context:
        return dict(context.params)


def test_texts_with_commands_are_found() -> None:
    assert len(TEXTS) > 35


@pytest.mark.parametrize("text", [one[1] for one in TEXTS], ids=[one[0] for one in TEXTS])
def test_a_command_in_a_text_runs_as_printed_for_the_site_and_lab_asked_for(text: str) -> None:
    bare = QUOTED.sub("", text)
    assert not NAMED.search(bare) or text.startswith(
        ("railbed packages of", "railbed report 1", "railbed profile:", "# Written")
    ), f"not in backticks, so nobody makes it whole: {text}"
    for command in QUOTED.findall(as_typed(text, OTHER)):
        taken = parse(command)
        words = shlex.split(command)
        if "--help" in words or next_steps.NEITHER & {words[0], " ".join(words[:2])}:
            continue
        given = set(QUOTED.findall(text))
        named = any({"--lab", "--name", "--site"} & set(shlex.split(one)) for one in given)
        assert named or taken.get("site", OTHER.site) == OTHER.site
        assert named or taken.get("lab", taken.get("name", OTHER.lab)) == OTHER.lab


def test_each_verb_takes_the_options_that_it_is_given() -> None:
    for verb, options in _leaves(TOP, ()):
        made = QUOTED.findall(as_typed(f"`railbed {verb}`", OTHER))[0]
        assert ("--site" in made) == ("--site" in options and verb not in next_steps.NEITHER), verb
        assert ("--lab" in made) == ("--lab" in options and verb != "demo"), verb


def _leaves(group: Any, before: tuple[str, ...]) -> Iterator[tuple[str, set[str]]]:
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from _leaves(one, (*before, name))
        else:
            yield " ".join((*before, name)), {opt for each in one.params for opt in each.opts}


def test_a_drill_of_one_lab_never_sends_people_to_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parse("drill --lab nc")
    Voice(width=40).print("nothing was touched; `railbed validate --through 80 --only 80` does it")
    said = capsys.readouterr().out
    assert "`./railbed validate --through 80 --only 80 --lab nc`" in said


@pytest.mark.parametrize(
    ("text", "chosen", "said"),
    [
        ("`railbed diff`", Typed(), "`./railbed diff`"),
        ("`./railbed diff`", Typed("my site"), "`./railbed diff --site 'my site'`"),
        ("`railbed render`", OTHER, "`./railbed render --site superpod-64`"),
        ("`railbed lab up --name x`", OTHER, "`./railbed lab up --name x --site superpod-64`"),
        ("`railbed lab restart n`", OTHER, "`./railbed lab restart n --lab nc`"),
        ("railbed is a word", OTHER, "railbed is a word"),
    ],
)
def test_as_typed(text: str, chosen: Typed, said: str) -> None:
    assert as_typed(text, chosen) == said
    assert as_typed(said, chosen) == said


def test_a_demo_of_models_sends_people_to_their_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its site is that of a system, and no option of the command names it."""
    said = list[str]()

    def tells(*_: object) -> int:
        said.append(as_typed("`railbed push-trial DEVICE` tries it"))
        return 0

    monkeypatch.setattr("deploy.demo.run_demo", tells)
    monkeypatch.setattr("deploy.lab.host.ensure_host_packages", lambda _: None)
    monkeypatch.setattr("deploy.guard.guard_run.enter", lambda _: None)
    CliRunner().invoke(app, ["demo", "--dialect", "eos"])
    assert said == ["`./railbed push-trial DEVICE --site lab-eos --lab demo` tries it"]


def test_a_default_is_named_where_the_environment_means_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAILBED_LAB", "other")
    assert as_typed("`railbed diff`", Typed()) == "`./railbed diff --lab lab`"


README = [
    line.strip().split("  ")[0].split(" #")[0].strip().removeprefix("./railbed ")
    for path in files()
    if path.name in {"README.md", "CONTRIBUTING.md"}
    for line in (ROOT / path).read_text().splitlines()
    if re.match(rf" *\./railbed (?!test )(?:{VERBS})\b", line)  # `test` hands on what it is given
]


def _readings(line: str) -> Iterator[list[str]]:
    """Each way to read a synopsis: every option given, one of each choice of words."""
    words = line.replace("...", "").replace("[", " ").replace("]", " ").split()
    yield from (list(one) for one in itertools.product(*(one.split("|") for one in words)))


@pytest.mark.parametrize("line", sorted(set(README)))
def test_a_line_of_a_readme_names_verbs_and_options_that_there_are(line: str) -> None:
    for words in _readings(line):
        verb: Any = TOP
        while hasattr(verb, "commands"):
            name = words.pop(0)
            verb = verb.commands[STAND_IN.get(name, name)]
        known = {opt for one in verb.params for opt in one.opts}
        assert {one for one in words if one.startswith("-")} <= known, line


@pytest.mark.parametrize("site", ['a"b', "a\\b", "a b"])
def test_commands_in_json_leave_it_json(
    site: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(next_steps, "_now", Typed(site))
    print_json({"hints": [{"hint": "`railbed diff`"}]})
    (found,) = json.loads(capsys.readouterr().out)["hints"]
    assert found["hint"] == f"`./railbed diff --site {shlex.quote(site)}`"
