"""What stage 80 reads: frames that `deploy/loads/s80_soak_run.py` left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable
from inventory.reading.sections import sections
from switch_configs.answers import answers
from switch_configs.answers.frames import Counted, Frames
from switch_configs.answers.linux.state import to_do
from switch_configs.frr.answers import bgp_summary
from switch_configs.shown.said import why
from validation.counters import frames
from validation.parse.loads.soak import Drilled, Steady, Stream, drilled, steady, stream
from validation.probes.planned import Probe

from .drills import Drill
from .terms import Length, drilling, soak
from .work import (
    CROSSINGS,
    FRAMES,
    STEADY,
    back_command,
    crossing_command,
    drill_command,
    drill_stream_command,
    file_command,
    soak_command,
    streamed_s,
)


def _answer(host: Host, line: str) -> str:
    told = host.run(line)
    if told.rc != 0:
        said = why(told.stderr, told.stdout, line)
        raise Unreadable(f"`{line[:60]}` ended with status {told.rc} and said: {said}")
    return str(told.stdout)


def _stream(host: Host, one: Probe, line: str, terms: tuple[int, int, int]) -> Stream:
    """A stream that ran as asked: whole, paced, answered by its receiver alone."""
    found, (seconds, gap_ms, ports) = stream(_answer(host, line)), terms
    asked = (one.id, str(one.source), str(one.target), seconds, gap_ms, ports)
    ran = (found.id, found.source, found.target, found.seconds, found.gap_ms, len(found.flows))
    if ran != asked:
        raise Unreadable(f"the stream ran {ran}, asked was {asked}")
    if set(found.names) - {one.receiver}:
        raise Unreadable(f"{', '.join(found.names)} answered for {one.receiver}")
    planned = seconds * 1000 / gap_ms
    if any(sent < planned * 0.9 for _, sent, _, _ in found.flows):
        raise Unreadable("the stream sent less than it was asked to")
    return found


def soaked_stream(host: Host, one: Probe, length: Length) -> tuple[Stream, ...]:
    """A stream of the soak, slice by slice."""
    asked = soak()
    terms = (length.seconds, asked.gap_ms, asked.source_ports)
    numbers = range(1, length.slices + 1)
    return tuple(_stream(host, one, soak_command(one, length, each), terms) for each in numbers)


def frames_added(host: Host, plan: Plan, device: str) -> Mapping[str, Frames]:
    """What a device's ports counted of frames meanwhile."""
    before, after = (_answer(host, FRAMES[when]) for when in ("before", "after"))
    return frames.added(plan, device, before, after)


def drill_stream(host: Host, drill: Drill, one: Probe) -> Stream:
    """A stream across a drill."""
    asked = drilling()
    terms = (streamed_s(drill), asked.gap_ms, drill.crossing.source_ports)
    return _stream(host, one, drill_stream_command(drill, one), terms)


def state(host: Host, when: str, dialect: str) -> Steady:
    """A device's counts `before` or `after`; the dialect of a server is ""."""
    text, known = _answer(host, STEADY[when]), answers(dialect).steady if dialect else None
    return Steady(known.read(sections(text))) if known else steady(text)


def pulled(host: Host, drill: Drill) -> Drilled:
    """What the device saw of a drill."""
    found = drilled(_answer(host, drill_command(drill)))
    if found.held_ms < drilling().hold_s * 1000:
        raise Unreadable(f"it was pulled for {found.held_ms:.0f} ms, not as long as asked")
    return found


def crossed(host: Host, plan: Plan, drill: Drill) -> tuple[int, int]:
    """Frames that crossed a pulled port before, and all other ports while it was off.

    Unreadable where the port passed a frame meanwhile: then it was not off. Of a drained device,
    those of all its ports, both times.
    """
    known = answers(plan.switch[drill.device].dialect).frames
    if known is None:
        raise Unreadable(f"nothing here reads what ports of {drill.device} count")
    texts = (_answer(host, crossing_command(drill, when)) for when in CROSSINGS)
    one, two, three, four = (known.read(sections(text)) for text in texts)
    ports = sorted(port.name for port in plan.switch[drill.device].ports)
    if any(port not in each for port in ports for each in (one, two, three, four)):
        raise Unreadable(f"a port of {drill.device} was not counted")
    if not drill.port:
        return _frames(one, two, ports), _frames(three, four, ports)
    if still := _frames(three, four, (drill.port,)):
        raise Unreadable(f"{drill.what}: {still} frames passed it, so it was not off")
    others = tuple(port for port in ports if port != drill.port)
    return _frames(one, two, (drill.port,)), _frames(three, four, others)


def _frames(was: Counted, now: Counted, ports: Iterable[str]) -> int:
    """Frames of some ports, both ways, between two readings."""
    added = (difference(was[port], now[port], port) for port in ports)
    return sum(one.sent + one.received for one in added)


def back(host: Host, plan: Plan, drill: Drill, device: str) -> frozenset[str]:
    """The keys of a device's sessions that are up after a drill."""
    return up(plan, device, _answer(host, back_command(drill, device)))


def up(plan: Plan, device: str, text: str) -> frozenset[str]:
    """The keys of the sessions that are up, of what `back_step` asked. Raises Unreadable."""
    known = answers(plan.switch[device].dialect).steady
    if known is None:
        return frozenset(key for key, one in bgp_summary(text).peers.items() if one.established)
    held = known.read(sections(text)).sessions
    return frozenset(key for key, (state, _) in held.items() if state == "Established")


def left_over(host: Host, drill: Drill) -> tuple[str, ...]:
    """What FRR would have to change to run its file after a drill."""
    return to_do(_answer(host, file_command(drill)))


def not_back(plan: Plan, device: str, keys: frozenset[str]) -> list[str]:
    """The planned sessions of a device that are not up."""
    mine = plan.switch[device].sessions
    return [f"{device}:{session.port}" for session in mine if session.key not in keys]
