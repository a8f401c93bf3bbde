"""Offline proof of rendered configurations, as far as text alone can tell.

Languages that no program here reads (EOS, NX-OS, NVUE, CONFIG_DB) are judged by grammars that
were written from the makers' pages and share nothing with the templates. What only a system's
own program can judge is named, so that somebody runs it or says that nobody did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.plan import OobSwitch, Switch
from switch_configs.intent import ConfigFile, Rendered

from . import grammar

# The files of a dialect that its grammar judges, by their end; all others are for programs.
_JUDGED = {"cumulus": ".yaml", "eos": "", "nxos": "", "sonic": ".json"}


@dataclass(frozen=True, slots=True)
class Syntax:
    """What is known of one device's text.

    `wrong` are sentences with file and line; `raw` are lines that the site added by hand and no
    grammar knows: allowed, and proved by nobody. `for_programs` are the files that a grammar
    cannot judge.
    """

    device: str
    wrong: tuple[str, ...]
    raw: tuple[str, ...]
    for_programs: tuple[str, ...]


def syntax(rendered: Rendered, switch: Switch | OobSwitch) -> Syntax:
    """Judge every file of one device by its grammar."""
    added = {line.strip() for one in switch.raw for line in one.lines}
    added |= {path for one in switch.raw for path in _paths("\n".join(one.lines))}
    wrong: list[str] = []
    raw: list[str] = []
    rest: list[str] = []
    for file in rendered.files:
        if not _has_grammar(rendered.dialect, file.path):
            rest.append(file.path)
            continue
        for said, is_raw in _judged(file, rendered.dialect, switch.release, added):
            (raw if is_raw else wrong).append(said)
    return Syntax(rendered.device, tuple(wrong), tuple(raw), tuple(rest))


def _paths(text: str) -> Iterator[str]:
    """Where a JSON object of tables that a site adds stands: `TABLE`, `TABLE|KEY` and so on."""
    try:
        tables = json.loads(text)
    except ValueError:
        return
    for table, rows in tables.items() if isinstance(tables, dict) else ():
        yield table
        for key, row in rows.items() if isinstance(rows, dict) else ():
            yield f"{table}|{key}"
            yield from (
                f"{table}|{key}|{field}" for field in (row if isinstance(row, dict) else ())
            )


def _has_grammar(dialect: str, path: str) -> bool:
    return dialect in grammar.languages() and path.endswith(_JUDGED[dialect])


def _judged(
    file: ConfigFile, dialect: str, release: str, added: set[str]
) -> Iterator[tuple[str, bool]]:
    for one in grammar.problems(dialect, file.text, release):
        yield f"{file.path}:{one.line} {one.text}: {one.why}", one.text.strip() in added
