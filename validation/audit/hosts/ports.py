"""Ports as they run: links, addresses, rules and routes of iproute2, ethtool, LLDP and GIDs.

show_gids and ibdev2netdev: github.com/Mellanox/mlnx-tools; rdma(8), ip(8), ethtool(8); lldpcli(8);
lldptool(8) of open-lldp.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from switch_configs.answers.linux import iproute, lldpcli
from validation.parse.host import policy
from validation.parse.nic import ethtool, rdma_sysfs

from .facts import GidFacts, RouteFacts, RuleFacts
from .reading import INDEX, MTU, RULE_PRIORITY, SPEED, Chunk, Reader, Reading

_LINK = re.compile(r"^\d+: ([^\s:@]+)[@:].* mtu (\d+)")
_INET = re.compile(r"^\s+inet (\S+/\d+)")
_ONE_LINE = re.compile(r"(?m)^\d+: (\S+)\s+inet (\S+/\d+)")
_MASTER = re.compile(r"\bmaster (\S+)")
_RULE = re.compile(r"^(\d+):\s+from (\S+)(?: .*)? lookup (\S+)")
_ROUTE = re.compile(r"^(?:unicast )?(default|[\d.]+(?:/\d+)?) (.*)")
_GID = re.compile(
    r"^(\S+)\s+(\d+)\s+(\d+)\s+((?:[0-9a-f]{4}:){7}[0-9a-f]{4})\s+(?:([\d.]+)\s+)?(v[12])\s+(\S+)\s*$"
)
_BUILT_IN = frozenset({"local", "main", "default", "255", "254", "253"})


def _links(chunk: Chunk) -> Iterator[Reading]:
    name, held = "", defaultdict[str, list[str]](list)
    at: dict[str, int] = {}
    for number, line in chunk.lines():
        if found := _LINK.match(line):
            name = found[1]
            at[name] = number
            yield Reading(name, "mtu_bytes", MTU.read(found[2]), number, runs=True)
            if master := _MASTER.search(line):
                yield Reading(name, "bond", master[1], number, runs=True)
        elif name and (found := _INET.match(line)):
            held[name].append(found[1])
            at[name] = number
    for port, addresses in held.items():
        yield Reading(port, "addresses", tuple(sorted(addresses)), at[port], runs=True)


def _one_line(chunk: Chunk) -> Iterator[Reading]:
    """`ip -o address`."""
    for one in _ONE_LINE.finditer(chunk.text):
        yield Reading(one[1], "addresses", (one[2],), chunk.at(one.start()), runs=True)


def _links_json(chunk: Chunk) -> Iterator[Reading]:
    for entry in sequence(document(chunk.text, "ip"), "links"):
        if not entry:
            continue
        one = mapping(entry, "link")
        name = text_of(one, "ifname", "link")
        line = chunk.line(f'"ifname":"{name}"')
        if "mtu" in one:
            yield Reading(name, "mtu_bytes", MTU.of(one, "mtu", name), line, runs=True)
        if isinstance(one.get("master"), str):
            yield Reading(name, "bond", one["master"], line, runs=True)
        held = [mapping(item, name) for item in sequence(one.get("addr_info", []), name)]
        inet = [item for item in held if item.get("family", "inet") == "inet"]
        if inet:
            addresses = sorted(
                f"{text_of(a, 'local', name)}/{iproute.BITS.of(a, 'prefixlen', name)}" for a in inet
            )
            yield Reading(name, "addresses", tuple(addresses), line, runs=True)


def _rules(chunk: Chunk) -> Iterator[Reading]:
    for number, line in chunk.lines():
        if (found := _RULE.match(line)) and found[3] not in _BUILT_IN:
            rule = RuleFacts(RULE_PRIORITY.read(found[1]), found[2], found[3])
            yield Reading("", "rule", rule, number, runs=True)
    yield Reading("", "rules", True, chunk.above + 1, runs=True)


def _rules_json(chunk: Chunk) -> Iterator[Reading]:
    for one in policy.rules(chunk.text):
        if one.table not in _BUILT_IN:
            line = chunk.line(f'"src":"{one.source}"')
            rule = RuleFacts(one.priority, one.source, one.table)
            yield Reading("", "rule", rule, line, runs=True)
    yield Reading("", "rules", True, chunk.above + 1, runs=True)


def _routes(chunk: Chunk) -> Iterator[Reading]:
    for number, line in chunk.lines():
        found = _ROUTE.match(line)
        said = dict(pairwise(found[2].split())) if found else {}
        table, via = said.get("table", policy.MAIN), said.get("via", "")
        if found and (via or table not in _BUILT_IN):
            prefix = "0.0.0.0/0" if found[1] == "default" else found[1]
            route = RouteFacts(table, prefix, said.get("dev", ""), via)
            yield Reading("", "route", route, number, runs=True)
    yield Reading("", "routes", True, chunk.above + 1, runs=True)


def _routes_json(chunk: Chunk) -> Iterator[Reading]:
    for (table, prefix), hop in policy.tables(chunk.text).items():
        if hop.gateway or table not in _BUILT_IN:
            whole = "0.0.0.0/0" if prefix == "default" else prefix
            line = chunk.line(f'"table":"{table}"')
            route = RouteFacts(table, whole, hop.port, hop.gateway)
            yield Reading("", "route", route, line, runs=True)
    yield Reading("", "routes", True, chunk.above + 1, runs=True)


def _whole_gids(text: str) -> None:
    """Unreadable where a row is no row, or there are not as many as the last line counts."""
    rows = [line for line in text.splitlines() if line.strip() and line[:3] not in ("DEV", "---")]
    last = f"n_gids_found={len(rows) - 1}"
    if not rows or rows[-1].strip() != last or not all(map(_GID.match, rows[:-1])):
        raise Unreadable("show_gids: rows are lost or damaged, or its last line is")


def _gids(chunk: Chunk) -> Iterator[Reading]:
    found: dict[str, list[GidFacts]] = defaultdict(list)
    at: dict[str, int] = {}
    ports: dict[str, str] = {}
    _whole_gids(chunk.text)
    for number, line in chunk.lines():
        if (one := _GID.match(line)) and one[2] == "1":
            found[one[1]].append(GidFacts(INDEX.read(one[3]), one[6] == "v2", one[5] or ""))
            at.setdefault(one[1], number)
            ports.setdefault(one[1], one[7])
    for device, gids in found.items():
        yield Reading(ports[device], "device", device, at[device], runs=True)
        yield Reading(ports[device], "gids", tuple(sorted(gids)), at[device], runs=True)
    yield Reading("", "devices", tuple(sorted(found)), chunk.above + 1, runs=True)


_GID_FILE = re.compile(
    r"(?m)^(?P<where>/sys/class/infiniband/[^/]+/ports/1)/(?:gids|gid_attrs/(?:types|ndevs))/"
    r"(?P<index>\d+):\S.*$"
)


def _gid_files(chunk: Chunk) -> Iterator[Reading]:
    """The files of a GID table as `grep -r .` prints them; an entry in use has all three."""
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    at: dict[str, int] = {}
    for one in _GID_FILE.finditer(chunk.text):
        rows[one["where"], one["index"]].append(one[0])
        at.setdefault(one["where"].split("/")[4], chunk.at(one.start()))
    whole = [line for lines in rows.values() if len(lines) == 3 for line in lines]
    found: dict[tuple[str, str], list[GidFacts]] = defaultdict(list)
    for gid in rdma_sysfs.gids("\n".join(whole)) if whole else ():
        found[gid.device, gid.ndev].append(GidFacts(gid.index, "v2" in gid.kind, gid.ipv4))
    for (device, port), gids in found.items():
        yield Reading(port, "device", device, at[device], runs=True)
        yield Reading(port, "gids", tuple(sorted(gids)), at[device], runs=True)


def _devinfo(chunk: Chunk) -> Iterator[Reading]:
    """ibv_devinfo(1): the RoCE MTU of each device's first port."""
    for block in re.finditer(r"(?m)^hca_id:\s+(\S+)(?:\n[ \t]+.*)*", chunk.text):
        mtu = re.search(r"active_mtu:\s+(\d+) ", block[0])
        if mtu and "Ethernet" in block[0]:
            line = chunk.at(block.start() + mtu.start())
            yield Reading(f"@{block[1]}", "roce_mtu_bytes", MTU.read(mtu[1]), line, runs=True)


_NETDEV = re.compile(
    r"(?m)^(?:link )?(\S+?)(?: port 1 ==> |/1 state .*\bnetdev )(\S+)(?: \(\w+\))?[ \t]*$"
)


def _netdevs(chunk: Chunk) -> Iterator[Reading]:
    devices = []
    for one in _NETDEV.finditer(chunk.text):
        devices.append(one[1])
        yield Reading(one[2], "device", one[1], chunk.at(one.start()), runs=True)
    yield Reading("", "devices", tuple(sorted(devices)), chunk.above + 1, runs=True)


def _pause(chunk: Chunk) -> Iterator[Reading]:
    said = re.search(r"Pause parameters for (\S+):", chunk.text)
    port = said[1] if said else chunk.port
    found = ethtool.pause(chunk.text)
    yield Reading(port, "has_global_pause", found.rx or found.tx, chunk.line("RX:"), runs=True)


_FECS = {"rs": "rs", "baser": "fc", "off": "none", "llrs": "llrs"}


def _fec(chunk: Chunk) -> Iterator[Reading]:
    said = re.search(r"FEC parameters for (\S+):", chunk.text)
    active = re.search(r"Active FEC encodings?: (\w+)", chunk.text)
    if said and active and active[1].lower() in _FECS:
        line = chunk.at(active.start())
        yield Reading(said[1], "fec", _FECS[active[1].lower()], line, runs=True)


def _speed(chunk: Chunk) -> Iterator[Reading]:
    said = re.search(r"Settings for (\S+):", chunk.text)
    port = said[1] if said else chunk.port
    if speed := re.search(r"Speed: (\d+)Mb/s", chunk.text):
        rate = SPEED.read(speed[1]) / 1000
        yield Reading(port, "rate_gbps", rate, chunk.at(speed.start()), runs=True)
    if auto := re.search(r"Auto-negotiation: (on|off)", chunk.text):
        yield Reading(port, "autoneg", auto[1] == "on", chunk.at(auto.start()), runs=True)


def _lldp_json(chunk: Chunk) -> Iterator[Reading]:
    for port, heard in lldpcli.neighbours(chunk.text).items():
        if len(heard) == 1:
            line = chunk.line(f'"{port}"')
            yield Reading(port, "heard", (heard[0].system, heard[0].port), line, runs=True)


def _lldp(chunk: Chunk) -> Iterator[Reading]:
    """`lldpctl` in blocks of `Interface:`."""
    for block in re.split(r"(?m)^(?=Interface: )", chunk.text):
        port = re.match(r"Interface:\s+([^\s,]+)", block)
        system = re.search(r"(?m)^\s+SysName:\s+(\S+)", block)
        far = re.search(r"(?m)^\s+PortID:\s+(?:ifname|local)\s+(\S+)", block)
        if port and system and far:
            at = chunk.line(f"Interface:    {port[1]},")
            yield Reading(port[1], "heard", (system[1], far[1]), at, runs=True)


def _lldptool(chunk: Chunk) -> Iterator[Reading]:
    """`lldptool -t -n -i PORT`: a TLV's name, then its value on a line further in."""
    system = re.search(r"(?m)^System Name TLV\s*\n\s+(\S+)", chunk.text)
    far = re.search(r"(?m)^Port ID TLV\s*\n\s+(?:Ifname|Local): (\S+)", chunk.text)
    if system and far:
        at = chunk.at(far.start())
        yield Reading(chunk.port, "heard", (system[1], far[1]), at, runs=True)


READERS: tuple[Reader, ...] = (
    (re.compile(r"(?m)^\d+: [^\s:]+: <[^>]*>.* mtu \d+"), _links),
    (_ONE_LINE, _one_line),
    (re.compile(r'\A\s*\[\s*\{[^{}]*"(?:mtu|addr_info)"\s*:'), _links_json),
    (re.compile(r"(?m)^\d+:\s+from \S+.* lookup \S+"), _rules),
    (re.compile(r'\A\s*\[\s*\{\s*"priority"\s*:'), _rules_json),
    (re.compile(r"(?m)^(?:default|[\d.]+(?:/\d+)?) (?:via \S+ )?dev \S+.*\btable \w+"), _routes),
    (re.compile(r'\A\s*\[\s*\{\s*(?:"type"\s*:\s*"\w+"\s*,\s*)?"dst"\s*:'), _routes_json),
    (re.compile(r"(?m)^DEV\s+PORT\s+INDEX\s+GID"), _gids),
    (_GID_FILE, _gid_files),
    (re.compile(r"(?m)^hca_id:\s"), _devinfo),
    (_NETDEV, _netdevs),
    (re.compile(r"(?m)^Pause parameters for "), _pause),
    (re.compile(r"(?m)^FEC parameters for "), _fec),
    (re.compile(r"(?m)^Settings for \S+:"), _speed),
    (re.compile(r'"lldp"\s*:'), _lldp_json),
    (re.compile(r"(?m)^Interface:\s+\S+, via: LLDP"), _lldp),
    (re.compile(r"(?m)^Port ID TLV"), _lldptool),
)
