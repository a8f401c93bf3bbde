"""Lines that switch a planned port or session off, in the words of any system. Pure.

EOS, NX-OS and FRR: `shutdown` below an interface or `router bgp`, `neighbor NAME shutdown` of BGP,
NAME a peer or a group of them; FRR also `bgp shutdown` (their command references). NVUE:
`interface NAME link state down`, `router bgp neighbor NAME shutdown on`. SONiC: `admin_status` of a
row (Configuration.md, PORT, PORTCHANNEL, BGP_NEIGHBOR).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from inventory.plan import OobSwitch, Switch
from switch_configs.shown.foreign import Chain

# How systems call bond 7.
_BONDS = ("port-channel", "portchannel", "bond")
_LOOPBACKS = {"lo", "loopback0"}
# An address or a port: no group of peers is called so.
_PEER = re.compile(r"[0-9a-f.:]*[.:][0-9a-f.:]*|interface|(?:ethernet|swp)[0-9/.s]+")
_PAIRS = (("state", "down"), ("admin_status", "down"), ("admin-state", "down"), ("shutdown", "on"))


def switched_off(chains: Iterable[Chain], switch: Switch | OobSwitch) -> list[Chain]:
    """Those of these lines, each under what it stands in, that switch off what the plan uses."""
    names = {port.name.lower() for port in switch.ports} | {switch.management.port.lower()}
    if isinstance(switch, Switch):
        numbers = {port.bond for port in switch.ports if port.bond is not None}
        names |= {f"{word}{number}" for word in _BONDS for number in numbers}
        names |= {session.key.lower() for session in switch.sessions}
        names |= _LOOPBACKS | {f"vlan{one.id}" for one in switch.vlans}
    return [
        chain
        for chain in chains
        if _is_off(chain) and (_named(chain) & names or _of_many_sessions(chain))
    ]


def _is_off(chain: Chain) -> bool:
    last = chain[-1].split()
    if last[:1] == ["shutdown"] or last[:2] == ["bgp", "shutdown"]:
        return True
    if last[:1] == ["neighbor"] and last[2:3] == ["shutdown"]:
        return True
    return any(pair in _PAIRS for pair in pairwise(one.lower().strip('"') for one in chain))


def _of_many_sessions(chain: Chain) -> bool:
    """Whether it speaks of BGP as a whole, or of a group, which no address names."""
    if ("router", "bgp") not in pairwise(" ".join(chain).split()):
        return False
    starts = (at for at, line in enumerate(chain) if line.split()[:1] == ["neighbor"])
    peer = " ".join(chain[next(starts, len(chain)) :]).lower().split()[1:2]
    return not any(map(_PEER.fullmatch, peer))


def _named(chain: Chain) -> set[str]:
    """All its words, and the ports of which subinterfaces are."""
    words = [word for line in chain for word in line.lower().replace("|", " ").split()]
    return {*words, *(word.partition(".")[0] for word in words)}
