"""Topology files of others as sources of cables: containerlab, netlab, AVD's structured configs.

containerlab: `topology.links[].endpoints` (containerlab.dev, "Topology definition"); netlab:
`links` with nodes as keys (netlab.tools, "Links"); AVD: `ethernet_interfaces[]` with `peer` and
`peer_interface` (avd.arista.com, "eos_cli_config_gen").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Pair = tuple[tuple[str, str], tuple[str, str]]
_OF_A_LINK = frozenset({"bandwidth", "bridge", "gateway", "mtu", "name", "prefix", "role", "type"})


def of_topology(value: Mapping[str, object], switch: str) -> Iterator[Pair]:
    """The cables of a topology; `switch` is whose structured config it is, where it names none."""
    inner = value.get("topology")
    for link in _listed(inner.get("links") if isinstance(inner, Mapping) else None):
        ends = [_colon(one) for one in _listed(link.get("endpoints"), str)]
        if len(ends) == 2:
            yield ends[0], ends[1]
    for link in _listed(value.get("links")):
        ends = [
            (name, str(one.get("ifname", "")))
            for name, one in link.items()
            if isinstance(one, Mapping) and name not in _OF_A_LINK
        ]
        if len(ends) == 2:
            yield ends[0], ends[1]
    own = value.get("hostname")
    here = own if isinstance(own, str) else switch
    for port in _listed(value.get("ethernet_interfaces")):
        far = str(port.get("peer") or ""), str(port.get("peer_interface") or "")
        yield (here, str(port.get("name") or "")), far


def _listed(value: object, kind: type = Mapping) -> list[Any]:
    return [one for one in value if isinstance(one, kind)] if isinstance(value, list) else []


def _colon(text: str) -> tuple[str, str]:
    device, _, port = text.partition(":")
    return device, port
