"""The lossless class of a Cumulus port, from the JSON of two shows with `--operational`.

`nv show interface PORT qos pfc` has `rx`, `tx` and, where one is on, `switch-priority`; `nv show
interface PORT qos mapping` has `trust` (l2, l3, both, port) and `dscp` (NVUE Command Reference,
Show Commands, QoS; Cumulus Linux, Quality of Service). As JSON, NVUE prints its object model, where
a collection is an object that is keyed by its numbers: `"switch-priority": {"3": {}}`, `"dscp":
{"26": {"switch-priority": 3}}` (Cumulus Linux, NVUE CLI and NVUE API). Older releases say `enable`,
newer ones `enabled`.
"""

from __future__ import annotations

from ..parse.fields import Unreadable, document, mapping, number_of, text_of
from .seen import PRIORITIES, PortLossless, Priorities, of_numbers

_SWITCHED = {"disable": False, "disabled": False, "enable": True, "enabled": True}
_TRUST = {"both": "both", "l2": "pcp", "l3": "dscp", "port": "none"}
_DSCPS = 64


def port(name: str, pfc: str, classes: str) -> PortLossless:
    """One port, from both answers. Raises Unreadable."""
    told = mapping(document(pfc, "nv"), f"{name}: pfc")
    obeys, asks = (_switched(told, way, name) for way in ("rx", "tx"))
    priorities = _priorities(told, name) if obeys or asks else ()
    asked = priorities if asks else ()
    trust, dscps = _classes(mapping(document(classes, "nv"), f"{name}: mapping"), name, asked)
    return PortLossless(name, priorities if obeys else (), asked, trust, dscps)


def _switched(told: dict[str, object], way: str, name: str) -> bool:
    said = text_of(told, way, name)
    if said not in _SWITCHED:
        raise Unreadable(f"{name}: {way} of PFC is {said!r}")
    return _SWITCHED[said]


def _priorities(told: dict[str, object], name: str) -> Priorities:
    what = f"{name}: switch-priority"
    if "switch-priority" not in told:
        raise Unreadable(f"{name} pauses, and NVUE does not tell which priorities")
    return of_numbers(mapping(told["switch-priority"], what), PRIORITIES, what)


def _classes(
    told: dict[str, object], name: str, asked: Priorities
) -> tuple[str, tuple[int, ...] | None]:
    """What the port trusts, and the DSCPs that end in a priority for which it asks for pauses.

    Where it trusts DSCP and does not tell the map, they are unknown; where it does not, none end
    there for their DSCP.
    """
    said = text_of(told, "trust", name)
    if said not in _TRUST:
        raise Unreadable(f"{name}: trust is {said!r}")
    trust = _TRUST[said]
    if trust not in ("dscp", "both"):
        return trust, ()
    if "dscp" not in told:
        return trust, None
    rows = mapping(told["dscp"], f"{name}: dscp")
    found = of_numbers(rows, _DSCPS, f"{name}: dscp")
    ends = {int(one): number_of(mapping(rows[one], name), "switch-priority", name) for one in rows}
    return trust, tuple(dscp for dscp in found if ends[dscp] in asked)
