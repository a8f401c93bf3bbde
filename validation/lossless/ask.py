"""The lines that show the lossless class of a switch's ports, and what came of them.

Only systems that tell of all ports at once are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from testinfra.host import Host

from validation.evidence.reading import answer
from validation.evidence.trust import MissingEvidence

from ..parse.fields import Unreadable
from ..parse.sections import sections, shell
from . import nxos, sonic
from .seen import PortLossless

Seen = dict[str, PortLossless | str]
NXOS = shell(nxos.LINES)


def seen(host: Host, dialect: str, ports: Iterable[str]) -> Seen:
    """What each of `ports` does, or why that is not known.

    Raises MissingEvidence or Unreadable where nothing is known of any.
    """
    if dialect == "sonic":
        texts = dict(zip(sonic.LINES, _answers(host, sonic.LINES.values()), strict=True))
        found = sonic.databases(texts)
        return {one: _or_why(partial(sonic.port, found, one)) for one in ports}
    if dialect == "nxos":
        table = nxos.ports(sections(answer(host, NXOS)))
        return {one: table.get(one, f"NX-OS tells no PFC of {one}") for one in ports}
    raise Unreadable(f"nothing here reads the lossless class of dialect {dialect}")


def _answers(host: Host, lines: Iterable[str]) -> list[str]:
    """All answers. What is missing is asked for at once, and not one line a trip."""
    texts: list[str] = []
    missing: list[MissingEvidence] = []
    for line in lines:
        try:
            texts.append(answer(host, line))
        except MissingEvidence as why:
            missing.append(why)
    if missing:
        raise missing[0]
    return texts


def _or_why(read: Callable[[], PortLossless]) -> PortLossless | str:
    try:
        return read()
    except Unreadable as why:
        return f"the answer cannot be used: {why}"
