"""What a DHCP server saw: dnsmasq's log and lease file, Kea's lease file.

- dnsmasq with `log-dhcp` (dnsmasq(8)): the lines of one transaction share its number; option
  82 is printed as bytes, and 2.90 cuts it after the fourteenth: a longer circuit id names no
  port. A device that gets no answer (`dhcp-ignore`) is in the log, but not its option 82.
- dnsmasq's lease file: expiry, MAC, address, name, client id. It knows no ports.
- Kea's memfile for IPv4 (Kea's manual, "Memfile"): CSV with a header; with
  `store-extended-info` the `user_context` holds `ISC.relay-agent-info`, in which `,` and `&`
  are written by their code, `&#x2c` (CSVRow::escapeCharacters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from inventory.load.table import of_another_tool
from inventory.topology.asbuilt import MAC, plain_mac

from ..problems import Problem, shown
from .circuits import PortFinder, Relay, relay_of
from .sightings import Sighting

_ESCAPED = re.compile(r"&#x([0-9a-f]{2})")
_KEA_HEADER = "address,hwaddr,client_id,"
_LEASE = re.compile(r"(?:\d+) (?P<mac>(?:[0-9a-f]{2}:){5}[0-9a-f]{2}) \d+\.\d+\.\d+\.\d+ \S+ \S+")
_LOGGED = re.compile(r"dnsmasq-dhcp\[\d+\]: (?P<id>\d+) (?P<what>.*)")
_SPOKE = re.compile(r"DHCP(?:DISCOVER|REQUEST|INFORM)\([^)]*\)(?: [\d.]+)? (?P<mac>[0-9a-f:]{17})")
_UNNUMBERED = re.compile(r"dnsmasq-dhcp\[\d+\]: DHCP(?:DISCOVER|REQUEST)\([^)]*\)(?: [\d.]+)? "
                         r"(?P<mac>[0-9a-f:]{17})")  # fmt: skip
_OPTION_82 = re.compile(
    r"sent size:\s*\d+ option:\s*82 agent-id  (?P<bytes>[0-9a-f:]+)(?P<cut>\S*)"
)


def read_leases(
    text: str, file: str, finder: PortFinder
) -> tuple[tuple[Sighting, ...], tuple[Problem, ...]]:
    """Return what a file of any of the three kinds says. Never raises."""
    first = text.split("\n", 1)[0].rstrip("\r")
    if _is_kea(first) and "\r" not in first:
        return _kea(text, file, finder)
    told = of_another_tool(first, _is_kea)
    if told:
        return (), (Problem(file, 1, 1, "", told[0], "Kea's lease file (CSV)", told[1]),)
    found = {}
    for sighting in (*_dnsmasq_leases(text, file), *_dnsmasq_log(text, file, finder)):
        found[sighting.mac, sighting.at, sighting.circuit] = sighting
    if not found and text.strip():
        expected = "dnsmasq's log with log-dhcp, its lease file, or Kea's lease file (CSV)"
        return (), (Problem(file, 1, 1, "", "no lease", expected),)
    return tuple(found.values()), ()


def _is_kea(line: str) -> bool:
    return line.startswith(_KEA_HEADER)


def _dnsmasq_leases(text: str, file: str) -> Iterator[Sighting]:
    for number, line in enumerate(text.split("\n"), start=1):
        if lease := _LEASE.fullmatch(line.rstrip("\r")):
            yield Sighting(None, lease["mac"], file=file, line=number)


def _dnsmasq_log(text: str, file: str, finder: PortFinder) -> Iterator[Sighting]:
    speaking: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if (logged := _LOGGED.search(line)) is None:
            if (spoke := _UNNUMBERED.search(line)) and MAC.fullmatch(spoke["mac"]):
                yield Sighting(None, spoke["mac"], file=file, line=number)
        elif (spoke := _SPOKE.match(logged["what"])) and MAC.fullmatch(spoke["mac"]):
            yield from _unplaced(speaking.pop(logged["id"], None), file)
            speaking[logged["id"]] = spoke["mac"], number
        elif (option := _OPTION_82.match(logged["what"])) and logged["id"] in speaking:
            mac, said = speaking.pop(logged["id"])
            yield _sighting(mac, _printed(option), finder, file, said)
    for one in speaking.values():
        yield from _unplaced(one, file)


def _unplaced(spoke: tuple[str, int] | None, file: str) -> Iterator[Sighting]:
    if spoke:
        yield Sighting(None, spoke[0], file=file, line=spoke[1])


def _printed(option: re.Match[str]) -> Relay | None:
    """The relay of a printed option; the circuit alone where only what follows it was cut."""
    raw = bytes.fromhex(option["bytes"].replace(":", ""))
    if option["cut"] and len(raw) >= 2 and raw[0] == 1 and len(raw) >= 2 + raw[1]:
        raw = raw[: 2 + raw[1]]
    return relay_of(raw)


def _sighting(mac: str, relay: Relay | None, finder: PortFinder, file: str, line: int) -> Sighting:
    at = finder.find(relay) if relay else None
    circuit = "" if at else (" ".join(filter(None, (relay.remote, relay.circuit))) if relay else "")
    return Sighting(at, mac, circuit, file=file, line=line)


def _kea(
    text: str, file: str, finder: PortFinder
) -> tuple[tuple[Sighting, ...], tuple[Problem, ...]]:
    lines = text.split("\n")
    names = lines[0].rstrip("\r").split(",")
    found: dict[str, Sighting] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        row = dict(zip(names, line.rstrip("\r").split(","), strict=False))
        if not (hardware := row.get("hwaddr", "")):
            continue
        if (mac := plain_mac(hardware)) is None:
            found_text = shown(hardware)
            problems.append(Problem(file, number, 1, "hwaddr", found_text, "a MAC address"))
            continue
        # The file is a journal: the last line of a lease counts. A line without relay (the
        # device renewed by itself) does not unsay where it is.
        relay = _kea_relay(row.get("user_context", ""))
        if relay is not None or mac not in found:
            found[mac] = _sighting(mac, relay, finder, file, number)
    return tuple(found.values()), tuple(problems)


def _kea_relay(context: str) -> Relay | None:
    plain = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), context)
    try:
        agent = json.loads(plain)["ISC"]["relay-agent-info"]
        # Older releases stored the bytes alone (gitlab.isc.org/isc-projects/kea, number 2573).
        options = agent["sub-options"] if isinstance(agent, dict) else agent
        return relay_of(bytes.fromhex(options.removeprefix("0x")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
