"""What a device holds, as files that compare byte for byte with rendered ones.

CONFIG_DB and FRR can run something else than their files say. A file's own text stands only
where exactly that runs; else it is what runs, so that a difference is seen.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from switch_configs.frr.compare import statements, tidy
from switch_configs.intent import ConfigFile, Own, Rendered
from switch_configs.readback.framed import Held

from . import kept
from .fetch import Fetched, parse
from .files import CONFIG_DB, FRR, OWNED, PENDING, UNSAVED, impact_of
from .json_text import parsed, text_of

_NOT_RUNNING = "{}\n"
_NO_FRR = "! FRR does not run.\n"
# docker-fpm-frr writes it to vtysh.conf at each start (docker_init.sh), and vtysh shows it: it is
# in no frr.conf.
_OF_VTYSH = re.compile(r"(?m)^service integrated-vtysh-config\n")


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command as files, sorted by path; may raise `DialectError`."""
    found = parse(device, fetched)
    files = [_file(one, found) for one in found.held]
    files += [_without_file(path, found) for path in OWNED if path not in {f.path for f in files}]
    if _is_unsaved(found):
        files.append(ConfigFile(UNSAVED, "a restart would bring another\n", "", "", "", "none"))
    return Rendered(device, dialect, tuple(sorted(files)))


def held(device: str, dialect: str, fetched: str) -> Rendered:
    """The same answer with CONFIG_DB as it runs, whole."""
    runs = parse(device, fetched).database or ""
    whole = ConfigFile(CONFIG_DB, runs, "", "", "", impact_of(CONFIG_DB))
    others = (file for file in running(device, dialect, fetched).files if file.path != CONFIG_DB)
    return Rendered(device, dialect, tuple(sorted((whole, *others))))


def _file(held: Held, found: Fetched) -> ConfigFile:
    text = {CONFIG_DB: _database, FRR: _frr}.get(held.path, _as_it_is)(held.text, found)
    return ConfigFile(held.path, text, held.owner, held.group, held.mode, impact_of(held.path))


def _without_file(path: str, found: Fetched) -> ConfigFile:
    """What runs without a file is not nothing."""
    text = _database("{}", found) if path == CONFIG_DB else _frr("", found)
    return ConfigFile(path, text, "", "", "absent", impact_of(path))


def _as_it_is(text: str, _found: Fetched) -> str:
    return text


def _database(text: str, found: Fetched) -> str:
    runs = _tables(found)
    if runs is None:
        return _NOT_RUNNING
    said = parsed(text) or {}
    left = _without_the_systems(runs, _named(found, said))
    return text if left == _plain(said) else _printed(left)


def _is_unsaved(found: Fetched) -> bool:
    """Whether config_db.json is there, and a restart would bring other rows of ours.

    While a change waits it has to be another, and PENDING says so.
    """
    runs = _tables(found)
    texts = {one.path: one.text for one in found.held}
    text = texts.get(CONFIG_DB)
    if runs is None or text is None or PENDING in texts:
        return False
    said = parsed(text) or {}
    named = _named(found, said)
    return _without_the_systems(runs, named) != _without_the_systems(said, named)


def _named(found: Fetched, said: dict[str, Any]) -> dict[str, Any]:
    """What the plan names of tables that the system fills: by our note, else by the file.

    A dump that somebody saved has all of them, FEATURE always: it names none.
    """
    return parsed(found.named) or ({} if "FEATURE" in said else said)


def _tables(found: Fetched) -> dict[str, Any] | None:
    return parsed(found.database) if found.database is not None else None


def _without_the_systems(runs: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """What runs, without rows and fields of the system's own that the file does not name."""
    left: dict[str, Any] = {}
    for name, rows in _plain(runs).items():
        if name not in kept.KINDS:
            left[name] = rows
            continue
        named = said.get(name, {})
        ours = {
            key: {field: value for field, value in row.items() if field in named[key]}
            for key, row in rows.items()
            if isinstance(named, dict) and isinstance(named.get(key), dict)
        }
        if ours:
            left[name] = ours
    return left


def _plain(tables: dict[str, Any]) -> dict[str, Any]:
    """Tables with rows; a row without fields is the same as one that says NULL."""
    return {
        name: {
            key: {f: v for f, v in row.items() if f != "NULL"} if isinstance(row, dict) else row
            for key, row in rows.items()
        }
        for name, rows in tables.items()
        if isinstance(rows, dict) and rows
    }


def _printed(tables: dict[str, Any]) -> str:
    try:
        return text_of(tables)
    except (AttributeError, TypeError):
        return _NOT_RUNNING


def _frr(text: str, found: Fetched) -> str:
    if found.frr is None:
        return _NO_FRR
    runs = _OF_VTYSH.sub("", found.frr)
    return text if text and statements(runs) == statements(text) else tidy(runs)


def tidied(saved: Rendered, like: Rendered) -> Rendered:
    """A saved CONFIG_DB without the system's own rows; what is no JSON stays as it is."""
    named = {file.path: parsed(file.text) or {} for file in like.files if file.path == CONFIG_DB}
    out = []
    for one in saved.files:
        runs = parsed(one.text) if one.path in named else None
        text = one.text if runs is None else _printed(_without_the_systems(runs, named[one.path]))
        out.append(replace(one, text=text))
    return replace(saved, files=tuple(out))


def own(saved: Rendered) -> tuple[Own, ...]:
    """Field by field the tables that `tidied` takes out."""
    databases = (parsed(file.text) for file in saved.files if file.path == CONFIG_DB)
    return tuple(sorted({one for found in databases for one in kept.own(_plain(found or {}))}))
