"""Change any one token of a rendered configuration, and the readback sees it.

The mutants come from the text, not from the rules: every token of every statement is
dropped, and its last character changed; every line is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from inventory.plan import Plan
from switch_configs import dialect, intent, render
from switch_configs.intent import Rendered
from switch_configs.readback.wanted import wanted
from tests.generated.sites import SMALL_THREE_TIER
from tests.switch_configs.plans import generated, lab

CASES = [
    (lab("unnumbered"), "leaf-p1-r0"),
    (lab("numbered"), "leaf-p2-r1"),
    (lab("unnumbered"), "spine1"),
    (generated(False, SMALL_THREE_TIER), "spine-p1-1"),
]

# Lines that say again what is so without them: FRR's default profile, and a default that
# every session overrides. `!` and `exit` are for people: the next block ends the last.
SAID_AGAIN = {
    "frr defaults traditional",
    "no bgp default ipv4-unicast",
    "!",
    "exit",
    "exit-address-family",
}
# `bfd profile` alone switches BFD on.
BFD_AGAIN = re.compile(r"neighbor \S+ bfd")


def says_the_same(line: str, mutant: str) -> bool:
    """Whether a mutant that nobody sees means what the line meant."""
    if not mutant:
        return line in SAID_AGAIN or BFD_AGAIN.fullmatch(line) is not None
    return without_names(line) == without_names(mutant)


def without_names(line: str) -> str:
    line = re.sub(r"\bseq \d+", "seq", line)
    line = re.sub(r"^(route-map \S+ (?:permit|deny)) \d+", r"\1", line)
    # bgpd/bgp_vty.c, address_family_ipv4_safi: `unicast` may be left out.
    line = re.sub(r"^address-family ipv4 unicast$", "address-family ipv4", line)
    return re.sub(r"^(table inet|chain) \w+", r"\1", line)


def slower_bfd(plan: Plan) -> Plan:
    """At FRR's defaults a BFD profile would say nothing."""
    timers = replace(plan.switches[0].timers, bfd_interval_ms=400, bfd_multiplier=5)
    return replace(plan, switches=tuple(replace(one, timers=timers) for one in plan.switches))


def statements(rendered: Rendered) -> Iterator[tuple[str, int, str]]:
    for file in rendered.files:
        for number, line in enumerate(file.text.splitlines()):
            if line.strip() and not line.strip().startswith(("#", "! ")):
                yield file.path, number, line


OTHER = {**dict.fromkeys("012345689", "7"), "7": "6", "q": "x"}


def mutants(line: str) -> Iterator[str]:
    yield ""
    for match in re.finditer(r"\S+", line):
        token = match[0]
        yield line[: match.start()] + line[match.end() :]
        other = OTHER.get(token[-1], "q")
        yield line[: match.start()] + token[:-1] + other + line[match.end() :]


def with_line(rendered: Rendered, path: str, number: int, line: str) -> Rendered:
    files = []
    for file in rendered.files:
        lines = file.text.splitlines()
        if file.path == path:
            lines[number] = line
        files.append(replace(file, text="\n".join(lines) + "\n"))
    return replace(rendered, files=tuple(files))


@pytest.mark.parametrize(("plan", "switch"), CASES)
def test_no_token_can_change_unseen(plan, switch):
    plan = slower_bfd(plan)
    words = dialect("linux_frr")
    rendered, facts = render(plan, switch), wanted(intent(plan, switch), words.unsaid)
    read = words.readback
    tried, unseen = 0, []
    for path, number, line in statements(rendered):
        for mutant in mutants(line):
            tried += 1
            if read(with_line(rendered, path, number, mutant)) == facts:
                unseen.append((path, line.strip(), mutant.strip()))
    assert tried > 500
    assert not [one for one in unseen if not says_the_same(one[1], one[2])]
