"""Dumps of SONiC's databases, as `sonic-db-dump -n DB -k PATTERN -y` prints them.

One JSON object: each key with its `type` and `value` (sonic-utilities, scripts/generate_dump and
tests/fast_reboot_dump_dbs). Where no key is of the pattern it is empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.fields import Unreadable, document, mapping, needed, text_of
from inventory.reading.numbers import count

_NUMBER = count("number")
Tables = Mapping[str, Mapping[str, str]]


def dump(text: str, what: str) -> Tables:
    """All hashes of a dump by their keys. Raises Unreadable where it is not whole."""
    found: dict[str, dict[str, str]] = {}
    for key, told in mapping(document(text, "sonic-db-dump"), what).items():
        entry = mapping(told, key)
        if text_of(entry, "type", key) != "hash":
            raise Unreadable(f"{key} is no hash")
        fields = mapping(needed(entry, "value", key), key)
        found[key] = {name: text_of(fields, name, key) for name in fields}
    return found


def held(tables: Tables, key: str) -> Mapping[str, str]:
    """A hash that must be there."""
    if key not in tables:
        raise Unreadable(f"SONiC has no {key}")
    return tables[key]


def row(fields: Mapping[str, str], name: str, what: str) -> str:
    """A field that must be there and say something."""
    if not fields.get(name):
        raise Unreadable(f"{what} has no {name!r}")
    return fields[name]


def number(said: str, what: str) -> int:
    """A count as SONiC writes it: decimal digits."""
    try:
        return _NUMBER.read(said)
    except Unreadable as why:
        raise Unreadable(f"{what}: {why}") from None
