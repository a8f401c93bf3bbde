"""This dialect, as `switch_configs.intent.Dialect` asks for it."""

from __future__ import annotations

from dataclasses import replace

from switch_configs.intent import Account, Impact, OobIntent, Own, Rendered, Step, SwitchIntent
from switch_configs.readback.facts import SwitchFacts

from . import fetch, push, readback, state
from . import render as rendering
from . import running as held
from .files import STARTUP
from .sessions import SESSIONS


class Eos:
    """Arista EOS with the multi-agent routing model."""

    name: str = "eos"
    platform: str = "arista_eos"
    hier_platform: str = "ARISTA_EOS"
    reload_s: int = 0
    keeps_drain: bool = True
    drills_by_push: bool = True
    releases: tuple[str, ...] = ("4.33.9M", "4.34.8M", "4.35.6M", "4.36.0F", "4.36.2F")
    sections: tuple[str, ...] = rendering.SECTIONS
    unsaid: frozenset[str] = frozenset(
        {
            "buffers",
            "hash_seed",
            "lldp_hold_s",
            "qos.cable_m",
            "qos.headroom",
            "session.connect_s",
            "session.description",
        }
    )

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """The running configuration of one switch; `DialectError` for what EOS cannot do."""
        return rendering.render(intent, self.name, self.releases)

    def fetch_command(self) -> str:
        """Read-only lines of the CLI; `running` reads their answers."""
        return fetch.FETCH_COMMAND

    def state_command(self) -> str:
        """The same for evidence: EOS takes secrets out, and `cli.CLI.mask` what it leaves."""
        return state.STATE_COMMAND

    def running(self, device: str, fetched: str) -> Rendered:
        """What the device runs, as `render` would write it; `DialectError` when cut short."""
        return held.running(device, self.name, fetched)

    def held(self, device: str, fetched: str) -> Rendered:
        """The same answer, nothing left out."""
        return held.held(device, self.name, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:  # noqa: ARG002
        """As `running`: without local users, EOS's own defaults and secrets."""
        tidy = (replace(file, text=held.tidy(file.text)) for file in saved.files)
        return replace(saved, files=tuple(tidy))

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """Local users, root, boot and banners."""
        return held.own(saved)

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        """The local users among these."""
        return held.accounts(saved)

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words; never raises."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """What changing a stanza does to traffic at worst; a push looks at each line."""
        return push.impact_at(where) if path == STARTUP else "none"

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new under a way back of `window_s` seconds."""
        return push.push_steps(old, new, window_s)

    def described(self, held: Rendered, words: str) -> Rendered:
        """Of the first Ethernet port that it names; `DialectError` where there is none."""
        return push.described(held, words)

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """Marks all that the switch announces (RFC 8326), in the running configuration only."""
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
        """A read-only line; `cli.CLI` reads from its answer which change is not confirmed."""
        return SESSIONS

    def undo_command(self) -> str:
        """None that is the same every time: `cli.CLI` names the session."""
        return ""
