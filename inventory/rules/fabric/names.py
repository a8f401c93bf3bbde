"""Rules for names: one device each, in DNS, SSH, Ansible and the words of flows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inventory.model import Fabric
from inventory.oob.flows import WORDS
from inventory.oob.plane import zones
from inventory.oob.switches import CORE
from inventory.problems import Problem
from inventory.topology.addressing import oob_server_address
from inventory.topology.population import GPU

_RESERVED_NAMES = ("all", "ungrouped", "localhost")
# Prefixes of the names of nodes of pods, switches, racks and PDUs.
_TAKEN = (
    *("node-", "leaf-", "spine", "superspine", "oob-", "rack-", "pdu-"),
    *("storage-leaf", "storage-spine", "business-leaf", "business-spine"),
)
_POD_OR_CORE = re.compile(r"p\d+|p\d+-.*|core")
# What a number and the word of a BMC leave of a DNS label.
_GROUP_NAME_BYTES = 50


def oob_server_has_its_own_name(fabric: Fabric) -> Iterator[Problem]:
    """Names are identities in DNS, SSH and Ansible: none may mean two things, also later."""
    name = fabric.intent.oob.server
    if name in _RESERVED_NAMES:
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name that Ansible leaves free")
    if name in {*fabric.names_at_maxima, CORE} or name.startswith(("oob-", "rack-", "pdu-")):
        hint = "a switch or node of this site has that name, now or after growth"
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name of its own", hint)


def oob_server_asks_others_for_the_time(fabric: Fabric) -> Iterator[Problem]:
    """A server that takes the time from itself would call its own clock somebody else's."""
    oob = fabric.intent.oob
    own = {str(oob_server_address(zone).ip) for zone in zones(fabric).values()}
    own |= {str(oob.access), f"{oob.server}.{oob.domain}"}
    for at, source in enumerate(oob.time.sources):
        if source in own:
            hint = "without sources it serves its own clock, and says so"
            path = ("oob", "time", "sources", at)
            yield fabric.problem(path, f"{source}, {oob.server} itself", "another server", hint)


def groups_have_their_own_names(fabric: Fabric) -> Iterator[Problem]:
    """A server named like a switch or a node of a pod would be two devices in DNS and SSH."""
    for name in fabric.intent.servers:
        word = name.replace("_", "-")
        if name in WORDS or name == GPU:
            hint = "flows name planes, zones and groups: a word means one of them"
            path = ("servers", name)
            yield fabric.marked.key_problem(path, f"`{name}`", "another name for the group", hint)
        path = ("servers", name)
        if f"{word}-".startswith(_TAKEN) or _POD_OR_CORE.fullmatch(word):
            hint = "its servers or racks would be named like others of the site"
            yield fabric.marked.key_problem(path, f"`{name}`", "another name for the group", hint)
        elif len(word) > _GROUP_NAME_BYTES:
            expected, hint = f"at most {_GROUP_NAME_BYTES} characters", "RFC 1035, 2.3.4: 63 a name"
            yield fabric.marked.key_problem(path, f"{len(word)} characters", expected, hint)


NAME_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    oob_server_has_its_own_name,
    oob_server_asks_others_for_the_time,
    groups_have_their_own_names,
)
