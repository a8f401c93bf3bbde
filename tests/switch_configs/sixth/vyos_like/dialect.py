"""The face of the example: what `switch_configs.intent.Dialect` asks for.

It has no commit that takes itself back, so nothing is pushed: `abilities.yml` says so by silence.
"""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.intent import (
    Account,
    ConfigFile,
    Impact,
    OobIntent,
    Own,
    Rendered,
    Step,
    SwitchIntent,
)
from switch_configs.readback.facts import SwitchFacts

from . import readback
from .render import lines

PATH = "/config/config.commands"
_SHOW = "vy show configuration"
_END = "end of configuration\n"
_OWN = ("set system login ", "set system banner ")
_NOT_PUSHED = "its changes do not take themselves back, so nothing is pushed to it"


class VyosLike:
    """The example, release 1.4.0."""

    name: str = "vyos_like"
    platform: str = "vyos"
    hier_platform: str = "VYOS"
    reload_s: int = 0
    keeps_drain: bool = False
    drills_by_push: bool = False
    releases: tuple[str, ...] = ("1.4.0",)
    sections: tuple[str, ...] = ()
    unsaid: frozenset[str] = frozenset({"lldp_hold_s"})

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """One file of `set` lines; `DialectError` for what the example cannot do."""
        switch = intent.switch
        if isinstance(intent, OobIntent) or switch.release not in self.releases or switch.raw:
            raise DialectError(
                f"{switch.name}: {self.name} prints data switches of release "
                f"{', '.join(self.releases)}, without raw lines"
            )
        return self._held(switch.name, "".join(f"{one}\n" for one in lines(intent)))

    def fetch_command(self) -> str:
        """Prints what runs, and a line that says that it is whole."""
        return f"{_SHOW} && echo {_END.strip()}"

    def state_command(self) -> str:
        """The same: a configuration of the example holds secrets in what is its own alone."""
        return f"{_SHOW} | grep -v '^{_OWN[0]}' && echo {_END.strip()}"

    def running(self, device: str, fetched: str) -> Rendered:
        """What runs, without what is the switch's own; `DialectError` when cut or doubled."""
        text = self.held(device, fetched).files[0].text
        kept = (one for one in text.splitlines(keepends=True) if not one.startswith(_OWN))
        return self._held(device, "".join(kept))

    def held(self, device: str, fetched: str) -> Rendered:
        """The same, nothing left out."""
        text, end, rest = fetched.partition(_END)
        if not end or rest:
            raise DialectError(f"{device}: its answer is cut or doubled")
        return self._held(device, text)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:
        """As `running`."""
        return self.running(saved.device, saved.files[0].text + _END)

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """Logins and banners."""
        said = (line for one in saved.files for line in one.text.splitlines())
        return tuple(Own(line.split()[2], line) for line in said if line.startswith(_OWN))

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        """None that could be compared: `abilities.yml` refuses planned ones."""
        return ()

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration, ours or not, in neutral words."""
        return readback.readback(rendered)

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """A port's rate and FEC take its link down; the rest is taken on as it runs."""
        words = " ".join(where).split()
        return "link flap" if {"speed", "fec"} & set(words[4:5]) else "runtime"

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """None but where nothing differs."""
        if old == new:
            return ()
        raise DialectError(f"{new.device}: {_NOT_PUSHED} (window of {window_s} s)")

    def described(self, held: Rendered, words: str) -> Rendered:
        """Nothing is changed there."""
        raise DialectError(f"{held.device}: {_NOT_PUSHED} ({words})")

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """None: nothing is changed there."""
        return ""

    def link_command(self, port: str, *, up: bool) -> str:
        """None."""
        return ""

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        """Nobody has tried it on such a switch."""
        return None

    def silence_command(self, port: str, *, silent: bool) -> str:
        """None."""
        return ""

    def pending_command(self) -> str:
        """Nothing ever waits."""
        return "true"

    def undo_command(self) -> str:
        """So nothing is taken back."""
        return "true"

    def _held(self, device: str, text: str) -> Rendered:
        file = ConfigFile(PATH, text, "root", "vyattacfg", "0660", "runtime")
        return Rendered(device, self.name, (file,))
