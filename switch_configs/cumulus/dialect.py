"""This dialect, as `switch_configs.intent.Dialect` asks for it."""

from __future__ import annotations

from switch_configs.intent import Account, Impact, OobIntent, Own, Rendered, Step, SwitchIntent
from switch_configs.readback.facts import SwitchFacts

from . import fetch, files, impacts, kept, push, readback, state
from . import render as rendering
from . import running as held
from .raw import SECTIONS
from .words import RELEASES


class Cumulus:
    """NVIDIA Cumulus Linux 5.9 to 5.16, configured by NVUE."""

    name: str = "cumulus"
    platform: str = "cumulus_linux"
    releases: tuple[str, ...] = RELEASES
    sections: tuple[str, ...] = SECTIONS
    hier_platform: str = ""
    reload_s: int = 0
    keeps_drain: bool = False
    drills_by_push: bool = True
    # Each is a gap in the proof; the README says why.
    unsaid: frozenset[str] = frozenset(
        {
            "buffers",
            "ebgp_requires_policy",
            "lldp_hold_s",
            "qos.headroom",
            "vlan.name",
            "watchdog.restore_ms",
        }
    )

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """The files of one switch; `DialectError` for what NVUE has no words for."""
        return rendering.render(intent, self.name)

    def fetch_command(self) -> str:
        """One read-only shell command; `running` reads its output."""
        return fetch.fetch_command()

    def state_command(self) -> str:
        """As `fetch_command`, each secret taken out on the switch; a line for its shell."""
        return state.STATE_COMMAND

    def described(self, held: Rendered, words: str) -> Rendered:
        """Of the first port of the front that it names; `DialectError` where there is none."""
        return push.described(held, words)

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """FRR's own switch for RFC 8326: what NVUE holds, and its startup file, stay as they are.

        NVUE takes it back when it next writes a routing change, which a push is.
        """
        word = "" if drained else "no "
        tables = [f"router bgp {intent.switch.asn}"]
        tables += [f"{tables[0]} vrf {one.vrf}" for one in intent.switch.tables if one.vrf]
        lines = ["configure terminal"]
        for table in tables:
            lines += [table, f"{word}bgp graceful-shutdown", "exit"]
        return "vtysh " + " ".join(f"-c '{line}'" for line in lines)

    def link_command(self, port: str, *, up: bool) -> str:
        """What NVUE would be told; a drill pushes it, and never confirms."""
        return f"nv set interface {port} link state {'up' if up else 'down'}"

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        """The same port off in what NVUE applies."""
        return push.shut(held, port)

    def silence_command(self, port: str, *, silent: bool) -> str:  # noqa: ARG002
        """The same."""
        return ""

    def pending_command(self) -> str:
        """A read-only command that prints a line while a change is not confirmed."""
        return push.PENDING_COMMAND

    def undo_command(self) -> str:
        """Takes an unconfirmed change back at once; does nothing where there is none."""
        return push.UNDO_COMMAND

    def running(self, device: str, fetched: str) -> Rendered:
        """The files of a device, as NVUE holds them; `DialectError` when cut short."""
        return held.running(device, self.name, fetched)

    def held(self, device: str, fetched: str) -> Rendered:
        """The same answer, nothing left out."""
        return held.held(device, self.name, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:
        """As `running`, without the objects that the switch came with; in the words of `like`."""
        return held.tidied(saved, like)

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """Accounts, roles, SSH, banners, management access lists."""
        return kept.own(saved)

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        """The accounts among these."""
        return kept.accounts(saved)

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words; never raises."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """What changing this place of a file does to traffic."""
        return impacts.of_place(where) if path == files.STARTUP else "runtime"

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new under a way back of `window_s` seconds."""
        return push.push_steps(old, new, window_s)
