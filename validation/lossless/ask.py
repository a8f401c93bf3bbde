"""The lines that show the lossless class of a switch's ports, and what came of them.

SONiC and NX-OS tell of all ports at once. NVUE publishes no such show of PFC, so each port of
Cumulus is asked by itself, twice.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from functools import partial

from testinfra.host import Host

from ..parse.fields import Unreadable
from ..parse.sections import sections, shell
from ..reading import answer
from ..trust import MissingEvidence
from . import cumulus, nxos, sonic
from .seen import PortLossless

Seen = dict[str, PortLossless | str]
NXOS = shell(nxos.LINES)
_AS = "--operational --output json"  # the actual state of the system, says NVIDIA of it


def cumulus_lines(port: str) -> tuple[str, str]:
    """What asks NVUE of a port's PFC and of its classes."""
    show = f"nv show interface {shlex.quote(port)} qos"
    return f"{show} pfc {_AS}", f"{show} mapping {_AS}"


def seen(host: Host, dialect: str, ports: Iterable[str]) -> Seen:
    """What each of `ports` does, or why that is not known.

    Raises MissingEvidence or Unreadable where nothing is known of any.
    """
    if dialect == "cumulus":
        return _cumulus(host, tuple(ports))
    if dialect == "sonic":
        texts = dict(zip(sonic.LINES, _answers(host, sonic.LINES.values()), strict=True))
        found = sonic.databases(texts)
        return {one: _or_why(partial(sonic.port, found, one)) for one in ports}
    if dialect == "nxos":
        table = nxos.ports(sections(answer(host, NXOS)))
        return {one: table.get(one, f"NX-OS tells no PFC of {one}") for one in ports}
    raise Unreadable(f"nothing here reads the lossless class of dialect {dialect}")


def _cumulus(host: Host, ports: tuple[str, ...]) -> Seen:
    found: Seen = {}
    missing: list[MissingEvidence] = []
    for one in ports:
        try:
            pfc, classes = _answers(host, cumulus_lines(one))
            found[one] = cumulus.port(one, pfc, classes)
        except MissingEvidence as why:
            missing.append(why)
            found[one] = str(why)
        except Unreadable as why:
            found[one] = f"the answer cannot be used: {why}"
    if len(missing) == len(ports):
        raise missing[0]
    return found


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
