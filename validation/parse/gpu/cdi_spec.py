"""A CDI specification: what a container gets with each of its devices.

Source: SPEC.md of github.com/cncf-tags/container-device-interface. `containerEdits` of the whole
specification count for each of its devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from inventory.reading.fields import Unreadable, document


@dataclass(frozen=True, slots=True)
class CdiDevice:
    """What one device brings into a container, by its paths there; `mounts` with the host's."""

    nodes: frozenset[str]
    mounts: Mapping[str, str]


def cdi_devices(text: str | None, path: str) -> dict[str, CdiDevice]:
    """The devices by full name, VENDOR/CLASS=NAME. Unreadable for what is no specification."""
    if text is None:
        raise Unreadable(f"{path} could not be read")
    try:
        told: Any = document(text, path)
        kind, common = told["kind"], told.get("containerEdits", {})
        return {
            f"{kind}={one['name']}": _device(common, one.get("containerEdits", {}))
            for one in told["devices"]
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Unreadable(f"{path} is no CDI specification") from None


def _device(*edits: dict[str, list[dict[str, str]]]) -> CdiDevice:
    nodes = chain.from_iterable(one.get("deviceNodes", []) for one in edits)
    mounts = chain.from_iterable(one.get("mounts", []) for one in edits)
    return CdiDevice(
        frozenset(node["path"] for node in nodes),
        {mount["containerPath"]: mount["hostPath"] for mount in mounts},
    )
