"""SONiC's YANG models, as `sonic_yang` gives them to programs (sonic-yang-mgmt).

It judges the MTU of ports (sonic-port.yang) alone, and has no model of tables that begin with
VENDOR: grammars of whole files are judged elsewhere. It stands alone: on the switch, programs
import it by its own name.
"""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]

_MTU_BYTES = range(68, 9216 + 1)


class SonicYangException(Exception):
    """What a model says no to."""


class SonicYang:
    """The models of a switch."""

    def __init__(self, _models: str, **_options: object) -> None:
        self.found: Tree = {}
        self.tablesWithOutYang: Tree = {}

    def loadYangModel(self) -> None:  # noqa: N802 - its own name
        """They are here."""

    def loadData(self, configdbJson: Tree) -> None:  # noqa: N802, N803 - its own names
        """What is to be judged."""
        self.found = configdbJson
        mine = {one: rows for one, rows in configdbJson.items() if one.startswith("VENDOR")}
        self.tablesWithOutYang = mine

    def validate_data_tree(self) -> None:
        """Raise where a model says no."""
        for port, row in self.found.get("PORT", {}).items():
            if int(row.get("mtu", "9100")) not in _MTU_BYTES:
                raise SonicYangException(f'Value "{row["mtu"]}" of {port} is out of range.')
