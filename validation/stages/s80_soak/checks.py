"""Stage 80: the fabric stays well for a while, and goes on when a cable or a spine is pulled.

`deploy/loads/s80_soak_run.py` runs the streams and pulls what the plan chose; it says before what
that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from math import inf

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs import is_typed
from switch_configs.answers.frames import Frames
from switch_configs.answers.steady import Held
from validation.host_state.hardware import complaint
from validation.locating.view import View
from validation.parse.loads.soak import Steady, Stream
from validation.routing.systems import dialect_of
from validation.stage import Check, Faults
from validation.stages.s25_switch_state import ask

from . import read
from .crossing import Crossed, own_frames
from .drills import Drill
from .expect import (
    BackExpected,
    DetectExpected,
    LossExpected,
    SteadyExpected,
    StreamExpected,
    SwitchOverExpected,
)
from .terms import drilling, guard, soak
from .work import back_devices, runs_file


class VerifyStreamsLoseNothing(Check):
    """In every interval all packets come back, in time and without a gap.

    Success: loss, worst gap and p99 of each interval lie within the limits.
    Failure: one interval is beyond one of them.
    """

    expects = StreamExpected
    each = True

    def test(self, host: Host, expect: tuple[StreamExpected, ...], faults: Faults) -> None:
        terms = soak()
        for expectation in expect:
            found = read.soaked_stream(host, expectation.probe, expectation.length)
            every = [interval for slice_ in found for interval in slice_.intervals]
            p99_ms = max(interval.p99_ms for interval in every)
            faults.figure(expectation, p99_ms, "ms p99", expectation.length.terms)
            wrong = [
                f"interval {number} of {len(every)}: {said}"
                for number, interval in enumerate(every, 1)
                for said in (
                    _over("lost", interval.sent - interval.received, terms.most_lost, "packets"),
                    _over("a gap of", interval.worst_gap_ms, terms.most_gap_ms, "ms"),
                    _over("p99", interval.p99_ms, terms.most_p99_ms, "ms"),
                )
                if said
            ]
            if wrong:
                suspect = f"path {expectation.probe.sender} > {expectation.probe.receiver}"
                hint = "compare with the other streams of this leaf, and the counters of its ports"
                faults.add(expectation, suspect, "; ".join(wrong[:3]), hint=hint)


def _over(what: str, value: float, most: float, unit: str) -> str:
    return f"{what} {value:g} {unit}, asked is at most {most:g}" if value > most else ""


class VerifyNothingFlapsMeanwhile(Check):
    """Between before and after no data port flapped, no session was reset, no unit failed.

    Success: carrier changes, sessions' counts and failed units are the same, and the kernel told
    of no fault (the lines and Xids of stage 30). A switch without a shell tells of ports and
    sessions alone.
    Failure: one is not; a port that flaps is the suspect before the device.
    """

    expects = SteadyExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[SteadyExpected, ...], faults: Faults
    ) -> None:
        dialect = dialect_of(plan, expect[0].device)
        before, after = (read.state(host, when, dialect) for when in ("before", "after"))
        log = "show logging" if dialect and is_typed(dialect) else "journalctl -k"
        for expectation in expect:
            old, new = before.held, after.held
            if not set(expectation.ports) <= set(old.carrier) & set(new.carrier):
                raise Unreadable("a data port was not counted")
            if not set(expectation.keys) <= set(old.sessions) & set(new.sessions):
                raise Unreadable("a session was not counted")
            since_s = expectation.length.total_s
            flapped = [port for port in expectation.ports if _flapped(port, old, new, since_s)]
            told = [
                *(f"{port} lost its carrier" for port in flapped),
                *_changed(expectation, before, after),
            ]
            if told:
                thing = (
                    f"port {expectation.device}:{flapped[0]}"
                    if flapped
                    else f"device {expectation.device}"
                )
                faults.add(
                    expectation,
                    thing,
                    "; ".join(told),
                    hint=f"`{log}` on {expectation.device}",
                )


def _flapped(port: str, old: Held, new: Held, since_s: int) -> bool:
    """Its count moved, or its last flap is another, or not as long ago as the soak took."""
    ago = new.flapped_s.get(port, inf)
    later = ago < old.flapped_s.get(port, 0.0) or ago < since_s
    return old.carrier[port] != new.carrier[port] or later


def _reset(key: str, old: Held, new: Held) -> bool:
    (was, count), (now, later) = old.sessions[key], new.sessions[key]
    return was != now or abs(later - count) > new.slack


def _changed(one: SteadyExpected, before: Steady, after: Steady) -> list[str]:
    reset = [key for key in one.keys if _reset(key, before.held, after.held)]
    told = [f"the session {key} was reset" for key in reset]
    told += [f"{unit} failed" for unit in after.failed if unit not in before.failed]
    new = Counter(after.kernel) - Counter(before.kernel)
    whys = ((each.kind, complaint(each)) for each in new.elements())
    return told + [f"the kernel complained: {kind} {why}" for kind, why in whys if why]


class VerifyFramesAreNotLost(Check):
    """Of all frames that ports sent meanwhile, hardly any came broken or was thrown away.

    Success: frames lost over frames sent, by the counters of both ways, is at most the ratio.
    Failure: those that came broken alone are more. What ports threw away they count for all
    classes together, and those that are not lossless may lose some: with it, more is inconclusive.
    Fewer frames than a ratio speaks of do not show it, and a counter that is missing, or went back,
    shows nothing.
    """

    expects = LossExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[LossExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            every = _counted(host, plan, expectation, view)
            sent = sum(one.sent for ports in every.values() for one in ports.values())
            lost = _by_place(every, lambda one: one.lost)
            gone, most = sum(lost.values()), expectation.length.most_loss_ratio or 0.0
            if not sent:
                raise Unreadable(f"no frame was sent from {', '.join(sorted(every))}")
            faults.figure(expectation, gone / sent, "lost per frame", expectation.length.terms)
            if gone > most * sent:
                said = f"{gone:,} of {sent:,} frames lost ({gone / sent:.1e})"
                broken = _by_place(every, lambda one: one.broken)
                is_shown = sum(broken.values()) > most * sent
                _tell(faults, expectation, broken if is_shown else lost, said, is_shown=is_shown)
            elif sent * most < 1 and len(expectation.devices) > 1:
                why = f"{sent:,} frames were sent; {most:g} is shown by {1 / most:,.0f} of them"
                hint = "run jobs beside it, or watch for longer"
                faults.unknown(expectation, f"device {expectation.device}", why, hint)


def _tell(
    faults: Faults,
    one: LossExpected,
    lost: Mapping[tuple[str, str], int],
    said: str,
    *,
    is_shown: bool,
) -> None:
    """Too many are lost; unless `is_shown`, only with those that no counter tells the class of.

    `lost` is what the verdict rests on, by place and counter.
    """
    where = max(lost, key=lambda place: (lost[place], place))
    worst = ", ".join(f"{at[0]} {at[1]}: {count:,}" for at, count in _gravest(lost))
    if is_shown:
        hint = "errors that came in: the cable or its far end; discards: a full buffer"
        faults.add(one, f"port {where[0]}", f"{said}; {worst}", hint=hint)
        return
    why = f"{said}; {worst}: thrown away, and these counters do not say of which class"
    hint = "lossy classes may lose some: what the switch counts by queue or priority says more"
    faults.unknown(one, f"port {where[0]}", why, hint)


def _counted(
    host: Host, plan: Plan, one: LossExpected, view: View
) -> dict[str, Mapping[str, Frames]]:
    """What each device of an expectation counted. Unreadable where one is not known."""
    if one.devices == (one.device,):
        return {one.device: read.frames_added(host, plan, one.device)}
    made = {}
    for name in one.devices:
        found = view.look(name, partial(read.frames_added, plan=plan, device=name))
        if found is None:
            raise Unreadable(f"what {name} counted of frames is not known")
        made[name] = found
    return made


def _by_place(
    every: Mapping[str, Mapping[str, Frames]], which: Callable[[Frames], Mapping[str, int]]
) -> dict[tuple[str, str], int]:
    """What was lost, or only what came broken, by place and counter."""
    return {
        (f"{device}:{port}", name): count
        for device, ports in every.items()
        for port, one in ports.items()
        for name, count in which(one).items()
    }


def _gravest(lost: Mapping[tuple[str, str], int]) -> list[tuple[tuple[str, str], int]]:
    """Three places that lost most."""
    bad = [one for one in lost.items() if one[1]]
    return sorted(bad, key=lambda one: (-one[1], one[0]))[:3]


def _refused(one: DetectExpected | SwitchOverExpected | BackExpected, faults: Faults) -> bool:
    if one.drill.refusal:
        faults.unknown(one, f"device {one.device}", f"refused: {one.drill.refusal}")
    return bool(one.drill.refusal)


class VerifyWhatIsPulledIsNoticed(Check):
    """The device that lost a cable changes its routes in time, by its own clock.

    Success: the first route of BGP changes within the limit.
    Failure: later, or not at all while it was pulled; BFD that does not run is named.
    """

    expects = DetectExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[DetectExpected, ...], faults: Faults
    ) -> None:
        for expectation in expect:
            if _refused(expectation, faults):
                continue
            found, drill = read.pulled(host, expectation.drill), expectation.drill
            if found.detected_ms is not None:
                faults.figure(expectation, found.detected_ms, "ms")
            if found.detected_ms is None or found.detected_ms > drill.detect_ms:
                late = found.detected_ms
                said = (
                    f"no route changed in {found.held_ms:.0f} ms"
                    if late is None
                    else f"{late:g} ms"
                )
                suspect, hint = _slow_detection(plan, host, drill)
                faults.add(expectation, suspect, f"{drill.what}: {said}", hint=hint)


def _slow_detection(plan: Plan, host: Host, drill: Drill) -> tuple[str, str]:
    cable = plan.cable_at[PortRef(drill.device, drill.port)]
    key = next(
        session.key for session in plan.switch[drill.device].sessions if session.port == drill.port
    )
    hint = f"`vtysh -c 'show bfd peers'` on {drill.device}: is it up, with the planned timers?"
    if key not in ask.bfd(host):
        return f"device {drill.device}", f"{drill.device} runs no BFD at {drill.port}; {hint}"
    return f"BGP over {cable}", hint


class VerifyFlowsGoOnOverAnotherPath(Check):
    """Streams across what is pulled find another path in time.

    Success: the streams did cross it, and no flow waited longer than the limit; a drained switch
    is left by the traffic.
    Failure: a flow waited longer, or a drained switch still forwards. Where a switch's own frames
    may explain what its ports counted, it is inconclusive.
    """

    expects = SwitchOverExpected
    each = True

    def test(
        self, host: Host, expect: tuple[SwitchOverExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            drill = expectation.drill
            if _refused(expectation, faults):
                continue
            streams = _streams(view, drill)
            least = drill.crossing.frames_per_s * drilling().least_crossing
            crossed = _crossed(host, view.plan, drill, least)
            # Where a push pulled, streams must also go on while it was off.
            if why := crossed.unshown(goes_on=drill.guarded and bool(drill.port)):
                faults.unknown(expectation, f"device {drill.device}", why)
                continue
            worst = max(streams, key=lambda each: each.worst_gap_ms)
            faults.figure(expectation, worst.worst_gap_ms, "ms")
            if worst.worst_gap_ms > drill.gap_ms:
                said = f"{drill.what}: {worst.id} waited {worst.worst_gap_ms:g} ms"
                suspect, hint = _blame(view.plan, host, drill)
                faults.add(expectation, suspect, said, hint=hint)
            elif drill.how == "drain" and (said := crossed.undrained()):
                faults.add(expectation, f"device {drill.device}", said)


def _crossed(host: Host, plan: Plan, drill: Drill, least_per_s: float) -> Crossed:
    """What ports counted of it: by the second where the device itself pulled, else by a push."""
    switch = plan.switch[drill.device]
    every = frozenset(port.name for port in switch.ports)
    mine = frozenset((drill.port,)) if drill.port else every
    if drill.guarded:
        counted, seconds = read.crossed(host, plan, drill), guard().apart_s
        meanwhile = every - mine if drill.port else every
    else:
        found, seconds, meanwhile = read.pulled(host, drill), 1, mine
        counted = found.before, found.during
    own_before, own_during = (own_frames(switch, some, seconds) for some in (mine, meanwhile))
    return Crossed(*counted, own_before, own_during, seconds, least_per_s * seconds)


def _blame(plan: Plan, host: Host, drill: Drill) -> tuple[str, str]:
    if drill.how == "drain":
        return f"device {drill.device}", "do its neighbours honour GRACEFUL_SHUTDOWN (RFC 8326)?"
    if drill.guarded:
        return (
            f"device {drill.device}",
            "does BFD watch its sessions? Does ECMP have two paths?",
        )
    return _slow_detection(plan, host, drill)


def _streams(view: View, drill: Drill) -> list[Stream]:
    """Every stream of a drill: Unreadable where one is missing, for it may be the slow one."""
    found = []
    for probe in drill.streams:
        each = view.look(probe.sender, partial(read.drill_stream, drill=drill, one=probe))
        if each is None:
            raise Unreadable(f"the stream {probe.id} across {drill.what} has no result")
        found.append(each)
    if not found:
        raise Unreadable(f"no stream crosses {drill.what}")
    return found


class VerifyEverythingIsBack(Check):
    """After a drill all sessions of the device and its neighbours are up, and FRR runs its file.

    Where it has one that it runs as it lies: other systems keep what runs elsewhere.

    Success: they are.
    Failure: something did not come back.
    """

    expects = BackExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[BackExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            if _refused(expectation, faults):
                continue
            drill = expectation.drill
            lost = []
            for device in back_devices(plan, drill):
                keys = view.look(device, partial(read.back, plan=plan, drill=drill, device=device))
                if keys is None:
                    raise Unreadable(f"{device} did not say whether its sessions are back")
                lost += read.not_back(plan, device, keys)
            todo = read.left_over(host, drill) if runs_file(plan, drill) else ()
            if lost or todo:
                said = [*(f"no session at {port}" for port in lost), *todo]
                hint = f"run on {drill.device}: {drill.restore}"
                faults.add(expectation, f"device {drill.device}", "; ".join(said[:4]), hint=hint)
