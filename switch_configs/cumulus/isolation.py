"""Access ports of an OOB switch that do not see each other, as rules for `cl-acltool`.

Frames from a trunk go anywhere; frames from any other port go to no access port. One rule for
each port, because a Spectrum-1 switch holds few hundred. NVUE leaves this folder's other files
alone: it writes 50_nvue.rules.

Source: NVIDIA Cumulus Linux 5.14, Access Control List Configuration (rules with -i and -o are
ingress rules; `swp+` stands for every port; lists of ports become one rule each). Whether the
ASIC applies -o to flooded frames too, the page does not say: it has to be tried on hardware.
"""

from __future__ import annotations

from switch_configs.intent import OobIntent

from .tree import natural


def rules(intent: OobIntent) -> str:
    """The file; empty where no port is isolated."""
    ports = sorted(intent.switch.ports, key=lambda one: natural(one.name))
    isolated = [one.name for one in ports if one.isolated]
    trunks = [one.name for one in ports if not one.isolated]
    if not isolated:
        return ""
    head = f"# {intent.switch.name}: access ports reach trunks only\n[ebtables]\n"
    return head + "".join(
        (
            *(f"-A FORWARD -i {one} -j ACCEPT\n" for one in trunks),
            *(f"-A FORWARD -i swp+ -o {one} -j DROP\n" for one in isolated),
        )
    )
