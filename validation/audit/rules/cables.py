"""Rules on cables that another source lists: a sheet, a NetBox, what LLDP hears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from validation.audit.network import Network
from validation.audit.rule import Problem, Rule, Severity


class CableSheet(Rule):
    """Addresses and descriptions say the same cables as a list of them."""

    id = "cable-sheet"
    severity: ClassVar[Severity] = "major"
    why = (
        "two cables in each other's ports: a rail's traffic crosses another leaf, and whoever pulls"
        " a cable by the list pulls another one"
    )

    def of_network(self, network: Network) -> Iterator[Problem]:
        """A port whose far end by its configuration is not the one on the list."""
        for cable in network.cables:
            for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
                box, far = network.box.get(here[0]), network.far_end.get(here)
                if box is None or far is None or there[0] not in network.box:
                    continue
                if (far.box.name, far.port.name) != there:
                    said = f"its far end is {far}, {cable.by} has {':'.join(there)}"
                    yield self.problem(
                        box, here[1], said, "trace the cable, then mend the wrong one"
                    )
                    break
