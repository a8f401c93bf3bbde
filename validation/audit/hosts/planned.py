"""The servers of a plan as the files say them that our roles write there: a site's own hosts.

The roles' templates are read as data (`validation/manifest`), and their texts as anybody's. Of a
node all is read; of a whole site's, what each network tool is told is read once for each kind of
node, and of the others the list of the same interfaces that the role keeps for its own program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inventory.plan import Plan
from validation.manifest.device import Manifests, manifests

from .facts import HostFacts
from .host import Host, host

_OWN = r"/etc/default/railbed-roce-nic|/etc/railbed/network|/etc/sysctl\.d/.*"
_TOOLS = (
    r"/etc/netplan/.*|/etc/systemd/network/.*|/etc/network/interfaces\.d/.*"
    r"|/etc/NetworkManager/system-connections/.*"
)
_NCCL = {"nccl": re.compile(r"/etc/nccl\.conf|/etc/ucx/ucx\.conf")}
_BRIEF = {"roce_nic": re.compile(_OWN), **_NCCL}
_WHOLE = {
    "roce_nic": re.compile(f"{_OWN}|{_TOOLS}"),
    "kernel_tuning": re.compile(r"/etc/sysctl\.d/.*"),
    **_NCCL,
}


def planned_host(plan: Plan, node_name: str) -> Host:
    """One node, by every file that our roles write of its NICs. KeyError for another name."""
    return _host(manifests(plan), plan.node[node_name].name, _WHOLE)


def planned_hosts(plan: Plan) -> Iterator[Host]:
    """Every node with NICs, by name; of nodes of one kind the first by every file."""
    known: set[tuple[str, str, str]] = set()
    texts = manifests(plan)
    for name, node in sorted(plan.node.items()):
        kind = (node.kind, node.profile, node.software.nics.network)
        found = _host(texts, name, _BRIEF if kind in known else _WHOLE)
        known.add(kind)
        if found.facts.nics:
            yield found


def _host(texts: Manifests, name: str, wanted: dict[str, re.Pattern[str]]) -> Host:
    files = {path: data.decode() for path, data in texts.texts(name, wanted).items()}
    return host(name, files) or Host(name, HostFacts(), files)
