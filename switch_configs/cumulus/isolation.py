"""Ports of an OOB switch that do not see each other, as rules for `cl-acltool`.

In a rack these are the access ports, above the racks the trunks towards lower switches: or else a
zone would be one piece from rack to rack. Frames from a trunk that goes up go anywhere; frames
from any other port go to no port that is apart. One rule for
each port, because a Spectrum-1 switch holds few hundred. NVUE leaves this folder's other files
alone: it writes 50_nvue.rules.

Source: NVIDIA Cumulus Linux 5.14, Access Control List Configuration (rules with -i and -o are
ingress rules; `swp+` stands for every port; lists of ports become one rule each). Whether the
ASIC applies -o to flooded frames too, the page does not say: it has to be tried on hardware.
"""

from __future__ import annotations

from inventory.oob.switches import CORE
from inventory.plan import OobPort
from switch_configs.intent import OobIntent

from .tree import natural


def rules(intent: OobIntent) -> str:
    """The file; empty where no port is isolated."""
    ports = sorted(intent.switch.ports, key=lambda one: natural(one.name))
    apart = {port.name for port in ports if port.isolated or _goes_down(intent, port)}
    isolated = [port.name for port in ports if port.name in apart]
    trunks = [port.name for port in ports if port.name not in apart]
    if not isolated:
        return ""
    what = (
        "access ports reach trunks"
        if intent.switch.tier == "access"
        else "racks reach what is above"
    )
    head = f"# {intent.switch.name}: {what} only\n[ebtables]\n"
    return head + "".join(
        (
            *(f"-A FORWARD -i {one} -j ACCEPT\n" for one in trunks),
            *(f"-A FORWARD -i swp+ -o {one} -j DROP\n" for one in isolated),
        )
    )


def _goes_down(intent: OobIntent, port: OobPort) -> bool:
    """Whether a trunk leads to a lower switch: above the racks, all do but those that go up."""
    is_up = port.to_server or (intent.switch.tier == "aggregation" and port.peer.device == CORE)
    return intent.switch.tier != "access" and not is_up
