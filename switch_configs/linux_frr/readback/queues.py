"""Reads a batch of tc(8): DSCP -> priority -> band -> weight, cap and marks, port by port.

From tc-ets(8), tc-red(8), tc-tbf(8), tc-flower(8) and the action skbedit; the chain is followed
for each of the 64 DSCPs, and what breaks it is a hazard.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from switch_configs.readback.facts import ClassFacts, EcnFacts, QosFacts

from .reading import LinuxReading

_PORT = r"dev ([\w.-]+)"
_CLSACT = re.compile(rf"qdisc replace {_PORT} clsact")
_FILTER = re.compile(
    rf"filter replace {_PORT} ingress pref (\d+) handle (0x[0-9a-f]+|\d+) protocol (ip|ipv6) "
    r"flower ip_tos (0x[0-9a-f]{2})/0xfc action skbedit priority (\d+)"
)
_ETS = re.compile(
    rf"qdisc replace {_PORT} root handle 1: ets bands (\d+) strict (\d+) "
    r"quanta ((?:\d+ )*\d+) priomap ((?:\d+ ){15}\d+)"
)
_CHILD = re.compile(rf"qdisc replace {_PORT} parent 1:(\d+) handle (\d+): (tbf|red) (.+)")
_TBF = re.compile(r"rate (\d+)kbit burst (\d+) limit (\d+) peakrate (\d+)kbit mtu (\d+)")
_RED = re.compile(
    r"limit (\d+) min (\d+) max (\d+) avpkt (\d+) burst (\d+) bandwidth (\d+)mbit "
    r"probability (0\.\d+|1) ecn nodrop"
)
_DSCPS = range(64)
_TWO = 2
# Debian's kernels count 250 ticks a second (its config: CONFIG_HZ_250).
_TICKS_PER_S = 250
# tc_red.c keeps `bandwidth` in 32 bits, in bytes a second.
_MOST_RATE = 2**32
# tc-red(8): `bandwidth` says how fast a queue would have emptied while nothing came, so it is
# the port's rate; at 10 Gb/s the 6.4 MB of the longest queue are forgotten in 5 ms.
_ENOUGH_MBIT = 10_000
# MAC addresses, type and one tag (IEEE 802.3, 802.1Q): a frame is its packet and these.
_AROUND_PACKET_BYTES = 14 + 4


@dataclass
class _Port:
    """What is said of one port; `priorities` are by family, then DSCP."""

    name: str
    classifies: bool = False
    priorities: dict[str, dict[int, int]] = field(default_factory=lambda: {"ip": {}, "ipv6": {}})
    prefs: dict[int, str] = field(default_factory=dict)
    strict: int = 0
    quanta: tuple[int, ...] = ()
    where: tuple[int, ...] = ()
    caps: dict[int, int] = field(default_factory=dict)
    frames: list[int] = field(default_factory=list)
    rates_mbit: list[int] = field(default_factory=list)
    idle_mbit: list[int] = field(default_factory=list)
    marks: dict[int, EcnFacts] = field(default_factory=dict)
    sizes: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)


def read(text: str, found: LinuxReading) -> None:
    """The classes of each port in the file; a line that is not understood is unread."""
    ports: dict[str, _Port] = {}
    for raw in text.splitlines():
        line = raw.strip()
        if line and not line.startswith("#") and not _line(line, ports, found):
            found.unread.append(f"queues: {line}")
    found.hazards += _odd_sizes(ports)
    for name, port in sorted(ports.items()):
        found.queues[name] = _facts(port, found)
        if port.frames:
            found.largest_frames[name] = min(port.frames)


def _odd_sizes(ports: dict[str, _Port]) -> Iterator[str]:
    """Of bands that are alike, in rate or in what is marked, one has a size of its own."""
    alike: dict[tuple[int, ...], dict[str, tuple[int, ...]]] = defaultdict(dict)
    for name, port in sorted(ports.items()):
        for key, sizes in port.sizes.items():
            alike[key][name] = sizes
    for key, said in alike.items():
        usual, count = Counter(said.values()).most_common(1)[0]
        for name, sizes in said.items() if count == len(said) - 1 > 1 else ():
            if sizes != usual:
                yield f"{name}: band {key[0] + 1} holds another burst or limit than on other ports"


def frames_fit(found: LinuxReading) -> None:
    """tc-tbf(8): a frame larger than `mtu` is never sent, whatever the port takes."""
    sizes = {port.name: port.ip_mtu_bytes for port in found.ports}
    alike: dict[int, list[int]] = defaultdict(list)
    for name, smallest in found.largest_frames.items():
        alike[sizes.get(name) or 0].append(smallest)
    for name, smallest in sorted(found.largest_frames.items()):
        size = sizes.get(name)
        if size is not None and smallest < size + _AROUND_PACKET_BYTES:
            found.hazards.append(f"{name}: a capped class drops frames above {smallest} bytes")
        beside = alike[size or 0]
        if size and beside.count(smallest) == 1 and len({*beside}) == _TWO < len(beside):
            found.hazards.append(f"{name}: a capped class has another `mtu` than on other ports")


def read_unit(text: str, found: LinuxReading) -> None:
    """Whether the batch is loaded at start, after the ports are there (systemd.unit(5))."""
    lines = _in_sections(text)
    wanted = {
        "[Unit] After=networking.service": "before the ports are there",
        "[Service] Type=oneshot": "as a daemon",
        "[Service] RemainAfterExit=yes": "again with each start of another unit",
        "[Service] ExecStart=/sbin/tc -batch /etc/railbed/queues.tc": "from no file of ours",
        "[Install] WantedBy=multi-user.target": "not at start",
    }
    found.hazards += [
        f"classes are loaded {why}: no `{line}`"
        for line, why in wanted.items()
        if line not in lines
    ]
    found.unread += [
        f"queues: {line}"
        for line in lines
        if line not in wanted and not line.startswith("[Unit] Description=")
    ]
    found.has_queues_unit = True


def _in_sections(text: str) -> list[str]:
    """Each line after the section it stands in."""
    section, lines = "", []
    for line in text.splitlines():
        if re.fullmatch(r"\[\w+\]", line):
            section = line
        elif line and not line.startswith("#"):
            lines.append(f"{section} {line}")
    return lines


def _line(line: str, ports: dict[str, _Port], found: LinuxReading) -> bool:
    if match := _CLSACT.fullmatch(line):
        ports.setdefault(match[1], _Port(match[1])).classifies = True
    elif match := _FILTER.fullmatch(line):
        return _filter(ports.setdefault(match[1], _Port(match[1])), match, found)
    elif match := _ETS.fullmatch(line):
        return _ets(ports.setdefault(match[1], _Port(match[1])), match)
    elif match := _CHILD.fullmatch(line):
        port, band = ports.setdefault(match[1], _Port(match[1])), int(match[2]) - 1
        if int(match[3]) != band + 11:
            return False
        if not port.where:
            found.hazards.append(f"{port.name}: band {band + 1} is set before there are bands")
        return _cap(port, band, match[5]) if match[4] == "tbf" else _marks(port, band, match[5])
    else:
        return False
    return True


def _filter(port: _Port, match: re.Match[str], found: LinuxReading) -> bool:
    pref, tos, priority = int(match[2]), int(match[5], 16), int(match[6])
    if not pref:
        return False
    if port.prefs.get(pref) == match[0]:  # `replace` by the same is the same
        return True
    if pref in port.prefs:
        found.hazards.append(f"{port.name}: two filters have the place {pref}")
    port.prefs[pref] = match[0]
    known = port.priorities[match[4]]
    if tos & 3 or tos >> 2 in known:
        return False
    known[tos >> 2] = priority
    return True


def _ets(port: _Port, match: re.Match[str]) -> bool:
    bands, strict = int(match[2]), int(match[3])
    quanta, where = tuple(map(int, match[4].split())), tuple(map(int, match[5].split()))
    if port.where or bands != strict + len(quanta) or max(where) >= bands:
        return False
    port.strict, port.quanta, port.where = strict, quanta, where
    return True


def _cap(port: _Port, band: int, words: str) -> bool:
    """The cap is a share of the rate that a burst may reach, which is the port's.

    tc-tbf(8): a bucket must hold what comes in a tick of the kernel's clock, or the rate is
    never reached.
    """
    match = _TBF.fullmatch(words)
    if match is None or band in port.caps:
        return False
    rate, burst, limit, peak, mtu = map(int, match.groups())
    if not 0 < rate <= peak or burst < mtu or limit < burst:
        return False
    percent = round(100 * rate / peak)
    if abs(100 * rate - percent * peak) >= 100 or burst < rate * 1000 // 8 // _TICKS_PER_S:
        return False
    port.caps[band] = percent
    port.sizes[band, rate, peak, mtu] = burst, limit
    port.frames.append(mtu)
    port.rates_mbit.append(peak // 1000)
    return True


def _marks(port: _Port, band: int, words: str) -> bool:
    """tc-red(8): the average is the queue itself only with the smallest burst."""
    match = _RED.fullmatch(words)
    if match is None or band in port.marks:
        return False
    limit, least, most, packet, burst, idle_mbit = (int(match[at]) for at in range(1, 7))
    if limit < 2 * most or packet != 1000 or burst != -(-least // packet):
        return False
    if not 0 < idle_mbit * 1_000_000 // 8 < _MOST_RATE:
        return False
    port.idle_mbit.append(idle_mbit)
    port.sizes[band, least, most] = limit, idle_mbit
    port.marks[band] = EcnFacts(least, most, round(100 * float(match[7])))
    return True


def _facts(port: _Port, found: LinuxReading) -> QosFacts:
    bands: dict[int, list[int]] = defaultdict(list)
    ours, others = port.priorities["ip"], port.priorities["ipv6"]
    if ours != others:
        found.hazards.append(f"{port.name}: IPv4 and IPv6 are not treated alike")
    if min(port.idle_mbit, default=0) < min([_ENOUGH_MBIT, *port.rates_mbit]) and port.marks:
        found.broken(f"{port.name}: what was long ago still counts in the mean of a queue")
    if not port.classifies:
        found.hazards.append(f"{port.name}: nothing is classified there: no clsact")
    if not port.where:
        found.broken(f"{port.name}: no bands: all priorities are alike")
        return QosFacts((), (), None, None, None)
    for dscp in _DSCPS:
        priority = ours.get(dscp, 0)
        bands[port.where[priority] if priority < len(port.where) else -1].append(dscp)
    _unused(port, {at for at, dscps in bands.items() if dscps}, ours, found)
    classes = [_class(port, at, dscps, found) for at, dscps in bands.items()]
    return QosFacts(tuple(sorted(classes, key=lambda one: one.dscps)), (), None, None, None)


def _unused(port: _Port, used: set[int], ours: dict[int, int], found: LinuxReading) -> None:
    for at in range(port.strict + len(port.quanta)):
        if at not in used:
            found.broken(f"{port.name}: no DSCP comes to band {at + 1}")
    strays = {at for at in (*port.caps, *port.marks) if at >= port.strict + len(port.quanta)}
    found.hazards += [f"{port.name}: there is no band {at + 1}" for at in sorted(strays)]
    rest = port.where[0]
    for priority in sorted(set(range(len(port.where))) - {0, *ours.values()}):
        if port.where[priority] != rest:
            found.broken(f"{port.name}: priority {priority} is nobody's, and no best effort")


def _class(port: _Port, at: int, dscps: list[int], found: LinuxReading) -> ClassFacts:
    is_strict = at < port.strict
    if is_strict and at not in port.caps:
        found.hazards.append(f"{port.name}: band {at + 1} is strict and may starve the others")
    total = sum(port.quanta) or 1
    weight = None if is_strict else round(100 * port.quanta[at - port.strict] / total)
    return ClassFacts(
        dscps=tuple(dscps),
        pfc_priority=None,
        strict=is_strict,
        weight_percent=weight,
        rate_cap_percent=port.caps.get(at),
        ecn=port.marks.get(at),
    )
