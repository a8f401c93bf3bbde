"""CONFIG_DB as XML for libyang: tables, rows and fields put where SONiC's models want them.

By the shape of the models alone: a module has a container of its name, in it containers of the
tables' names, in these lists (rows by keys, a map in a second list) or containers (single rows).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import libyang  # type: ignore[import-not-found,import-untyped,unused-ignore]

Node = Any
# Lists of texts that CONFIG_DB holds as one text (sonic-yang-mgmt, sonic_yang_ext.py).
_COMMAS = {"profile_list"}


_NAMESPACE = re.compile(r"""namespace\s+["']?([^"';\s]+)""")


def context(folder: Path) -> tuple[Any, dict[str, tuple[str, Node]]]:
    """A context with every model of a folder; each table's namespace and container."""
    made = libyang.Context(str(folder))
    tables: dict[str, tuple[str, Node]] = {}
    # A model that is loaded compiles others anew: no node is asked before all are there.
    for module in [made.load_module(one.stem) for one in sorted(folder.glob("sonic-*.yang"))]:
        for top in module.children():
            for table in top.children():
                tables[table.name()] = (_namespace(folder, module), table)
    return made, tables


def unknown(text: str, tables: dict[str, tuple[str, Node]]) -> list[str]:
    """Tables that no model has."""
    return sorted(set(json.loads(text)) - set(tables))


def validate(made: Any, tables: dict[str, tuple[str, Node]], text: str) -> None:
    """Raises what libyang says of the first thing that is wrong."""
    modules: dict[tuple[str, str], list[str]] = {}
    for name, rows in json.loads(text).items():
        space, table = tables[name]
        body = "".join(_rows(table, rows))
        held = modules.setdefault((table.parent().name(), space), [])
        held.append(f"<{name}>{body}</{name}>")
    xml = "".join(
        f'<{top} xmlns="{space}">{"".join(bodies)}</{top}>'
        for (top, space), bodies in modules.items()
    )
    made.parse_data_mem(xml, "xml", strict=True, validate_present=True)


def _namespace(folder: Path, module: Any) -> str:
    """The binding has no call for it."""
    found = _NAMESPACE.search((folder / f"{module.name()}.yang").read_text())
    assert found
    return found[1]


def _rows(table: Node, rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    lists = [one for one in table.children() if one.nodetype() == libyang.SNode.LIST]
    singles = {one.name(): one for one in table.children() if one not in lists}
    for key, row in rows.items():
        if key in singles:
            yield f"<{key}>{''.join(_fields(singles[key], row))}</{key}>"
            continue
        words = key.split("|")
        own = [one for one in lists if len(list(one.keys())) == len(words)]
        if not own:
            raise ValueError(f"{table.name()} has no rows with {len(words)} keys: {key}")
        names = [one.name() for one in list(own[0].keys())]
        keys = "".join(f"<{n}>{escape(w)}</{n}>" for n, w in zip(names, words, strict=True))
        yield f"<{own[0].name()}>{keys}{''.join(_fields(own[0], row))}</{own[0].name()}>"


def _fields(holder: Node, row: dict[str, Any]) -> Iterator[str]:
    inner = [one for one in holder.children() if one.nodetype() == libyang.SNode.LIST]
    known = {one.name() for one in holder.children()}
    for name, value in row.items():
        if inner and name not in known:
            key, leaf = list(inner[0].children())[:2]
            yield (
                f"<{inner[0].name()}><{key.name()}>{escape(name)}</{key.name()}>"
                f"<{leaf.name()}>{escape(value)}</{leaf.name()}></{inner[0].name()}>"
            )
            continue
        many = value.split(",") if name in _COMMAS else value
        for one in [many] if isinstance(many, str) else many:
            yield f"<{name}>{escape(one)}</{name}>"
