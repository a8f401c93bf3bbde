"""This dialect, as `switch_configs.intent.Dialect` asks for it."""

from __future__ import annotations

from switch_configs import frr
from switch_configs.errors import DialectError
from switch_configs.intent import Account, Impact, OobIntent, Own, Rendered, Step, SwitchIntent
from switch_configs.readback.facts import SwitchFacts

from . import changes, fetch, files, followed, push, raw, readback, state
from . import render as rendering
from . import running as held
from .names import RELEASES


class Sonic:
    """Community SONiC 202405, 202411 and 202505."""

    name: str = "sonic"
    platform: str = "linux"
    hier_platform: str = ""
    reload_s: int = push.RELOAD_S
    keeps_drain: bool = True
    drills_by_push: bool = True
    releases: tuple[str, ...] = tuple(RELEASES)
    sections: tuple[str, ...] = raw.SECTIONS
    unsaid: frozenset[str] = frozenset(
        {
            "buffers.headroom_pool_bytes", "buffers.over_subscription", "hash_seed",
            "isolated_ports", "lldp_hold_s", "qos.headroom",
        }
    )  # fmt: skip

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """Both files of one switch; `DialectError` for what this dialect cannot do."""
        if isinstance(intent, OobIntent):
            raise DialectError(f"{intent.switch.name}: community SONiC has no port isolation")
        return rendering.render(intent, self.name)

    def fetch_command(self) -> str:
        """One read-only shell command; `running` reads its output."""
        return fetch.fetch_command()

    def state_command(self) -> str:
        """As `fetch_command`, each secret taken out on the switch; a line for its shell."""
        return state.state_command()

    def described(self, held: Rendered, words: str) -> Rendered:
        """Of the first row of PORT; daemons follow it as they run. `DialectError` without one."""
        return changes.described(held, words)

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """FRR's own switch for RFC 8326: bgpcfgd, which does what TSA asks, does not run."""
        del intent  # The same on every switch: bgpd drains all of its tables.
        return f"docker exec bgp {frr.shutdown_command(drained)}"

    def link_command(self, port: str, *, up: bool) -> str:
        """What a person would type; a drill pushes the row that it writes, and never confirms."""
        return f"config interface {'startup' if up else 'shutdown'} {port}"

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        """The same port off in what it runs."""
        return changes.shut(held, port)

    def silence_command(self, port: str, *, silent: bool) -> str:  # noqa: ARG002
        """No program of SONiC does that."""
        return ""

    def pending_command(self) -> str:
        """A read-only command that prints a line while a change is not confirmed."""
        return push.PENDING_COMMAND

    def undo_command(self) -> str:
        """Takes an unconfirmed change back at once; does nothing where there is none."""
        return push.UNDO_COMMAND

    def running(self, device: str, fetched: str) -> Rendered:
        """The files of a device, as it runs them; `DialectError` when cut short."""
        return held.running(device, self.name, fetched)

    def held(self, device: str, fetched: str) -> Rendered:
        """The same answer, nothing left out."""
        return held.held(device, self.name, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:
        """As `running`: without rows that SONiC adds by itself and the plan does not name."""
        return held.tidied(saved, like)

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """SNMP, banners, SSH and remote interfaces."""
        return held.own(saved)

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:  # noqa: ARG002
        """CONFIG_DB holds none: they are those of its Linux."""
        return ()

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words; never raises."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """What changing a row or field does to traffic: all else than rows is the whole file."""
        return followed.impact_at(where) if path == files.CONFIG_DB else files.impact_of(path)

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new under a way back of `window_s` seconds."""
        return push.push_steps(old, new, window_s)
