"""Change any one token of a rendered configuration, and the readback sees it.

The mutants come from the text: of every line each token is dropped and its last character
changed, and every line is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from switch_configs import dialect, intent
from switch_configs.intent import Rendered
from switch_configs.readback.wanted import wanted
from tests.switch_configs.shapes import one_of_each, sections
from tests.switch_configs.sites import small

OTHER = {**dict.fromkeys("012345689", "7"), "7": "6", "q": "x"}
# Numbers that only order lines, names of lists that nothing else has, and secrets.
ORDER = (
    (re.compile(r"\bseq \d+"), "seq"),
    (re.compile(r"^(route-map \S+ \S+) \d+"), r"\1"),
    (re.compile(r"^\d+ (permit|deny)"), r"\1"),
    (re.compile(r"<<secret:\w+>+>?\w?|(?<=key 0 )\S+"), "SECRET"),
    (re.compile(r"key [067]\b"), "key"),
    (re.compile(r"role priority \d+"), "role priority"),
    (re.compile(r"name \w+-isolate.$"), "name isolated"),
    (re.compile(r"shape min \d+ mbps"), "shape min"),
)
# What is the same without its line: what a line above or the system says already.
SAID_AGAIN = re.compile(
    r"system qos|switchport|class class-default|set qos-group 0|role priority \d+"
    r"|vlan [\d,]+|name \w+-isolated"
)


def mutants(line: str) -> Iterator[str]:
    yield ""
    for match in re.finditer(r"\S+", line):
        token = match[0]
        yield (line[: match.start()] + line[match.end() :]).rstrip()
        yield line[: match.start()] + token[:-1] + OTHER.get(token[-1], "q") + line[match.end() :]


def in_order(line: str) -> str:
    for pattern, word in ORDER:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def says_the_same(line: str, mutant: str) -> bool:
    if not mutant.strip():
        return bool(SAID_AGAIN.fullmatch(line))
    return in_order(line) == in_order(mutant)


def with_line(rendered: Rendered, number: int, line: str) -> Rendered:
    (file,) = rendered.files
    lines = file.text.splitlines()
    lines[number] = line
    return replace(rendered, files=(replace(file, text="\n".join(lines) + "\n"),))


@pytest.mark.parametrize(
    "name",
    ["storage-leaf-b1-1", "spine-p1-1", "business-leaf-b1-1", "oob-p1-1", "oob-aggregation1"],
)
def test_no_token_can_change_unseen(name, rng, is_full):
    """In the CI tier two changes of each shape of lines, drawn by the seed."""
    made = intent(small("nxos"), name)
    tongue = dialect("nxos")
    rendered, facts = tongue.render(made), wanted(made, tongue.unsaid)
    tried, unseen = 0, []
    every = [
        (number, line)
        for number, line in enumerate(rendered.files[0].text.splitlines())
        if not line.startswith("!")
    ]
    within = sections(rendered.files[0].text)
    some = one_of_each(every, lambda place: within[place[0]], rng)
    for number, line in every if is_full else some:
        ways = list(mutants(line))
        for mutant in ways if is_full else rng.sample(ways, min(2, len(ways))):
            tried += 1
            if tongue.readback(with_line(rendered, number, mutant)) == facts:
                unseen.append((line.strip(), mutant.strip()))
    assert tried > (300 if is_full else 100)
    assert not [one for one in unseen if not says_the_same(*one)]
