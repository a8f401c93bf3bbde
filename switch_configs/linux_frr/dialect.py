"""This dialect, as `switch_configs.intent.Dialect` asks for it."""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.frr import shutdown_command
from switch_configs.intent import Account, Impact, OobIntent, Own, Rendered, Step, SwitchIntent
from switch_configs.readback.facts import SwitchFacts

from . import fetch, files, push, readback
from . import render as rendering
from . import running as held


class LinuxFrr:
    """Debian 12, FRR 8.4.4, ifupdown2 3.0.0, nftables 1.0.6, lldpd 1.0.16."""

    name: str = "linux_frr"
    platform: str = "linux"
    releases: tuple[str, ...] = ("8.4.4",)
    hier_platform: str = ""
    reload_s: int = 0
    keeps_drain: bool = True
    drills_by_push: bool = False
    sections: tuple[str, ...] = rendering.RAW_SECTIONS
    unsaid: frozenset[str] = frozenset(
        {
            "port.rate_gbps",
            "port.fec",
            "hash_seed",
            "buffers",
            "qos.cable_m",
            "qos.headroom",
            "qos.pfc_priorities",
            "qos.watchdog",
            "watchdog.detect_ms",
            "watchdog.restore_ms",
            "services.management_address",
            "services.management_gateway",
            "services.management_vrf",
        }
    )

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """The files of one switch; `DialectError` for what this dialect cannot do."""
        name = intent.switch.name
        try:
            return rendering.render(intent, self.name, self.releases)
        except DialectError as error:
            said = error.message if name in error.message else f"{name}: {error.message}"
            raise DialectError(said, error.hint) from None

    def fetch_command(self) -> str:
        """One read-only shell command; `running` reads its output."""
        return fetch.fetch_command()

    def state_command(self) -> str:
        """The files of a device are read as digests, by checks of their own."""
        return ""

    def described(self, held: Rendered, words: str) -> Rendered:
        """Of FRR's first BGP neighbour that is described; `DialectError` where there is none."""
        return push.described(held, words)

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """FRR's own switch for RFC 8326, in the running configuration only."""
        del intent  # The same on every switch: bgpd drains all of its tables.
        return shutdown_command(drained)

    def link_command(self, port: str, *, up: bool) -> str:
        """ip-link(8): the carrier goes at both ends."""
        return f"ip link set {port} {'up' if up else 'down'}"

    def shut(self, held: Rendered, port: str) -> Rendered | None:  # noqa: ARG002
        """It has a shell."""
        return None

    def silence_command(self, port: str, *, silent: bool) -> str:
        """A drop at the port's ingress hook (nft(8)), in a table of its own, below all filters."""
        if not silent:
            return "nft delete table netdev railbed_drill"
        hook = f"type filter hook ingress device {port} priority -500; policy drop;"
        return (
            f"nft 'add table netdev railbed_drill; add chain netdev railbed_drill in {{ {hook} }}'"
        )

    def pending_command(self) -> str:
        """A read-only command that prints a line while a change is not confirmed."""
        return push.PENDING_COMMAND

    def undo_command(self) -> str:
        """Takes an unconfirmed change back at once; does nothing where there is none."""
        return push.UNDO_COMMAND

    def running(self, device: str, fetched: str) -> Rendered:
        """The files of a device, frr.conf as FRR runs it; `DialectError` when cut short."""
        return held.running(device, self.name, fetched)

    def held(self, device: str, fetched: str) -> Rendered:
        """The same: its files are ours as a whole."""
        return held.running(device, self.name, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:  # noqa: ARG002
        """The same: its files are ours as a whole."""
        return saved

    def own(self, saved: Rendered) -> tuple[Own, ...]:  # noqa: ARG002
        """Nothing: its files are ours as a whole."""
        return ()

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:  # noqa: ARG002
        """Its files hold none: they are those of its Linux."""
        return ()

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words; never raises."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """By file, and in interfaces(5) by what a line is about."""
        return files.impact_of(path, where)

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new under a way back of `window_s` seconds."""
        return push.push_steps(old, new, window_s)
