"""A Linux switch: FRR beside ifupdown2, nftables, tc and sysctl, by their manual pages.

interfaces(5) of ifupdown2, nft(8), tc(8) with tc-ets, tc-red, tc-tbf and tc-flower, sysctl.d(5),
Documentation/networking/ip-sysctl.rst. An interface without `mtu` has 1500; a filter sorts by
`pref`, and `tc -batch` stops at the first line that the kernel refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from . import frr

Facts = dict[tuple[object, ...], object]


def read(texts: Mapping[str, str]) -> Facts:
    """What the files of one switch do together."""
    found: Facts = {}
    for path, text in texts.items():
        lines = [line for line in text.splitlines() if not re.match(r"\s*(#|$)", line)]
        if path.endswith("frr.conf"):
            found |= frr.read(text)
        elif path.endswith("interfaces"):
            _interfaces(lines, found)
        elif path.endswith("nftables.conf"):
            _nft(lines, found)
        elif path.endswith(".tc"):
            _tc(lines, found)
        elif "sysctl" in path:
            for line in lines:
                name, _, value = line.partition("=")
                found["routing", "sysctl", name.strip()] = value.strip()
        elif path.endswith("daemons"):
            for line in lines:
                name, _, value = line.partition("=")
                routes = name in {"bgpd", "bfdd", "zebra_options", "bgpd_options", "vtysh_enable"}
                if value != "no":
                    found["routing" if routes else "services/other", "daemons", name] = value
        else:
            section = ""
            for line in lines:
                section = line if line.startswith("[") else section
                if not line.startswith("Description="):
                    family = "marking" if path.endswith("queues.service") else "services/other"
                    found[family, path, section, line.strip()] = True
    return found


def _interfaces(lines: list[str], found: Facts) -> None:
    name, up = "", set()
    tables = ("vrf", "bond", "bridge", "vlan", "post-up")
    for line in lines:
        words = line.split()
        if words[0] == "auto":
            up |= set(words[1:])
        elif words[0] == "iface":
            name = words[1]
            found["routing", name, "is"] = " ".join(words[2:])
            found.setdefault(("mtu", name), "1500")
        elif words[0] == "mtu":
            found["mtu", name] = " ".join(words[1:])
        elif words[0] == "address":
            found["routing", name, "address", " ".join(words[1:])] = True
        elif words[0] == "post-up":
            found["tables/leaks", name, line.strip()] = True
        elif words[0] != "alias":
            family = "tables/leaks" if words[0].startswith(tables) else "services/other"
            rest = (
                words[1:]
                if words[0] not in {"bond-slaves", "bridge-ports", "bridge-vids"}
                else [" ".join(sorted(words[1:]))]
            )
            found[family, name, words[0]] = " ".join(rest)
    for one in {str(key[1]) for key in found if key[0] == "mtu"}:
        found["routing", one, "auto"] = one in up


def _nft(lines: list[str], found: Facts) -> None:
    above: list[str] = []
    rules: dict[str, list[str]] = {}
    for line in lines:
        said = line.strip()
        if said == "}":
            if not above:
                found["refused", "nft"] = True
            above = above[:-1]
        elif said.endswith("{"):
            above.append(said)
            if said.split()[1] in {"drop", "accept", "queue", "reject", "return"}:
                found["refused", "nft"] = True  # nft's own words are no names (src/scanner.l)
        else:
            rules.setdefault(" ".join(above), []).append(said)
    for chain, lines_of in rules.items():
        # nft(8): a base chain is called by its hook, its name is anybody's; `type` and `policy` may
        # stand anywhere in it; and of rules side by side with one verdict none is before another.
        hook = " ".join(dict.fromkeys(one for one in lines_of if one.startswith("type ")))
        name = f"{chain.partition(' chain ')[0]} {hook}" if hook else chain
        family = "marking" if "bridge" in chain else "tables/leaks"
        family = "services/other" if "hook input" in hook else family
        others = [one for one in dict.fromkeys(lines_of) if not one.startswith("type ")]
        runs = groupby(others, key=_verdict)
        found[family, "nft", name] = tuple(frozenset(some) for _, some in runs)
    if above:
        found["refused", "nft"] = True


def _verdict(rule: str) -> str:
    """What a rule does with all that it matches; itself where it does more than that."""
    match = re.fullmatch(r"(?:(?:iifname|oifname|ip|ip6|tcp|udp) .* )?(accept|drop)", rule)
    return match[1] if match else rule


def _tc(lines: list[str], found: Facts) -> None:
    filters: dict[str, dict[int, tuple[str, int, int, int]]] = {}
    roots: dict[str, tuple[str, str, list[int]]] = {}
    for number, line in enumerate(lines):
        words = line.split()
        dev = words[3] if len(words) > 4 else ""
        if words[0] == "filter" and not _filter(line, dev, filters):
            found["marking", "refused from"] = number
            return
        if " root " in line and not _fits(line):
            found["marking", "refused from"] = number
            return
        if words[0] == "qdisc":
            _qdisc(line, dev, roots, found)
        if words[0] == "qdisc" and " parent " in line:
            handle = roots.get(dev, ("", "", []))[0]
            if not handle or f" parent {handle}:" not in line:
                found["marking", "refused from"] = number
                return
    for dev, (_, how, bands) in roots.items():
        found["marking", dev, "bands"] = how
        for dscp in range(64):
            for kind in ("ip", "ipv6"):
                prio = _prio(dscp, kind, filters.get(dev, {}))
                found["marking", dev, kind, dscp] = bands[prio] if prio < len(bands) else None


def _fits(line: str) -> bool:
    """Whether bands of ets are as many as it says (tc-ets)."""
    match = re.search(r"ets bands (\d+) strict (\d+) quanta ([\d ]+?) priomap ([\d ]+)$", line)
    if not match:
        return False
    bands, strict = int(match[1]), int(match[2])
    priorities = [int(one) for one in match[4].split()]
    return (
        1 <= bands <= 16 and strict + len(match[3].split()) <= bands
        and len(priorities) <= 16 and max(priorities) < bands
    )  # fmt: skip


def _filter(line: str, dev: str, filters: dict[str, dict[int, tuple[str, int, int, int]]]) -> bool:
    match = re.search(
        r"ingress pref (\d+) handle \S+ protocol (ip|ipv6) flower ip_tos (0x[0-9a-f]+)/"
        r"(0x[0-9a-f]+) action skbedit priority (\d+)$", line
    )  # fmt: skip
    if not match:
        return False
    pref, value, mask = int(match[1]), int(match[3], 16), int(match[4], 16)
    known = filters.setdefault(dev, {}).get(pref)
    if value > 255 or mask > 255 or (known and known[0] != match[2]):
        return False
    filters[dev][pref] = (match[2], value, mask, int(match[5]))
    return True


def _prio(dscp: int, kind: str, filters: Mapping[int, tuple[str, int, int, int]]) -> int:
    for _, (protocol, value, mask, prio) in sorted(filters.items()):
        if protocol == kind and (dscp << 2) & mask == value & mask:
            return prio
    return 0


def _qdisc(line: str, dev: str, roots: dict[str, tuple[str, str, list[int]]], found: Facts) -> None:
    root = re.search(r"root handle (\d+): (ets .*) priomap ([\d ]+)$", line)
    if root:
        roots[dev] = (root[1], root[2], [int(one) for one in root[3].split()])
    child = re.search(r"parent \d+:(\d+) handle \d+: (\S+) (.*)$", line)
    if child:
        family = "ecn/watchdog" if child[2] == "red" else "marking"
        found[family, dev, "band", child[1]] = (child[2], child[3])
    if line.endswith("clsact"):
        found["marking", dev, "clsact"] = True
