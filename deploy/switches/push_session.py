"""What a push asks of a device, whatever carries it. Values and protocols, no sockets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from inventory.plan import OobSwitch, Switch
from inventory.problems import ExpectedError
from switch_configs.errors import DialectError
from switch_configs.intent import Cli, ConfigFile, Rendered
from switch_configs.shown.said import said

# Every command that only looks: most answer in well under a second, a whole configuration of a big
# switch takes many.
LOOK_S = 60.0


class PushStopped(ExpectedError):
    """The push cannot go on: the device, or a proof, said no. `hint`: what to do."""


class DeviceUnreachable(PushStopped):
    """No session, or it was lost: refused, cut, not trusted, or too slow."""


class StepRefused(PushStopped):
    """The device answered, and did not do what a step asked."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command printed (both streams) and its exit status.

    Of a command line without statuses, 1 says that it refused; why is then in `stderr`.
    """

    stdout: str
    stderr: str
    exit_status: int


class Session(Protocol):
    """A logged-in session on a device. Every call may raise DeviceUnreachable."""

    def run(self, command: str, timeout_s: float) -> Reply:
        """Run one command of the dialect to its end: a shell's, or lines that are typed."""

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        """Put a file in place, whole or not at all, with owner and mode; or type it."""

    def close(self) -> None:
        """End the session; never raises."""


SyntaxProof = Callable[[Rendered], tuple[str, ...]]


class FabricProof(Protocol):
    """What of the fabric does not work through a switch that has just changed."""

    def __call__(self, deadline: float, *, whole: bool) -> tuple[str, ...]:
        """Ask until nothing is named, or `deadline` (`time.monotonic`) has come.

        Without `whole`, the change is the first part of one: what worked before it is asked.
        """


def unasked(deadline: float, *, whole: bool) -> tuple[str, ...]:  # noqa: ARG001
    """For a push of which nobody asks more than whether it is the same device."""
    return ()


@dataclass(frozen=True, slots=True)
class Whole:
    """What a switch runs, secrets and all: comparable with a plan's, and with nothing left out.

    It stays in memory, or is encrypted.
    """

    running: Rendered = field(repr=False)
    held: Rendered = field(repr=False)


Snapshot = Callable[[Whole | None], None]
"""Keeps what runs before it is changed; PushStopped where that fails."""


def unkept(found: Whole | None) -> None:
    """For a push that no run is to be taken back from."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a push may take.

    `window_s`: from arming the timer until the device goes back by itself.
    `verify_share`: the part of the window in which a new connection must succeed; a
    confirm that races the timer would prove nothing. `boot_s`: what a device may need
    beyond its window when it restarted in the middle. `poll_s`: between two looks.
    """

    window_s: int = 90
    verify_share: float = 0.75
    boot_s: float = 90.0
    poll_s: float = 2.0


def look(session: Session, command: str) -> str:
    """Return the output of a read-only command; PushStopped when it fails."""
    reply = session.run(command, LOOK_S)
    if reply.exit_status != 0:
        raise PushStopped(f"`{command}` failed: {said(reply.stderr.strip(), command)[-200:]}")
    return reply.stdout


def identity(session: Session, port: str, cli: Cli | None = None) -> tuple[str, str]:
    """Read hostname and MAC of the management port: by Linux procfs and sysfs, or in its words."""
    if cli is not None:
        try:
            return cli.identity(look(session, cli.ask_identity(port)))
        except DialectError as error:
            raise PushStopped(error.message, error.hint) from None
    paths = f"/proc/sys/kernel/hostname /sys/class/net/{port}/address"
    found = look(session, f"cat {paths}").split()
    if len(found) != 2:
        raise PushStopped(f"the device does not say who it is: {found}")
    return found[0], found[1].lower()


def require_identity(session: Session, switch: Switch | OobSwitch, cli: Cli | None = None) -> None:
    """Hostname and management MAC must be the plan's: a cable or a lease may lie."""
    expected = (switch.name, (switch.management.mac or "").lower())
    found = identity(session, switch.management.port, cli)
    if found != expected:
        raise PushStopped(
            f"another device answers: {' '.join(found)} instead of {' '.join(expected)}",
            hint="look at the management cable, the lease and asbuilt.csv",
        )
