"""The grammar of the example: one pattern a line, and what it refuses across lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from switch_configs.grammar.tree import GrammarProblem

_NUMBER, _ADDRESS = r"'\d{1,10}'", r"[0-9.]{7,15}"
_PREFIX, _WORD = rf"{_ADDRESS}/\d{{1,2}}", r"'[^']{1,64}'"
_PATTERNS = [
    re.compile(rf"set {one}")
    for one in (
        rf"system (host-name|release) {_WORD}",
        rf"system hash-seed {_NUMBER}",
        rf"(system syslog host|service ntp server) '{_ADDRESS}'",
        rf"interfaces (ethernet \S+|loopback lo) address '{_PREFIX}'",
        r"interfaces ethernet \S+ vrf 'mgmt'",
        rf"interfaces ethernet \S+ description {_WORD}",
        rf"interfaces ethernet \S+ (mtu|speed) {_NUMBER}",
        r"interfaces ethernet \S+ fec '(none|fc|rs)'",
        rf"vrf name mgmt route 0\.0\.0\.0/0 next-hop '{_ADDRESS}'",
        rf"policy route-map \S+ permit {_PREFIX} length {_NUMBER}",
        r"policy route-map \S+ (add|refuse)-mark '\d{1,5}:\d{1,5}'",
        r"policy route-map \S+ graceful-shutdown last",
        rf"protocols static route {_PREFIX} blackhole",
        rf"protocols bgp (system-as|maximum-paths) {_NUMBER}",
        rf"protocols bgp router-id '{_ADDRESS}'",
        r"protocols bgp ebgp-requires-policy",
        rf"protocols bgp network {_PREFIX}",
        rf"protocols bgp neighbor \S+ (description|import|export) {_WORD}",
        rf"protocols bgp neighbor \S+ (remote-as|keepalive|holdtime|connect) {_NUMBER}",
        rf"protocols bgp neighbor \S+ (bfd (interval|multiplier)|maximum-prefix-warning) {_NUMBER}",
    )
]
_POLICY = re.compile(r"set policy route-map (\S+) ")
_NAMED = re.compile(r"set protocols bgp neighbor \S+ (?:import|export) '(.*)'")


def problems(text: str, _release: str = "") -> tuple[GrammarProblem, ...]:
    """Every line that the example would refuse."""
    return tuple(_problems(text.splitlines()))


def _problems(lines: list[str]) -> Iterator[GrammarProblem]:
    made = {found[1] for one in lines if (found := _POLICY.match(one))}
    for number, line in enumerate(lines, 1):
        if not any(one.fullmatch(line) for one in _PATTERNS):
            yield GrammarProblem(number, line, "no such command")
        elif (found := _NAMED.fullmatch(line)) and found[1] not in made:
            yield GrammarProblem(number, line, "no line makes this policy")
