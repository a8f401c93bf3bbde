"""The digest of a plan: the same site gives the same 64 hex digits on every machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cache
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from operator import attrgetter
from typing import cast

from .plan import Plan

_ADDRESSES = frozenset((IPv4Address, IPv4Interface, IPv4Network))


def digest_of(plan: Plan) -> str:
    """SHA-256 of the plan's canonical JSON, without the digest itself."""
    return sha256(canonical_json(plan, without=("digest",)).encode()).hexdigest()


def canonical_json(value: object, without: tuple[str, ...] = ()) -> str:
    """Any part of a plan as JSON: keys sorted, no spaces; `without` leaves out top keys."""
    top = _plain(value)
    if isinstance(top, dict):
        top = {key: one for key, one in top.items() if key not in without}
    return json.dumps(top, default=_plain, check_circular=False, separators=(",", ":"))


@cache
def _reader(kind: Hashable) -> tuple[tuple[str, ...], Callable[[object], object]]:
    # Plans of large sites hold a million values: names are looked up once for each type.
    names = tuple(sorted(one.name for one in fields(cast("type[Plan]", kind))))
    return names, attrgetter(*names)


def _plain(value: object) -> object:
    kind = type(value)
    if kind in _ADDRESSES:
        return str(value)
    names, read = _reader(cast("Hashable", kind))
    return dict(zip(names, cast("tuple[object, ...]", read(value)), strict=True))
