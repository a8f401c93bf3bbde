"""The digest of a plan: the same site gives the same 64 hex digits on every machine."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .plan import Plan


def digest_of(plan: Plan) -> str:
    """SHA-256 of the plan's canonical JSON, without the digest itself."""
    return sha256(canonical_json(plan, without=("digest",)).encode()).hexdigest()


def canonical_json(value: object, without: tuple[str, ...] = ()) -> str:
    """Any part of a plan as JSON: keys sorted, no spaces; `without` leaves out top keys."""
    top = _plain(value)
    if isinstance(top, dict):
        top = {key: one for key, one in top.items() if key not in without}
    return json.dumps(top, default=_plain, sort_keys=True, separators=(",", ":"))


def _plain(value: object) -> object:
    if isinstance(value, IPv4Address | IPv4Interface | IPv4Network):
        return str(value)
    if isinstance(value, type) or not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} is not part of a plan")
    return {one.name: getattr(value, one.name) for one in fields(value)}
