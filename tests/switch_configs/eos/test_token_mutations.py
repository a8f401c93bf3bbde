"""Change any one token of an EOS configuration, and the readback sees it.

The mutants come from the text: every token is dropped, and its last character changed; every
line is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base, oob_intents
from tests.switch_configs.shapes import one_of_each, sections

EOS = dialect("eos")
OTHER = {**dict.fromkeys("012345689", "7"), "7": "6", "q": "x"}

# What is so without these lines (EOS's defaults; every session is activated; an OOB switch routes
# nothing), and what no fact holds: the LLDP times, how soon a pair finds that it is two and its
# bonds come back, names of VLANs of our own, descriptions of sessions and of what is no data port.
SAID_AGAIN = re.compile(
    r"(lldp (timer|hold-time) .*|spanning-tree mode mstp|priority strict"
    r"|no ip routing vrf MGMT|dual-primary .*|neighbor \S+ description .*"
    r"|description .*(written by railbed|storage-leaf-b1-2$).*"
    r"|name (MLAG|\S+-isolated)|no bgp default ipv4-unicast|qos trust dscp"
    r"|service routing protocols model multi-agent|recovery delay .*)"
)
# Names of our own that stand in one line only, and numbers that only order lines.
FREE = (
    (re.compile(r"\b(seq) \d+"), r"\1"),
    (re.compile(r"^\d+ (permit|deny)"), r"\1"),
    (re.compile(r"^(route-map \S+ \S+) \d+"), r"\1"),
    (re.compile(r"^(transport grpc) \S+"), r"\1"),
    (re.compile(r"^(neighbor interface \S+ peer-group \S+) "), r"\1 "),
    (re.compile(r"<<secret:\w+>+\S*"), ""),
    (re.compile(r" iburst$"), ""),
    (re.compile(r"^speed (auto)? ?"), "speed "),
)


def says_the_same(line: str, mutant: str) -> bool:
    if SAID_AGAIN.fullmatch(line):
        return True
    return _without_names(line) == _without_names(mutant)


def _without_names(line: str) -> str:
    for pattern, instead in FREE:
        line = pattern.sub(instead, line)
    return line


def mutants(line: str) -> Iterator[str]:
    yield ""
    for match in re.finditer(r"\S+", line):
        token = match[0]
        yield line[: match.start()] + line[match.end() :]
        other = OTHER.get(token[-1], "q")
        yield line[: match.start()] + token[:-1] + other + line[match.end() :]


def with_line(rendered: Rendered, number: int, line: str) -> Rendered:
    (file,) = rendered.files
    lines = file.text.splitlines()
    lines[number] = line
    changed: ConfigFile = replace(file, text="\n".join(lines) + "\n")
    return replace(rendered, files=(changed,))


def made(name: str):
    if name.startswith("oob"):
        return next(one for one in oob_intents("eos") if one.switch.name.startswith(name))
    found = base("eos", name)
    # At EOS's own times a line would say nothing.
    timers = replace(found.switch.timers, bfd_interval_ms=400, bfd_multiplier=5)
    return replace(found, switch=replace(found.switch, timers=timers))


@pytest.mark.parametrize(
    "name", ["leaf-p1-r0", "storage-leaf-b1-1", "spine-p1-1", "oob-p", "oob-aggregation"]
)
def test_no_token_can_change_unseen(name, rng, is_full):
    """In the CI tier two changes of each shape of lines, drawn by the seed."""
    intent = made(name)
    rendered, said = EOS.render(intent), wanted(intent, EOS.unsaid)
    assert EOS.readback(rendered) == said
    tried, unseen = 0, []
    every = [
        (number, line)
        for number, line in enumerate(rendered.files[0].text.splitlines())
        if line.strip() and not line.strip().startswith("!") and line != "end"
    ]
    within = sections(rendered.files[0].text)
    some = one_of_each(every, lambda place: within[place[0]], rng)
    for number, line in every if is_full else some:
        ways = list(mutants(line))
        for mutant in ways if is_full else rng.sample(ways, min(2, len(ways))):
            tried += 1
            if EOS.readback(with_line(rendered, number, mutant)) == said:
                unseen.append((line.strip(), mutant.strip()))
    assert tried > 100
    assert not [one for one in unseen if not says_the_same(*one)]
