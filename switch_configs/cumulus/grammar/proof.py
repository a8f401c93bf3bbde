"""The offline syntax proof of NVIDIA Cumulus Linux 5.x: what may be said in NVUE, by release.

    problems_set("nv set ...", "5.14")      the lines of `nv set`
    problems_yaml("- set: ...", "5.14")     startup.yaml: the same tree, spelled as YAML
    problems(text, "5.14")                  either of them, as the text begins

All return nothing for a text that the release takes, and never raise. The grammar
(`nvue_qos.py`, `nvue_interface.py`, `nvue_l2.py`, `nvue_bgp.py`, `nvue_policy.py`,
`nvue_system.py`) holds what a switch of an RoCE fabric needs and no more: a line of NVUE that
is not there is refused, and is added with its page. It is written from NVIDIA's pages, and
knows nothing of the templates it judges.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from switch_configs.grammar.tree import GrammarProblem

from . import bgp as nvue_bgp
from . import interface as nvue_interface
from . import l2 as nvue_l2
from . import policy as nvue_policy
from . import qos as nvue_qos
from . import set_lines as nvue_set
from . import system as nvue_system
from . import yaml_file as nvue_yaml
from .cross import Fact, crossed
from .releases import RELEASES, in_words_of, known_release, spoken_in
from .tree import Command, Node, Path, masked, paths_of, tree_of, walk

# The other files of this system are for programs.
FILE_END = ".yaml"

MODULES = (nvue_qos, nvue_interface, nvue_l2, nvue_bgp, nvue_policy, nvue_system)


@lru_cache(maxsize=1)
def paths() -> tuple[Path, ...]:
    """Every path of the grammar, with its page and releases."""
    return tuple(path for module in MODULES for group in module.GROUPS for path in paths_of(group))


@lru_cache(maxsize=len(RELEASES))
def grammar(release: str) -> Node:
    """The tree of one release."""
    return tree_of(paths(), release)


def problems(text: str, release: str = "") -> tuple[GrammarProblem, ...]:
    """What a release refuses of `nv set` lines or of a startup.yaml; empty is the newest one."""
    lines = (one.strip() for one in text.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    judge = problems_set if first.startswith("nv ") else problems_yaml
    return judge(text, release or RELEASES[-1])


def problems_set(text: str, release: str) -> tuple[GrammarProblem, ...]:
    """What this release refuses of `nv set` lines; comments (#) and empty lines are passed by."""
    known = known_release(release)
    if known is None:
        return (unknown(release),)
    commands, wrong = nvue_set.commands_of(text)
    return judged(commands, wrong, known, nvue_set.texts_of(text))


def problems_yaml(text: str, release: str) -> tuple[GrammarProblem, ...]:
    """What this release refuses of a startup.yaml."""
    known = known_release(release)
    if known is None:
        return (unknown(release),)
    tree = nvue_yaml.tree_of(text)
    wrong = list(tree.problems)
    if tree.version and known_release(tree.version) != known:
        why = f"the header is of release {tree.version}, and this is judged as {known}"
        wrong.append(GrammarProblem(1, "header", why))
    return judged(tree.commands, wrong, known, {})


def unknown(release: str) -> GrammarProblem:
    """The refusal of a release whose words nobody looked up."""
    why = f"release {release} is not known: the grammar holds {RELEASES[0]} to {RELEASES[-1]}"
    return GrammarProblem(1, "", why)


def judged(
    commands: list[Command], wrong: list[GrammarProblem], release: str, texts: dict[int, str]
) -> tuple[GrammarProblem, ...]:
    """The problems of commands, each by itself and then between them, by line.

    `texts` are the lines as they stand, where a path alone would not be one.
    """
    root = grammar(release)
    facts: list[Fact] = []
    found = list(wrong)
    for command in commands:
        result = walk(root, command)
        facts.append(Fact(command.line, command.words, result.leaf, allowed=not result.why))
        if result.why:
            text = " ".join(masked(command.words))
            why = explained(command, release, result.why)
            found.append(GrammarProblem(command.line, text, why))
    found += crossed(facts)
    said = {replace(problem, text=texts.get(problem.line, problem.text)) for problem in found}
    return tuple(sorted(said, key=lambda one: (one.line, one.text, one.why)))


def explained(command: Command, release: str, why: str) -> str:
    """Why a command is refused, with the words of this release where they are other ones."""
    speakers = frozenset(one for one in RELEASES if not walk(grammar(one), command).why)
    if not speakers:
        return why
    right = in_words_of(" ".join(command.words), lambda text: holds(text, release))
    start = f"words of {spoken_in(speakers)}, not of {release}"
    if right is None:
        return f"{start}: {why}"
    return f"{start}, which says `{' '.join(masked(tuple(right.split())))}`"


def holds(text: str, release: str) -> bool:
    """Whether a release takes a command."""
    return not walk(grammar(release), Command(0, tuple(text.split()))).why
