"""Reads an FRR configuration, ours or not.

By FRR's own rule: a line that the present block does not know is tried in the blocks
around it (lib/command.c, cmd_execute_command).
"""

from __future__ import annotations

from collections.abc import Callable

from .bgp import Bgp
from .found import Found
from .policies import Policies

_Handler = Callable[[list[str]], bool]
_LEAVE = (["exit"], ["end"], ["exit-address-family"])


def read(text: str, found: Found) -> None:
    """Everything neutral in it; lines that are not understood go to `unread`."""
    reader = _Frr(found)
    for raw in text.splitlines():
        line = raw.strip()
        if line and not line.startswith(("!", "#")) and not reader.line(line.split()):
            found.unread.append(f"frr: {line}")
    reader.finish()


class _Frr:
    """The blocks that are open, outermost first."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.policies = Policies()
        self.bgp = Bgp()
        self.profile = "traditional"
        self.integrated = self.logs = False
        self.kernel_nexthops = True
        self.blocks: list[_Handler] = [self._top]

    def line(self, words: list[str]) -> bool:
        """Take one statement; False when no open block knows it."""
        if words in _LEAVE:
            del self.blocks[1 if words == ["end"] else -1 :]
            self.blocks = self.blocks or [self._top]
            return True
        present = self.blocks
        for depth in range(len(present), 0, -1):
            self.blocks = present[:depth]
            if present[depth - 1](words):
                return True
        self.blocks = present
        return False

    def finish(self) -> None:
        """Put what the blocks said together."""
        self.bgp.finish(self.found, self.profile)
        self.policies.finish(self.found)
        if not self.integrated:
            self.found.hazards.append("frr.conf is not the one file: no integrated-vtysh-config")
        if not self.logs:
            self.found.hazards.append("FRR does not log to syslog at level informational")
        if self.kernel_nexthops and (self.found.release or "8.").startswith("8."):
            self.found.hazards.append(
                "kernel nexthop objects are on: FRR 8.4 may keep stale routes after a link flap"
            )

    def _top(self, words: list[str]) -> bool:
        match words:
            case ["frr", "version", release]:
                self.found.release = release
            case ["frr", "defaults", "traditional" | "datacenter" as profile]:
                self.profile = profile
            case ["hostname", name]:
                self.found.hostname = name
            case ["log", "syslog", "informational"]:
                self.logs = True
            case ["service", "integrated-vtysh-config"]:
                self.integrated = True
            case ["no", "zebra", "nexthop", "kernel", "enable"]:
                self.kernel_nexthops = False
            case ["ip", "route", prefix, "blackhole" | "Null0"]:
                self.found.discards.append(prefix)
            case ["ip", "prefix-list", *rest]:
                return self.policies.prefix_list(rest)
            case _:
                return self._open(words)
        return True

    def _open(self, words: list[str]) -> bool:
        match words:
            case ["route-map", name, "permit" | "deny" as action, number] if number.isdecimal():
                self.policies.entry(name, action, int(number))
                self.blocks.append(self.policies.inside)
            case ["router", "bgp", asn] if asn.isdecimal() and self.bgp.asn is None:
                self.bgp.asn = int(asn)
                self.blocks.append(self._bgp)
            case ["bfd"]:
                self.blocks.append(self._bfd)
            case _:
                return False
        return True

    def _bgp(self, words: list[str]) -> bool:
        if words == ["address-family", "ipv4", "unicast"]:
            self.blocks.append(self.bgp.ipv4)
            return True
        if words[0] == "address-family":
            self.found.unread.append(f"frr: {' '.join(words)}")
            self.blocks.append(self._other_family)
            return True
        return self.bgp.line(words)

    def _bfd(self, words: list[str]) -> bool:
        match words:
            case ["profile", name]:
                self.bgp.bfd.open(name)
                self.blocks.append(self.bgp.bfd.inside)
                return True
        return False

    def _other_family(self, words: list[str]) -> bool:
        """Lines of a family that is not read: they must not be taken for IPv4's."""
        is_family_line = words[0] in ("neighbor", "network", "maximum-paths", "redistribute")
        if is_family_line:
            self.found.unread.append(f"frr: {' '.join(words)} (in another address family)")
        return is_family_line
