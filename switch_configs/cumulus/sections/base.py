"""What every section needs of a switch, put together once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.plan import SwitchPort
from switch_configs.intent import SwitchIntent
from switch_configs.qos import PortQos, port_qos

from ..words import Words, words


@dataclass(frozen=True, slots=True)
class Base:
    """A switch with the words of its release; `qos` by port, None for a port of best effort."""

    intent: SwitchIntent
    words: Words
    qos: Mapping[str, PortQos | None]

    @property
    def device(self) -> str:
        """The switch's name, for messages."""
        return self.intent.switch.name


def base(intent: SwitchIntent) -> Base:
    """May raise `DialectError`, for a port that the plan has no buffers for."""
    switch = intent.switch
    qos = {port.name: port_qos(switch, intent.lossless, port) for port in switch.ports}
    return Base(intent, words(switch.release), qos)


def bonds(ports: tuple[SwitchPort, ...]) -> dict[int, list[SwitchPort]]:
    """The ports of each bond, by its number."""
    out: dict[int, list[SwitchPort]] = {}
    for port in ports:
        if port.bond is not None:
            out.setdefault(port.bond, []).append(port)
    return out
