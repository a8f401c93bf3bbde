"""Arista EOS: the grammar of eos.grammar, and what EOS refuses across lines.

SOURCE: Arista User Manual; golden configurations of aristanetworks/avd (eos_cli_config_gen).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from switch_configs.grammar import cross
from switch_configs.grammar.commands import Grammar, parse
from switch_configs.grammar.tree import GrammarProblem, Seen, walk

from .words import WORDS

INDENT = 3
# EOS brings these itself.
KNOWN = {"vrf": {"default"}, "aaa-group": {"tacacs+", "radius"}, "vlan": {"1"}}


@cache
def grammar() -> Grammar:
    """The commands, by context."""
    return parse(Path(__file__).with_name("eos.grammar").read_text(encoding="utf-8"), INDENT, WORDS)


def watchdog_polls_too_slowly(seen: Sequence[Seen]) -> Iterator[GrammarProblem]:
    """The watchdog must poll at least twice per timeout and per recovery time.

    SOURCE: Arista User Manual, "Priority Flow Control: pause watchdog"; timers in seconds.
    """
    whole: dict[str, float] = {}
    for line in seen:
        if not line.text.startswith("priority-flow-control pause watchdog "):
            continue
        default = line.words[3] == "default"
        found = whole if default else {}
        for key in ("timeout", "recovery-time", "polling-interval"):
            if (value := cross.value_after(line.words, key)) is not None:
                found[key] = value
        waits = [found[key] for key in ("timeout", "recovery-time") if key in found]
        if waits and found.get("polling-interval", 0) > min(waits) / 2:
            yield line.refused("polling-interval is above half of timeout or recovery-time")


def problems(text: str, _release: str = "") -> tuple[GrammarProblem, ...]:
    """Every line that EOS would refuse, by line number; its words are those of all releases."""
    found = list(walk(grammar(), text))
    seen = [line for line in found if isinstance(line, Seen)]
    refused = [line for line in found if isinstance(line, GrammarProblem)]
    refused += cross.undefined(seen, KNOWN)
    refused += cross.in_any_dialect(seen)
    refused += watchdog_polls_too_slowly(seen)
    return tuple(sorted(set(refused), key=lambda one: (one.line, one.why)))
