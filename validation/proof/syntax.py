"""Offline proof of rendered configurations, as far as text alone can tell.

Languages that no program here reads (command lines, NVUE, CONFIG_DB) are judged by grammars that
were written from the makers' pages and share nothing with the templates. What only a system's
own program can judge is named, so that somebody runs it or says that nobody did.
"""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs import grammar
from switch_configs.intent import ConfigFile, Rendered


@dataclass(frozen=True, slots=True)
class Syntax:
    """What is known of one device's text.

    `wrong` are sentences with file and line; `raw` are lines that the site added by hand and no
    grammar knows: allowed, and proved by nobody.
    """

    device: str
    wrong: tuple[str, ...]
    raw: tuple[str, ...]


def syntax(rendered: Rendered, release: str, plain: Rendered | None = None) -> Syntax:
    """Judge every file of one device by its grammar.

    `plain` is the same device without the site's raw lines, where it has some: what is only
    wrong with them is theirs.
    """
    usual = {one.path: one for one in plain.files} if plain else {}
    wrong: list[str] = []
    raw: list[str] = []
    for file in rendered.files:
        if not _has_grammar(rendered.dialect, file.path):
            continue
        ours = _found(usual[file.path], rendered.dialect, release) if usual else None
        for key, said in _found(file, rendered.dialect, release).items():
            (raw if ours is not None and key not in ours else wrong).append(said)
    return Syntax(rendered.device, tuple(wrong), tuple(raw))


def _has_grammar(dialect: str, path: str) -> bool:
    """All other files are for programs."""
    return dialect in grammar.languages() and path.endswith(grammar.file_end(dialect))


def _found(file: ConfigFile, dialect: str, release: str) -> dict[tuple[str, str], str]:
    """What is wrong with a file, by line and reason: a line number moves with what is above."""
    return {
        (problem.text, problem.why): f"{file.path}:{problem.line} {problem.text}: {problem.why}"
        for problem in grammar.problems(dialect, file.text, release)
    }
