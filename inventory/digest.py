"""The digest of a plan: the same site gives the same 64 hex digits on every machine.

Plans of large sites hold a million objects, and their text is made for this alone. So an object
is the list of its values, and the names of its fields are said once for each type.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from operator import attrgetter
from typing import cast

from .plan import Plan

Reader = Callable[[object], object]


class _Readers(dict[type, Reader]):
    """How a value of each type is read; `shapes` names the fields of the types met."""

    def __init__(self) -> None:
        super().__init__()
        addresses = {IPv4Address: _dotted, IPv4Interface: _interface, IPv4Network: str}
        self.update(cast("dict[type, Reader]", addresses))
        self.shapes: dict[str, list[str]] = {}

    def __missing__(self, kind: type) -> Reader:
        names = sorted(field.name for field in fields(kind))
        self.shapes[kind.__name__] = names
        self[kind] = attrgetter(*names)
        return self[kind]

    def plain(self, value: object) -> object:
        return self[type(value)](value)


# What `str` says of both, in a third of the time: there are several on every link.
def _dotted(value: IPv4Address) -> str:
    number = int(value)
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _interface(value: IPv4Interface) -> str:
    return f"{_dotted(value)}/{value.network.prefixlen}"


def digest_of(plan: Plan) -> str:
    """SHA-256 of the plan's canonical text, without the digest itself."""
    return sha256(canonical_text(plan, without=("digest",)).encode()).hexdigest()


def canonical_text(plan: Plan, without: tuple[str, ...] = ()) -> str:
    """The whole plan as text; `without` leaves out fields of the plan itself.

    Two lines of JSON: the plan's fields by name, then the names of the values in its lists.
    """
    readers = _Readers()
    names = sorted({field.name for field in fields(plan)} - set(without))
    parts = {name: getattr(plan, name) for name in names}
    text = json.dumps(parts, default=readers.plain, check_circular=False, separators=(",", ":"))
    return f"{text}\n{json.dumps(readers.shapes, sort_keys=True)}"


# Of these a part is one device; the rest of a plan is told apart by its field alone.
_BY_NAME = {"switches": "switch", "oob_switches": "OOB switch", "nodes": "node", "racks": "rack"}


def parts_of(plan: Plan) -> dict[str, str]:
    """A digest for each part of the plan, so that two plans can be told apart part by part.

    A part is a field (`lossless`), or one device (`node node-p1-1`). Sorted by name.
    """
    found: dict[str, object] = {}
    for field in fields(plan):
        value = getattr(plan, field.name)
        if word := _BY_NAME.get(field.name):
            found |= {f"{word} {one.name}": one for one in value}
        elif field.name != "digest":
            found[field.name] = value
    readers = _Readers()
    return {
        name: sha256(json.dumps(found[name], default=readers.plain).encode()).hexdigest()
        for name in sorted(found)
    }
