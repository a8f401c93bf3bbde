"""Saved host states as evidence: files that `on_node/host_state.sh` wrote on nodes.

A file is judged whole or not at all. It does not know any plan: it is judged against the one that
is asked about, and the notes say so. Who it is of is told by the host name and the MAC in it, or
by a person (`NODE=FILE`), whose word the notes repeat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence import ask
from validation.evidence.gather import management_port
from validation.evidence.store import SUFFIX, EvidenceStore, Frame, Identity
from validation.evidence.trust import Trust
from validation.manifest import ask_node
from validation.parse.host.host_state import MAGIC, HostState, host_state

from .ask import HOST_STATE, of_machine

# Lines of other checks that a host state answers under their own names.
LINES = (
    ask.LINKS,
    ask.ADDRESSES,
    ask_node.RULES,
    ask_node.TABLES,
    ask_node.FAILED,
    ask_node.TRACKING,
    ask_node.LOGIN_LIMIT,
    ask_node.SERVICE_LIMIT,
    ask_node.FIRST_PROCESS,
)
CHECKS = frozenset(
    {
        "clock",
        "hardware",
        "kernel",
        "memlock",
        "mtu",
        "nic",
        "rail",
        "signal",
        "software",
        "units",
        "versions",
    }
)
_NEVER = (
    "files, packages and units that roles own (`railbed drift`), packets between nodes, switches"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One file, and the node that a person says it is of; empty where nobody says."""

    path: Path
    node: str = ""


@dataclass
class Archives:
    """What was read: evidence, whom it is to be believed of, and notes for the report."""

    store: EvidenceStore
    nodes: frozenset[str]
    trust: Trust
    notes: tuple[str, ...]


@dataclass
class _Reading:
    plan: Plan
    store: EvidenceStore = field(default_factory=EvidenceStore)
    nodes: set[str] = field(default_factory=set)
    macs: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_archive(path: Path) -> bool:
    """Whether a file begins as a host state does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def sources(path: Path, node: str = "") -> tuple[Source, ...]:
    """The files that a path means: itself, or all host states of a folder; none of a run's."""
    if not path.is_dir():
        return (Source(path, node),)
    if any(path.glob(f"*{SUFFIX}")):
        return ()
    return tuple(
        Source(one, node)
        for one in sorted(path.iterdir())
        if one.suffix == ".state" or is_archive(one)
    )


def read(plan: Plan, some: Iterable[Source]) -> Archives:
    """Read the files. One that cannot be believed leaves its node, if known, without evidence."""
    reading = _Reading(plan)
    for source in some:
        _take(reading, source)
    trust = Trust.of(plan, {})
    macs = {**trust.macs, **reading.macs}
    notes = [
        f"a host state knows no plan: it is judged against plan {plan.digest[:12]}",
        f"not in a host state, and not judged: {_NEVER}",
        *reading.notes,
    ]
    return Archives(
        reading.store,
        frozenset(reading.nodes),
        Trust(plan.digest, macs),
        tuple(notes),
    )


def _take(reading: _Reading, one: Source) -> None:
    name = one.node or (one.path.stem if one.path.stem in reading.plan.node else "")
    try:
        data = one.path.read_bytes()
        state = host_state(data)
        name = one.node or state.identity.hostname
        mac = _believed(reading, one, name, state)
    except (OSError, Unreadable) as why:
        _refuse(reading, one, name, str(why))
        return
    reading.nodes.add(name)
    reading.notes += _doubts(one, name, state, mac)
    if one.node and mac is None:
        reading.macs[name] = _mac(reading.plan, name, state)
    reading.store.add(_frames(reading.plan, name, state, data))


def _believed(reading: _Reading, one: Source, name: str, state: HostState) -> str | None:
    """The planned MAC of the node that it is of; Unreadable where it is not believed."""
    if name not in reading.plan.node:
        raise Unreadable(f"{name} is no node of {reading.plan.site}: say NODE={one.path}")
    if name in reading.nodes:
        raise Unreadable(f"it is the second one of {name}")
    mac = reading.plan.management_mac[name]
    of_machine(state, mac, management_port(reading.plan, name))
    return mac


def _refuse(reading: _Reading, one: Source, name: str, why: str) -> None:
    reading.notes.append(f"{one.path}: nothing of it is judged: {why}")
    if name in reading.plan.node:
        reading.nodes.add(name)
        for frame in [frame for frame in reading.store if frame.device == name]:
            reading.store.drop(frame)
        reading.store.silent[name] = f"{one.path.name}: {why}"


def _doubts(one: Source, name: str, state: HostState, mac: str | None) -> list[str]:
    who = state.identity
    told = [f"{one.path.name}: {name} at {who.time.isoformat()} by its own clock"]
    if not who.is_root:
        told.append(f"{one.path.name}: it was not run as root, so less is known")
    if mac is None:
        word = "a person's word" if one.node else "its host name"
        told.append(
            f"{one.path.name}: who it is of is not proven: the plan has no MAC of {name}, and "
            f"{word} is all that says so"
        )
    if one.node and who.hostname != name:
        told.append(
            f"{one.path.name}: it calls itself {who.hostname}; that it is {name} was said by hand"
        )
    return told


def _mac(plan: Plan, name: str, state: HostState) -> str:
    return state.identity.macs.get(management_port(plan, name), "unknown")


def _frames(plan: Plan, name: str, state: HostState, data: bytes) -> Sequence[Frame]:
    """The whole as one frame, and of its answers those that other checks ask by their own lines."""
    who = Identity(name, _mac(plan, name, state), state.identity.boot_id)
    answers = {HOST_STATE: (0, data, "")}
    for line in LINES:
        if line in state.told:
            told = state.told[line]
            answers[line] = (told.status, told.output, told.errors)
    return tuple(
        Frame(
            device=name,
            command=command,
            plan_digest=plan.digest,
            time=state.identity.time,
            identity=who,
            exit_status=status,
            byte_length=len(payload),
            sha256=hashlib.sha256(payload).hexdigest(),
            payload=payload,
            errors=errors,
        )
        for command, (status, payload, errors) in answers.items()
    )
