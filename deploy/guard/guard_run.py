"""Runs work under guard: however it is cut off, none of its processes and labs stays.

    caller -- heir -- guard -- work

The caller keeps the terminal and hands signals on. The guard and its heir are a session of
their own and adopt what the work leaves behind (prctl(2), PR_SET_CHILD_SUBREAPER). The guard
cleans up when a signal comes, or when the caller or the heir is gone; the heir does when the
guard is gone, and the caller where both are. So one of the three is left to do it; the labs of
a run that lost all three are removed by the next. The work dies with its guard (PR_SET_PDEATHSIG).
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from deploy.lab.kept import owners

from . import guard_end

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# So long the work may clean up after itself once it is asked to end; then it is ended.
ASK_LIMIT_S = 10.0
_KILLED = 128 + signal.SIGKILL
_PDEATHSIG, _NAME, _SUBREAPER = 1, 15, 36


@dataclass(frozen=True, slots=True)
class CutOffNotice:
    """What is said of work that was cut off, and whether its labs stay when it was not."""

    done: Callable[[], str]
    keep_labs: bool = False


def enter(told: CutOffNotice) -> None:
    """Return in a guarded child; this process waits for it and exits with its status."""
    if sys.platform != "linux":
        return
    sys.stdout.flush()
    sys.stderr.flush()
    _say_removed("left by runs that were killed: removed", owners.remove_orphans())
    token = owners.new_token()
    ask, result = os.pipe(), os.pipe()
    _prctl(_SUBREAPER, 1)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    heir = os.fork()
    if heir:
        os.close(ask[0])
        os.close(result[1])
        status = _wait(heir, ask[1], result[0])
        if status is None:
            _clean_up("its guards were killed", token, told)
        raise SystemExit(_KILLED if status is None else status)
    os.close(ask[1])
    os.close(result[0])
    _guarded(token, told, ask[0], result[1])


def _guarded(token: str, told: CutOffNotice, ask: int, result: int) -> None:
    """The heir, the guard and the work part here; only the work returns."""
    os.setsid()
    _prctl(_SUBREAPER, 1)
    life = os.pipe()
    guard = os.fork()
    if guard:
        os.close(ask)
        os.close(life[0])
        _prctl_name(b"railbed-heir")
        _run_to_exit(lambda: _attend_guard(guard, token, told), result)
    os.close(life[1])
    _prctl(_SUBREAPER, 1)
    me = os.getpid()
    work = os.fork()
    if work:
        _prctl_name(b"railbed-guard")
        with suppress(ProcessLookupError, PermissionError):
            os.setpgid(work, work)
        watch = _Guard(work, ask, life[0], token, told)
        _run_to_exit(watch.attend, result)
    for one in (ask, life[0], result):
        os.close(one)
    os.setpgid(0, 0)
    _prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != me:
        os.kill(os.getpid(), signal.SIGKILL)
    owners.take(token)
    # A shell starts what it puts into the background with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _run_to_exit(attend: Callable[[], int], result: int) -> None:
    """End this process with what it attended to, and tell the caller; never returns."""
    try:
        status = attend()
        with suppress(OSError):
            os.write(result, bytes([status]))
        os._exit(status)
    finally:
        # A defect of ours: whoever is above finds that this one was killed, and cleans up.
        guard_end.say(f"the guard of this run failed: {sys.exc_info()[1]!r}")
        os.kill(os.getpid(), signal.SIGKILL)


def _wait(heir: int, ask: int, result: int) -> int | None:
    """What the caller does: hand signals on until guard and heir have ended.

    None where both were killed.
    """

    def hand_on(number: int, _: object) -> None:
        with suppress(OSError):
            os.write(ask, bytes([number]))

    for number in SIGNALS:
        # nohup(1) ignores it, and means it.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, hand_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    said = b""
    while chunk := os.read(result, 16):
        said += chunk
    os.waitpid(heir, 0)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    return said[0] if said else None


def _attend_guard(guard: int, token: str, told: CutOffNotice) -> int:
    """What the heir does: nothing, unless the guard is killed."""
    for number in SIGNALS:
        signal.signal(number, lambda number, _: os.kill(guard, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    status = None
    while status is None:
        pid, ended = os.waitpid(-1, 0)
        status = ended if pid == guard else None
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    _clean_up("its guard was killed", token, told)
    return _KILLED


@dataclass
class _Guard:
    """Waits for the work, and for reasons to end it."""

    work: int
    ask: int
    life: int
    token: str
    told: CutOffNotice
    causes: list[str] = field(default_factory=list)
    status: int = _KILLED

    def attend(self) -> int:
        """The exit status of the work; 128 and the signal's number where one ended it."""
        wake = self._listen()
        watched = {self.ask, self.life, wake}
        ended = guard_end.reap(self.work)  # nobody listened until now, so no signal tells of it
        deadline: float | None = None
        while ended is None:
            left = max(0.0, deadline - time.monotonic()) if deadline else None
            before = len(self.causes)
            for one in select.select(watched, [], [], left)[0]:
                if not self._hear(one, wake):
                    watched.discard(one)
            if len(self.causes) > before:
                deadline = self._ask_to_end(again=bool(before))
            ended = guard_end.reap(self.work)
            if ended is None and deadline and time.monotonic() >= deadline:
                os.kill(self.work, signal.SIGKILL)
                ended = os.waitpid(self.work, 0)[1]
        return self._after(os.waitstatus_to_exitcode(ended))

    def _after(self, code: int) -> int:
        if self.causes:
            _clean_up(self.causes[0], self.token, self.told)
            return self.status
        if code < 0:
            _clean_up(f"ended by {signal.Signals(-code).name}", self.token, self.told)
            return 128 - code
        if self.told.keep_labs:
            owners.release(self.token)
            return code
        guard_end.end_descendants()
        _say_removed("still up at the end and removed", owners.remove(self.token))
        return code

    def _listen(self) -> int:
        """A descriptor that can be read when a signal came."""
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, *SIGNALS):
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return read

    def _hear(self, one: int, wake: int) -> bool:
        """Note why the work is to end, if it is; False where there is nothing more to hear."""
        heard = os.read(one, 512)
        for number in heard:
            if number in SIGNALS:
                self._to_end("interrupted" if number == signal.SIGINT
                             else signal.Signals(number).name, 128 + number)  # fmt: skip
        if not heard and one != wake:
            who = "the process that started it" if one == self.ask else "its guard"
            self._to_end(f"{who} was killed", _KILLED)
        return bool(heard)

    def _to_end(self, cause: str, status: int) -> None:
        if not self.causes:
            self.status = status
        self.causes.append(cause)

    def _ask_to_end(self, *, again: bool) -> float:
        """Ask once, as Ctrl-C does; who asks again waits no longer. Returns until when it may."""
        if again:
            return time.monotonic()
        with suppress(ProcessLookupError):
            os.killpg(self.work, signal.SIGINT)
        return time.monotonic() + ASK_LIMIT_S


def _clean_up(cause: str, token: str, told: CutOffNotice) -> None:
    guard_end.end_descendants()
    labs = owners.remove(token)
    left = guard_end.end_descendants()
    text = f"{cause}: {told.done()}; labs removed: {', '.join(labs) or 'none'}"
    guard_end.say(text + (f"; do not end: {left}" if left else ""))


def _say_removed(what: str, labs: tuple[str, ...]) -> None:
    if labs:
        guard_end.say(f"{what}: labs {', '.join(labs)}")


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _prctl_name(name: bytes) -> None:
    ctypes.CDLL(None).prctl(_NAME, name, 0, 0, 0)
