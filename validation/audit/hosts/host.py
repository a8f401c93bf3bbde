"""A server as its files and saved outputs say it: recognised by content, read without a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

from inventory.reading.fields import Unreadable

from . import interfaces, netplan, ports, qos, settings
from .facts import HostFacts, NicFacts
from .fold import Placed, fold
from .reading import UNREAD, Reading, chunks


@dataclass(frozen=True)
class Host:
    """One server: its facts, and its texts by the names of the files that they came in."""

    name: str
    facts: HostFacts
    texts: Mapping[str, str] = field(repr=False)

    @cached_property
    def _nics(self) -> Mapping[str, NicFacts]:
        return {nic.name: nic for nic in self.facts.nics}

    def nic(self, name: str) -> NicFacts | None:
        """The facts of a port of this name."""
        return self._nics.get(name)

    def place(self, key: str) -> str:
        """`file:line` of a fact; of one that nobody says, the first file."""
        return self.facts.places.get(key) or min(self.texts, default="")


# What no switch has: a bundle that says any of it is a server's.
_OF_SERVERS = re.compile(
    r"trust|priority_of|pfc_priorities|ecn_priorities|roce_[nr]p|tos|traffic_class|cnp_|gids"
    r"|is_roce_v2|roce_mtu|device|setting:"
)
_READERS = (
    *settings.READERS,
    *interfaces.READERS,
    *qos.READERS,
    *ports.READERS,
)
# Outputs that nobody keeps for anything else: one that no reader knows is damaged.
_NAMED = re.compile(r"mlnx_qos|show_gids|cma_roce_(?:tos|mode)|(?:mlx|mst)config|dcb (?:pfc|app)")
# Files whose place alone says what they are.
_PLACED = re.compile(
    r"/etc/netplan/[^/]+\.yaml$|/etc/default/railbed-roce-nic$|/etc/railbed/network$"
)
_NAME = re.compile(r"\A[\w.-]+\n?\Z")
# Of what is longer no tool's output is; a text of a server is short.
_LONGEST = 4 << 20
# A file of sysfs.
_SHORT = 200


def host(source: str, texts: Mapping[str, str], *, is_switch: bool = False) -> Host | None:
    """What one server's texts say, by the path of each; None where they are of no server.

    `is_switch`: its texts are a switch's as well, so only what no switch has makes it a server.
    Never raises on text: a file of a known kind that cannot be read is in `HostFacts.unread`.
    """
    found: list[Placed] = []
    unread: list[tuple[str, str]] = []
    name = source.rstrip("/").rpartition("/")[2]
    in_order = netplan.in_order(texts)
    beside = netplan.beside(in_order)
    for path, text in in_order.items():
        shown = f"{source}{path}" if path.startswith("/") else path
        if path.rpartition("/")[2] == "hostname" and _NAME.match(text):
            name = text.strip()
        # A text may know the file that it came in.
        said, why = readings(path, str(text), beside.get(path, netplan.ALONE))
        found += (Placed(shown, one) for one in said)
        unread += ((shown, one) for one in why)
    is_sure = any(_OF_SERVERS.match(one.reading.what) for one in found)
    has_any = any(not one.reading.what.startswith(UNREAD) for one in found)
    if not has_any or (is_switch and not is_sure):
        return None
    shown_texts = {
        f"{source}{path}" if path.startswith("/") else path: text for path, text in texts.items()
    }
    return Host(name, fold(found, unread), shown_texts)


@lru_cache(maxsize=4096)  # servers of one kind have many files alike
def readings(
    path: str, text: str, beside: netplan.Beside = netplan.ALONE
) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """What a file says, and why a part of it cannot be read."""
    if len(text) > _LONGEST:
        return (), ()
    found: list[Reading] = []
    unread: list[str] = []
    for chunk in chunks(path, text):
        known = [read for pattern, read in _READERS if pattern.search(chunk.text)]
        if netplan.PATTERN.search(chunk.text):
            known.append(partial(netplan.read, beside=beside))
        if not known and (tool := _NAMED.match(chunk.command)):
            unread.append(f"line {chunk.above + 1}: {tool[0]} prints something else")
        if not known and _PLACED.search(path) and chunk.text.strip():
            unread.append("it is not what its name says: nothing of it is read")
        known += (settings.of_sysctl_file,)
        for read in known:
            try:
                found += read(chunk)
            except Unreadable as why:
                unread.append(f"line {chunk.above + 1}: {why}")
            except (ValueError, KeyError, IndexError, RecursionError) as error:
                unread.append(f"line {chunk.above + 1}: {type(error).__name__}")
        if len(chunk.text) < _SHORT:
            try:
                found += qos.of_one_file(chunk)
            except Unreadable as why:
                unread.append(f"line {chunk.above + 1}: {why}")
    return tuple(found), tuple(unread)
