"""PFC and classes of switch ports, as each switch system prints them."""

from __future__ import annotations

from collections.abc import Callable

from inventory.reading.sections import sections
from switch_configs.nxos.answers import lossless as nxos
from switch_configs.sonic.answers import lossless as sonic

from .. import lossless_says as says
from . import Case

_TEXTS = says.sonic({"Ethernet0": says.WELL, "Ethernet8": says.WELL})
_TABLE = says.nxos({"Ethernet1/1": says.WELL, "Ethernet1/2": says.WELL})


def _sonic(name: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        found = sonic.databases({**_TEXTS, name: text})
        return sonic.port(found, "Ethernet0"), sonic.port(found, "Ethernet8")

    return read


CASES = (
    Case("nxos-pfc", lambda text: nxos.ports(sections(text)), _TABLE),
    *(Case(f"sonic-lossless-{name}", _sonic(name), text) for name, text in _TEXTS.items()),
)
