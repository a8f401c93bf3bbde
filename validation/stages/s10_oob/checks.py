"""Stage 10: every device answers over the OOB plane, as itself, at its planned address.

The clocks of all others follow the OOB server's: it is asked as they ask it, by NTP in each zone.

What answers is known by the MAC of its management port and by its name, both read in the
same trip as every other answer; another device's answers are never believed.
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs.answers import answers as known
from switch_configs.answers.linux import ntp
from switch_configs.answers.linux.chrony import NOT_SYNCHRONISED
from switch_configs.answers.said import Said
from switch_configs.answers.timekeeping import Timekeeping
from validation.evidence import ask
from validation.evidence.reading import answers
from validation.locating.view import View
from validation.manifest import ask_node
from validation.routing.systems import dialect_of
from validation.stage import Check, Faults
from validation.stages.s10_oob import clocks
from validation.stages.s10_oob.expect import (
    AnswersExpected,
    ClockFollowsExpected,
    TimeServedExpected,
    TimeTakenExpected,
)

# While no source answers any more chronyd names the last one, until its error may be a second: for
# days (chrony.conf(5), local, distance). It asks at least each 1024 s (maxpoll), and calls a source
# unreachable after eight questions.
_UNTOLD_S = 8 * 1024


class VerifyDevicesAnswerAtTheirPlannedAddress(Check):
    """Each device has its planned management address, and only answers as itself.

    Success: name and management MAC are the plan's, and its port has the planned address.
    Failure: the port has another address: a stale lease, or a static one.
    """

    expects = AnswersExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[AnswersExpected, ...], faults: Faults
    ) -> None:
        # What is typed as `vlan10` is called `Vlan10` by EOS and NX-OS.
        said = ask.ipv4(host, dialect_of(plan, expect[0].device))
        held = {port.lower(): addresses for port, addresses in said.items()}
        for expectation in expect:
            for port, address in expectation.addresses:
                if address not in (mine := held.get(port.lower(), ())):
                    has = ", ".join(mine) or "no address"
                    found = f"{expectation.device}:{port} has {has}"
                    hint = "renew its lease; look at the DHCP reservation and at asbuilt.csv"
                    faults.add(
                        expectation, f"port {expectation.device}:{port}", found, address, hint
                    )


class VerifyTheTimeIsServedInEachZone(Check):
    """The OOB server answers NTP at its address in each zone, and knows the time itself.

    Success: an answer to an NTP question, by a server that is synchronised.
    Failure: nobody answers, or a server that has no time: no clock of that zone is right.
    """

    expects = TimeServedExpected

    def test(self, host: Host, expect: tuple[TimeServedExpected, ...], faults: Faults) -> None:
        texts = answers(host, (ntp.question(one.server) for one in expect))
        for expectation, text in zip(expect, texts, strict=True):
            told = ntp.answer(text)
            if told is not None and told.is_synchronised:
                continue
            silent = f"nobody answers NTP at {expectation.server}"
            found = silent if told is None else f"{expectation.server} answers, and has no time"
            hint = (
                f"on {expectation.device}: systemctl status railbed-chrony.service; "
                f"chronyc accheck {expectation.server}"
            )
            suspect = f"role oob_server on {expectation.device}"
            faults.add(expectation, suspect, found, hint=hint)


class VerifyTheTimeComesFromASource(Check):
    """The OOB server follows one of the sources that the site names.

    Success: chrony has a source that answers, and the clock is within the bound of it.
    Failure: no source answers: the server tells its own clock, and logs fit no others.
    """

    expects = TimeTakenExpected

    def test(self, host: Host, expect: tuple[TimeTakenExpected, ...], faults: Faults) -> None:
        clock = ask_node.clock(host)
        untold_s = ask_node.untold_s(host, clock)
        for expectation in expect:
            device = expectation.device
            hint = f"on {device}: chronyc sources -v; may {device} reach them by NTP, udp/123?"
            # Its own clock has no name (chronyc(1), tracking: reference 7F7F0101).
            if clock.leap == NOT_SYNCHRONISED or not clock.source:
                found = "no source answers, it tells its own clock"
                faults.add(expectation, f"time sources of {device}", found, hint=hint)
            elif untold_s > _UNTOLD_S:
                found = f"{clock.source} answered last {untold_s / 3600:.1f} hours ago"
                faults.add(expectation, f"time sources of {device}", found, hint=hint)
            elif abs(clock.ahead_s) > expectation.most_s:
                found = f"the clock is {clock.ahead_s:+.3f} s from {clock.source}"
                faults.add(expectation, f"clock of {device}", found, hint=hint)


class VerifySwitchesFollowThePlannedTime(Check):
    """A switch's clock follows a planned time server, and is near it.

    Success: one of them answers, the clock follows it, and is within the bound of it. In a
    container, whose clock is the host's, nothing is followed, and the offset is measured.
    Failure: it asks or follows another, also beside a planned one, none answers, or it is off: logs
    and certificates of switches fit no others. Where what was measured may be off by as much as
    would turn the verdict, or the OOB server's clock is not known, it is inconclusive.
    """

    expects = ClockFollowsExpected

    def test(
        self,
        host: Host,
        plan: Plan,
        expect: tuple[ClockFollowsExpected, ...],
        faults: Faults,
        view: View,
    ) -> None:
        (one,) = expect
        dialect = dialect_of(plan, one.device)
        reader = known(dialect).clocks
        assert reader is not None  # else it is not expected
        line = reader.line(one.servers)
        answer = host.run(line)
        told = reader.read(Said(line, answer.rc, str(answer.stdout), str(answer.stderr)))
        hint = (
            f"on {one.device}: {reader.see}; may it reach {' or '.join(one.servers)} by NTP, "
            "udp/123?"
        )
        if found := clocks.wrong(told, one):
            faults.add(one, *found, hint=hint)
            return
        ahead_s, within_s = _ahead_s(told, one, view, line, tells=reader.tells_offset)
        if abs(ahead_s) + within_s > one.most_s >= abs(ahead_s) - within_s:
            why = f"its clock is {ahead_s:+.3f} s from the server's, known to {within_s:.3f} s"
            raise Unreadable(f"{why} alone: the answer took too long to tell")
        if abs(ahead_s) > one.most_s:
            said = f"its clock is {ahead_s:+.3f} s from {' or '.join(one.servers)}"
            faults.add(one, f"clock of {one.device}", said, hint=hint)


def _ahead_s(
    told: Timekeeping, one: ClockFollowsExpected, view: View, line: str, *, tells: bool
) -> tuple[float, float]:
    """By its own word, or where its system has none by the clock that goes with every trip.

    And to within what. The trips are those of `line`, and of the server's answer to its first zone.
    """
    if tells:
        found = clocks.ahead_s(told)
        if found is None:
            raise Unreadable(f"{one.device} does not say how far off its clock is")
        return found
    oob = view.plan.oob
    asked = ntp.question(oob.zones[0].server_address.ip)
    return _trip_s(view, one.device, line) - _trip_s(view, oob.name, asked), 0.0


def _trip_s(view: View, device: str, line: str) -> float:
    """By how much a device's clock was ahead of the controller's in the trip of this answer.

    Raises Unreadable where it told no time, and MissingEvidence where the answer is not believed.
    """
    frame = view.book.read(device, line)
    if frame.identity.clock_s is None:
        raise Unreadable(f"{device} did not say what time it has")
    return frame.identity.clock_s - frame.time.timestamp()
