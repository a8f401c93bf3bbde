"""CONFIG_DB as Redis holds it, and as programs print it.

Lists as `field@`, a row without fields as NULL: sonic-py-swsssdk, configdb.py (typed_to_raw,
raw_to_typed).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..trees import Tree

Hashes = dict[str, dict[str, str]]


def hashes(tables: Tree) -> Hashes:
    """Tables as Redis holds them."""
    return {
        f"{table}|{key}": {
            (f"{name}@" if isinstance(value, list) else name): (
                ",".join(value) if isinstance(value, list) else str(value)
            )
            for name, value in row.items()
        }
        or {"NULL": "NULL"}
        for table, rows in tables.items()
        if table[0].isupper()
        for key, row in rows.items()
    }


def tables(held: Mapping[str, Mapping[str, str]]) -> Tree:
    """The same as programs print it."""
    out: Tree = {}
    for name, row in held.items():
        table, _, key = name.partition("|")
        out.setdefault(table, {})[key] = {
            field.removesuffix("@"): value.split(",") if field.endswith("@") else value
            for field, value in row.items()
        }
    return out
