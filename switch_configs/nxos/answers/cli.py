"""JSON of Cisco NX-OS's command line: tables, rows, refusals, and its short names of ports.

A table of one row is an object, of several a list, and some commands print a list of tables (NX-API
CLI, Nexus 9000 Programmability Guide; napalm-automation/napalm, test/nxos/mocked_data). A command
of a feature that is off is refused as if there were no such command, so `show feature` has to say
which it is.
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, document, mapping, needed, text_of
from switch_configs.answers.said import FeatureOff, Said, ended_well

_REFUSED = "Invalid command"
_NAME = re.compile(r"(Eth|Po|Lo)(\d\S*)")
_SHORT = {"Eth": "Ethernet", "Po": "port-channel", "Lo": "loopback"}


def shown(said: Said) -> dict[str, object]:
    """The document. Raises Unreadable, also where nothing was printed."""
    return mapping(document(ended_well(said), "NX-OS"), "NX-OS's answer")


def is_refused(said: Said) -> bool:
    """Whether NX-OS knows no such command now."""
    return said.status != 0 and _REFUSED in said.errors


def off(said: Said, features: Said, name: str) -> FeatureOff:
    """That the feature `name` is off, so `said` was refused. Raises Unreadable where it is not."""
    told = rows(shown(features), "cfcFeatureCtrlTable")
    states = [
        text_of(one, "cfcFeatureCtrlOpStatus2", name)
        for one in told
        if text_of(one, "cfcFeatureCtrlName2", "features") == name
    ]
    if not states or any(state != "disabled" for state in states):
        raise Unreadable(f"NX-OS refused `{said.line}`, and feature {name} is not off")
    return FeatureOff(name.upper(), f"`feature {name}` is not in its configuration")


def rows(parent: dict[str, object], name: str) -> list[dict[str, object]]:
    """The rows of a table that must be there. Raises Unreadable."""
    made: list[dict[str, object]] = []
    for table in _listed(needed(parent, f"TABLE_{name}", "NX-OS")):
        found = _listed(needed(mapping(table, name), f"ROW_{name}", name))
        made += [mapping(one, name) for one in found]
    if not made:
        raise Unreadable(f"NX-OS printed no row of {name}")
    return made


def rows_if_any(parent: dict[str, object], name: str) -> list[dict[str, object]]:
    """The same of a table that is left out where it has no row."""
    return rows(parent, name) if f"TABLE_{name}" in parent else []


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def port_name(name: str) -> str:
    """A port's name in full: `Eth1/1` is `Ethernet1/1`."""
    match = _NAME.fullmatch(name)
    return f"{_SHORT[match[1]]}{match[2]}" if match else name
