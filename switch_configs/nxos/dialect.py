"""This dialect, as `switch_configs.intent.Dialect` asks for it."""

from __future__ import annotations

from dataclasses import replace

from switch_configs.intent import Account, Impact, OobIntent, Own, Rendered, Step, SwitchIntent
from switch_configs.readback.facts import SwitchFacts

from . import cli, impacts, push, readback, state
from . import render as rendering
from . import running as held
from .files import RUNNING


class Nxos:
    """Cisco NX-OS 10.5(x) and 10.6(1) on Nexus 9000."""

    name: str = "nxos"
    platform: str = "cisco_nxos"
    releases: tuple[str, ...] = ("10.5(2)F", "10.5(3)F", "10.6(1)F")
    sections: tuple[str, ...] = rendering.SECTIONS
    unsaid: frozenset[str] = frozenset(
        {"buffers", "ebgp_requires_policy", "lldp_hold_s", "qos.cable_m", "qos.headroom"}
    )
    hier_platform: str = "CISCO_NXOS"
    reload_s: int = push.RELOAD_S
    keeps_drain: bool = True
    drills_by_push: bool = True

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """The running configuration of one switch; `DialectError` for what NX-OS cannot do."""
        return rendering.render(intent, self.name, self.releases)

    def fetch_command(self) -> str:
        """Read-only lines of the command line; `running` reads their answers."""
        return held.FETCH_COMMAND

    def state_command(self) -> str:
        """The same for evidence, of which `cli.CLI.mask` takes each secret out."""
        return state.STATE_COMMAND

    def running(self, device: str, fetched: str) -> Rendered:
        """What the switch runs, without what is its own; `DialectError` when cut or doubled."""
        return held.running(device, self.name, fetched)

    def held(self, device: str, fetched: str) -> Rendered:
        """The same answer, nothing left out."""
        return held.held(device, self.name, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:  # noqa: ARG002
        """As `running`: without users, the console, NX-OS's own lines and secrets."""
        tidy = (replace(file, text=held.tidied(saved.device, file.text)) for file in saved.files)
        return replace(saved, files=tuple(tidy))

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """Users and their SNMP twins, keys, aliases, the console, banners."""
        return held.own(saved)

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        """The local users among these."""
        return held.accounts(saved)

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words; never raises."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """What changing a stanza does to traffic."""
        return impacts.of_change(where[0], where[1:]) if where and path == RUNNING else "none"

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new under a way back of `window_s` seconds."""
        return push.push_steps(old, new, window_s)

    def described(self, held: Rendered, words: str) -> Rendered:
        """Of the first Ethernet port that it names; `DialectError` where there is none."""
        return push.described(held, words)

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """Marks every route that is sent (RFC 8326), in the running configuration only."""
        return push.drain_command(intent, drained)

    def link_command(self, port: str, *, up: bool) -> str:
        """Lines of its configuration; a drill pushes them, and never confirms."""
        return f"interface {port}\n{'no ' * up}shutdown"

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        """The same port off in what it runs."""
        return push.shut(held, port)

    def silence_command(self, port: str, *, silent: bool) -> str:  # noqa: ARG002
        """The same."""
        return ""

    def pending_command(self) -> str:
        """Read-only lines; `cli.pending` reads their answers."""
        return cli.PENDING_COMMAND

    def undo_command(self) -> str:
        """Forgets a candidate that lies there; `cli.undo` has what takes changes back."""
        return cli.undo(())
