"""Stage 25: switches run what the plan renders: files, FRR, kernel, filters, BFD, units.

Of systems whose files do not run as they lie it is their running configuration, read back.

What routing does today is stage 20's. A filter, a hash or a timer set by hand does not show there,
and a file that FRR does not run shows at the next restart.
"""

from __future__ import annotations

from difflib import unified_diff

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.linux.state import BfdPeer, FileSeen
from switch_configs.diff import masked
from validation.locating import locate
from validation.locating.view import View
from validation.stage import Check, Faults

from . import ask
from .expect import (
    BfdExpected,
    FilesExpected,
    FileWanted,
    FiltersExpected,
    FrrExpected,
    RunningExpected,
    ServicesExpected,
    SettingsExpected,
)
from .running import rest_otherwise

_MOST = 4
_AGAIN = "see who changed it; `railbed apply` brings the plan's back"
_DIFFERS = f"`railbed diff` shows each line; {_AGAIN}"


class VerifyFilesAreAsRendered(Check):
    """Every file that the plan renders lies there, byte for byte, and no other of them.

    Success: digest, owner and mode of each are the plan's.
    Failure: one differs, is missing, or should not be there.
    """

    expects = FilesExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[FilesExpected, ...], faults: Faults
    ) -> None:
        held = ask.held(host, ask.files_of(plan, expect[0].device))
        for expectation in expect:
            if not expectation.files:
                raise Unreadable(f"the plan cannot be rendered for {expectation.device}")
            if {file.path for file in expectation.files} - set(held):
                raise Unreadable("not every file was asked for")
            wrong = [
                said for file in expectation.files if (said := _file_fault(file, held[file.path]))
            ]
            if wrong:
                faults.add(expectation, f"device {expectation.device}", _joined(wrong), hint=_AGAIN)


def _file_fault(wanted: FileWanted, seen: FileSeen | None) -> str:
    if seen is None or not wanted.sha256:
        there = seen is not None
        fits = there == bool(wanted.sha256)
        return "" if fits else f"{wanted.path} is {'there' if there else 'missing'}"
    if seen.sha256 != wanted.sha256:
        return f"{wanted.path} has other content"
    same = (seen.owner, seen.mode) == (wanted.owner, wanted.mode)
    return "" if same else f"{wanted.path} is {seen.owner} {seen.mode}"


def _joined(said: list[str]) -> str:
    more = [f"and {len(said) - _MOST} more"] if len(said) > _MOST else []
    return "; ".join([*said[:_MOST], *more])


class VerifyFrrRunsItsFile(Check):
    """FRR's running configuration is its file.

    Success: frr-reload finds nothing to add or to delete.
    Failure: somebody typed something in, or it was lost; the next restart undoes it.
    """

    expects = FrrExpected

    def test(self, host: Host, plan: Plan, expect: tuple[FrrExpected, ...], faults: Faults) -> None:
        todo = ask.frr_to_do(host, ask.files_of(plan, expect[0].device))
        for expectation in expect:
            if todo:
                found = f"FRR does not run its file; to add: {_joined(list(todo))}"
                faults.add(expectation, f"device {expectation.device}", found, hint=_AGAIN)


class VerifyWhatRunsIsWhatThePlanSays(Check):
    """The running configuration, read back, says what the plan says: ports, routing, users' VLANs.

    Success: every fact is the plan's, no line is there that nobody here can read, and of what is
    the switch's own (accounts, SSH, SNMP) only what it came with.
    Failure: somebody typed something in, a push was lost, or the release is another.
    """

    expects = RunningExpected

    def test(
        self, host: Host, expect: tuple[RunningExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            device, plan = expectation.device, view.plan
            waits, says = device in view.unconfirmed, ask.says(host, view, device)
            wrong = (
                *ask.own(host, plan, device),
                *rest_otherwise(plan, device, says, unconfirmed=waits),
            )
            if wrong:
                said = [masked(each) for each in wrong]
                faults.add(
                    expectation, f"device {expectation.device}", _joined(said), hint=_DIFFERS
                )


class VerifyTheKernelIsSetAsPlanned(Check):
    """The kernel's settings are those of the rendered file.

    Success: every value is.
    Failure: one is another: forwarding, hashing or filtering of sources goes otherwise.
    """

    expects = SettingsExpected

    def test(self, host: Host, expect: tuple[SettingsExpected, ...], faults: Faults) -> None:
        for expectation in expect:
            values = ask.kernel_settings(host, [key for key, _ in expectation.values])
            if set(values) != {key for key, _ in expectation.values}:
                raise Unreadable("sysctl did not say every setting")
            wrong = [
                f"{key} is {values[key]}, not {value}"
                for key, value in expectation.values
                if values[key] != value
            ]
            if wrong:
                hint = f"`sysctl -p` on {expectation.device}, and see who changed it"
                faults.add(expectation, f"device {expectation.device}", _joined(wrong), hint=hint)


class VerifyFiltersAreThoseOfTheFile(Check):
    """The kernel's packet filter has the rules of the rendered file and no other.

    Success: the ruleset is the one that the file makes in an empty network namespace.
    Failure: a rule was added or lost: something is dropped, let in, or marked otherwise.
    """

    expects = FiltersExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[FiltersExpected, ...], faults: Faults
    ) -> None:
        run, wanted = ask.filters(host, ask.files_of(plan, expect[0].device))
        for expectation in expect:
            if run != wanted:
                changed = [
                    masked(" ".join(line.split()))
                    for line in unified_diff(
                        wanted.splitlines(), run.splitlines(), lineterm="", n=0
                    )
                    if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))
                ]
                found = f"the rules differ from the file's: {_joined(changed)}"
                faults.add(expectation, f"device {expectation.device}", found, hint=_AGAIN)


class VerifyNoUnitOfASwitchHasFailed(Check):
    """No unit of the switch has failed.

    Success: systemd lists none.
    Failure: it lists some; `systemctl status` there says why.
    """

    expects = ServicesExpected

    def test(self, host: Host, expect: tuple[ServicesExpected, ...], faults: Faults) -> None:
        units = ask.failed(host)
        for expectation in expect:
            if units:
                hint = f"on {expectation.device}: systemctl status {' '.join(units)}"
                faults.add(
                    expectation,
                    f"device {expectation.device}",
                    f"failed: {', '.join(units)}",
                    hint=hint,
                )


class VerifyBfdWatchesEverySession(Check):
    """BFD runs beside every session, with the planned timers at both ends.

    Success: it is up, and both ends send and count as planned.
    Failure: without it a silent link is noticed by BGP's hold time, in seconds.
    """

    expects = BfdExpected

    def test(self, host: Host, expect: tuple[BfdExpected, ...], faults: Faults, view: View) -> None:
        peers = ask.bfd(host)
        for expectation in expect:
            here, seen = PortRef(expectation.device, expectation.port), peers.get(expectation.key)
            said = _bfd_fault(expectation, seen)
            if not said:
                continue
            blame = locate.session(view, here, asked=False)
            if blame.suspect.startswith("BGP over"):
                suspect = f"device {_at_fault(view, here, expectation, seen)}"
                hint = f"`vtysh -c 'show bfd peers'` on {expectation.device} and at its other end"
                faults.add(expectation, suspect, said, hint=hint)
            else:
                faults.add(expectation, blame.suspect, said, hint=blame.hint)


def _bfd_fault(one: BfdExpected, seen: BfdPeer | None) -> str:
    planned = (one.interval_ms, one.multiplier)
    if seen is None:
        return f"{one.device} has no BFD at {one.port}"
    if seen.status != "up":
        return f"BFD at {one.device}:{one.port} is {seen.status}"
    if (seen.interval_ms, seen.multiplier) != planned:
        return f"{one.device}:{one.port} sends every {seen.interval_ms} ms x {seen.multiplier}"
    if (seen.remote_interval_ms, seen.remote_multiplier) != planned:
        remote = f"every {seen.remote_interval_ms} ms x {seen.remote_multiplier}"
        return f"the other end of {one.device}:{one.port} sends {remote}"
    return ""


def _at_fault(view: View, here: PortRef, one: BfdExpected, seen: BfdPeer | None) -> str:
    """The end that is not as planned: the other one, where it has no BFD or says other timers."""
    there = locate.other_end(view.plan, here).device
    if seen is None:
        return one.device
    if seen.status == "up":
        mine = (seen.interval_ms, seen.multiplier) == (one.interval_ms, one.multiplier)
        return there if mine else one.device
    peers, switch = view.look(there, ask.bfd), view.plan.switch.get(there)
    if peers is None or switch is None:
        return one.device
    keys = [session.key for session in switch.sessions if session.peer == here]
    return one.device if any(key in peers for key in keys) else there
